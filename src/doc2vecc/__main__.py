"""``python -m doc2vecc`` is ``doc2vecc``, where its script is not on the path."""

from doc2vecc.cli import run_process

run_process()
