"""Trees in batches: heights, sizes and sides by hand, and a batch is its single trees."""

import numpy as np

from doc2vecc_paper.datasets.parses import ParsedSentences
from doc2vecc_paper.neural.trees import Trees

# "the old dog runs fast": the, old <- dog <- runs -> fast; "snow falls": snow <- falls; "go"
HEADS = [[2, 2, 3, -1, 3], [1, -1], [-1]]


def sentences():
    offsets = np.cumsum([0, *map(len, HEADS)])
    head = np.concatenate(HEADS)
    return ParsedSentences(np.arange(10, 10 + len(head)), head, np.arange(len(head)) % 3, offsets)


def test_heights_sizes_and_positions():
    trees = Trees.of(sentences())
    assert trees.height.tolist() == [0, 0, 1, 2, 0, 0, 1, 0]
    assert trees.size.tolist() == [1, 1, 3, 5, 1, 1, 2, 1]
    assert trees.position[[0, 1, 2, 4, 5]].tolist() == [2, 0, 0, 1, 0], "left ones are even, the nearest is first"


def test_levels_of_a_batch():
    batch = Trees.of(sentences()).batch(np.array([1, 0]))
    assert [(level.start, level.stop) for level in batch.levels] == [(0, 4), (4, 6), (6, 7)]
    assert batch.word[batch.roots].tolist() == [16, 13]
    for level in batch.levels:
        assert (level.child < level.start).all(), "children are below"
    edges = {
        (int(batch.word[child]), int(batch.word[level.start + parent]))
        for level in batch.levels
        for child, parent in zip(level.child, level.parent, strict=True)
    }
    assert edges == {(10, 12), (11, 12), (12, 13), (14, 13), (15, 16)}


def test_a_batch_is_its_single_trees():
    trees = Trees.of(sentences())

    def words_under(batch):
        """Return the sorted words of every root, by adding up the levels."""
        bags = [[int(word)] for word in batch.word]
        for level in batch.levels:
            for child, parent in zip(level.child, level.parent, strict=True):
                bags[level.start + parent] += bags[child]
        return [sorted(bags[root]) for root in batch.roots]

    rows = np.array([2, 0, 1])
    assert words_under(trees.batch(rows)) == [words_under(trees.batch(rows[k : k + 1]))[0] for k in range(3)]
    assert [len(words) for words in words_under(trees.batch(rows))] == [1, 5, 2]


def test_labels_go_with_their_edges():
    parsed = sentences()
    trees = Trees.of(parsed)
    for level in trees.batch(np.array([0, 1])).levels:
        assert len(level.child) == len(level.position) == len(level.relation)
    (edge,) = trees.batch(np.array([1])).levels[1:]
    assert (edge.relation.tolist(), edge.position.tolist()) == ([int(parsed.relation[5])], [0])
