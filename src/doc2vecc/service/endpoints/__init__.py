"""The endpoints, a module for each interface; `catalog.py` lists them."""
