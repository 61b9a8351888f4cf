"""The graph of a large index: who is near to whom, so that a search looks at a few thousand documents only (usearch).

usearch trusts its files: one that is damaged, by accident or on purpose, makes it read outside of its memory. So
`problem_of_graph` checks a file completely before usearch sees it. The format is that of usearch 2:

    rows, bytes of a row                     2 x uint32
    vectors                                  rows x bytes of a row
    header                                   64 bytes: "usearch", version, kinds, counts
    size, connectivity, connectivity at the base, highest level, entry           5 x uint64
    levels                                   rows x int16
    nodes, as many bytes each as its level needs:
        key uint64, level int16, neighbors at the base, neighbors at each level above
        neighbors are a count and room for as many slots (numbers of nodes) as the connectivity says, uint32
"""

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from doc2vecc.console import ProgressListener
from doc2vecc.errors import ParameterError
from doc2vecc.similarity import Vectors

if TYPE_CHECKING:
    from usearch.index import Index

EXACT_BELOW = 50_000  # documents; a search over all vectors takes some milliseconds
CONNECTIVITY = 32
EXPANSION_ADD = 128
EXPANSIONS = (128, 256, 512, 1024)  # of a search, tried until enough is found
WANTED_RECALL = 0.95
CANDIDATES = 64  # at least, of which the hits are chosen: half precision confuses documents that are equally near
RECALL_K = 10  # the recall is measured for this many hits
METRIC, SCALAR = "ip", "f16"  # inner products of unit vectors; half precision, the hits are compared in full
_AT_ONCE = 2_048  # vectors between two reports of progress
_HEADER = struct.Struct("<7s3H4B3QB")  # magic, version, kinds (metric, scalar, key, slot), counts, dimensions, multi
_LEVELS = struct.Struct("<5Q")
_METRIC_CODE, _SCALAR_CODE, _KEY_CODE, _SLOT_CODE = ord("i"), 12, 14, 15  # ip, f16, u64, u32
_FREE_KEY = np.uint64(0xFFFF_FFFF_FFFF_FFFF)  # of a node that was removed


def usearch() -> Any:  # noqa: ANN401
    """Import usearch, or say how to get it."""
    try:
        import usearch.index
    except ImportError as error:
        raise ParameterError(
            f"an index of {EXACT_BELOW:,} documents or more needs usearch; pip install 'doc2vecc[search]'"
        ) from error
    return usearch.index


def new_graph(dim: int) -> "Index":
    """Make an empty graph."""
    return usearch().Index(
        ndim=dim, metric=METRIC, dtype=SCALAR, connectivity=CONNECTIVITY, expansion_add=EXPANSION_ADD
    )


def extend_graph(
    graph: "Index", numbers: npt.NDArray[np.int64], parts: Sequence[Vectors], workers: int, progress: ProgressListener
) -> None:
    """Add vectors under the numbers of their documents; those without a direction cannot be found and are left out."""
    done = 0
    for vectors in parts:
        for start in range(0, len(vectors), _AT_ONCE):
            block = np.ascontiguousarray(vectors[start : start + _AT_ONCE])
            own = numbers[done : done + len(block)]
            there = block.any(axis=1)
            if there.any():
                graph.add(own[there].astype(np.uint64), block[there], threads=workers)
            done += len(block)
            progress.working("building the graph", done / len(numbers))


def search_graph(
    graph: "Index", queries: Vectors, k: int, expansion: int, workers: int = 1
) -> list[npt.NDArray[np.int64]]:
    """Return the numbers of near documents for every query: more than ``k``, to be compared in full precision."""
    graph.expansion_search = max(expansion, k)
    found = graph.search(np.ascontiguousarray(queries), max(k, min(max(4 * k, CANDIDATES), expansion)), threads=workers)
    if len(queries) == 1 and np.ndim(found.keys) == 1:
        return [np.asarray(found.keys).astype(np.int64)]
    counts = np.asarray(found.counts).tolist()
    return [keys[:count].astype(np.int64) for keys, count in zip(found.keys, counts, strict=True)]


def open_graph(path: Path, *, writable: bool = False) -> "Index":
    """Open a file that was checked: mapped, or read if the graph will be changed."""
    graph = usearch().Index.restore(str(path), view=not writable)
    graph.expansion_add = EXPANSION_ADD
    return graph


# ---- checks


