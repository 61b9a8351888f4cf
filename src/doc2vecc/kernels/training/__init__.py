"""The training loop, from a chunk of the corpus down to one step.

1. ``loop``: chunks, documents, spans of targets that share one corrupted document
2. ``contexts``: what a target is predicted from; the corruption is ``draw_survivors`` and ``corruption_weight``
3. ``spans``: the targets of a span in blocks, by CBOW or skip-gram
4. ``workspace``: the memory of one thread, which holds a block
5. ``steps``: scores, probabilities, loss, and the step on every output row
6. ``update``: the hidden vector, and one step on a whole block
"""
