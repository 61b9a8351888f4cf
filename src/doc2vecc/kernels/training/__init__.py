"""The training loop: chunks, spans, blocks of contexts, and the update of the two tables."""
