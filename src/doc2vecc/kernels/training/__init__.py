"""The training loop, from a chunk of the corpus down to one step.

1. ``loop``: chunks, documents, spans of targets that share one corrupted document
2. ``settings``: what stays the same during a training
3. ``contexts``: what a target is predicted from; the corruption is ``draw_survivors`` and ``corruption_weight``
4. ``spans``: the targets of a span in blocks, by CBOW or skip-gram
5. ``workspace``: the memory of one thread, which holds a block
6. ``update``: the hidden vector, and one step on a whole block
7. ``steps``: scores, probabilities, loss, and the step on every output row

``copies`` is for training that does not depend on the number of threads.
``start`` fills the alias tables of the samplers, and has the products of the spectral start.
"""
