"""How much is held at once, whatever the size of the input."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

# Read them as batching.BLOCK_BYTES, not by a `from` import: the tests make them small.
BLOCK_BYTES = 8 << 20
MAX_DOCUMENTS = 16_384

Item = TypeVar("Item")


def in_batches(items: Iterable[Item], size: Callable[[Item], int]) -> Iterator[list[Item]]:
    """Collect items until a list holds 16,384 of them or 8 MB of `size`."""
    batch: list[Item] = []
    held = 0
    for item in items:
        batch.append(item)
        held += size(item)
        if held >= BLOCK_BYTES or len(batch) == MAX_DOCUMENTS:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch
