"""The HTTP service: models, and an index, answer requests of existing clients and of a page.

`application.py` connects the endpoints of `endpoints/` with HTTP, `running.py` runs it in one or more processes. Needs
the extra `serve`.
"""
