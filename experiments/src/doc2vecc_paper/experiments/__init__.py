"""The experiments: a module each, with ``tasks`` (what to measure), ``section`` (what to show) and ``EXPERIMENT``.

Modules without ``EXPERIMENT`` belong to one: ``maps`` and ``wikipedia_groups`` to ``tsne``, ``few_labels`` and
``encoders`` to ``today``.
"""