def problem_of_graph(path: Path, dim: int, numbers: npt.NDArray[np.int64]) -> str | None:
    """Check a file completely -> what is wrong with it, None if it is sound; ``numbers`` are those of the documents."""
    data = np.memmap(path, np.uint8, mode="r") if path.stat().st_size else np.empty(0, np.uint8)
    try:
        return _problem(data, dim, numbers)
    except (struct.error, ValueError, IndexError):  # it ends too soon
        return "it is too short"


def _problem(data: Any, dim: int, numbers: npt.NDArray[np.int64]) -> str | None:  # noqa: ANN401
    n_rows, row_bytes = struct.unpack_from("<2I", data)
    place = 8 + n_rows * row_bytes
    magic, major, _, _, *kinds, present, deleted, dimensions, multi = _HEADER.unpack_from(data, place)
    if (magic, major) != (b"usearch", 2) or kinds != [_METRIC_CODE, _SCALAR_CODE, _KEY_CODE, _SLOT_CODE]:
        return "it is not a graph as this program writes it"
    if (dimensions, row_bytes, multi) != (dim, 2 * dim, 0) or present + deleted != n_rows or not 0 < present <= n_rows:
        return "its sizes do not fit the index"
    size, connectivity, base, highest, entry = _LEVELS.unpack_from(data, place + 64)
    if (size, connectivity, base) != (n_rows, CONNECTIVITY, 2 * CONNECTIVITY) or entry >= n_rows or highest > 1 << 10:
        return "its sizes do not fit together"
    halves = np.frombuffer(data, np.float16, n_rows * dim, 8)
    if not (halves.min() >= -1.01 and halves.max() <= 1.01):  # also for NaN
        return "its vectors are not of length one"
    levels = np.frombuffer(data, np.int16, n_rows, place + 104).astype(np.int64)
    if levels.min() < 0 or levels.max() > highest or levels[entry] != highest:
        return "its levels do not fit"
    return _problem_of_nodes(data[place + 104 + 2 * n_rows :], levels, numbers, present)


def _problem_of_nodes(
    nodes: npt.NDArray[np.uint8], levels: npt.NDArray[np.int64], numbers: npt.NDArray[np.int64], present: int
) -> str | None:
    """Check each node, and that its neighbors exist, on their levels too."""
    base_bytes, above_bytes = 4 + 4 * 2 * CONNECTIVITY, 4 + 4 * CONNECTIVITY
    sizes = 10 + base_bytes + above_bytes * levels
    starts = np.concatenate([[0], np.cumsum(sizes)])
    if starts[-1] != len(nodes):
        return "its nodes do not fill it"
    keys = _values(nodes, starts[:-1], 1, np.uint64)[:, 0]
    own_levels = _values(nodes, starts[:-1] + 8, 1, np.int16)[:, 0]
    used = np.sort(keys[keys != _FREE_KEY])
    is_known = len(used) == present and np.isin(used, numbers.astype(np.uint64)).all()
    if not is_known or np.any(used[1:] == used[:-1]) or np.any(own_levels != levels):
        return "its documents are not those of the index"
    for level in range(int(levels.max()) + 1):
        on_level = np.flatnonzero(levels >= level)
        room = 2 * CONNECTIVITY if level == 0 else CONNECTIVITY
        offset = 10 if level == 0 else 10 + base_bytes + above_bytes * (level - 1)
        for first in range(0, len(on_level), 1 << 16):
            lists = _values(nodes, starts[on_level[first : first + (1 << 16)]] + offset, 1 + room, np.uint32)
            counts, slots = lists[:, 0], lists[:, 1:].astype(np.int64)
            is_listed = np.arange(room) < counts[:, None]
            slots = np.where(is_listed, slots, on_level[0])
            if counts.max() > room or slots.max() >= len(levels) or np.any(levels[slots] < level):
                return "a node has a neighbor that does not exist"
    return None


def _values(nodes: npt.NDArray[np.uint8], places: npt.NDArray[np.int64], number: int, kind: Any) -> npt.NDArray[Any]:  # noqa: ANN401
    """Gather ``number`` values of a kind that begin at each of the places -> (places, number)."""
    width = number * np.dtype(kind).itemsize
    windows = np.lib.stride_tricks.sliding_window_view(nodes, width)
    return np.ascontiguousarray(windows[places]).view(kind)
