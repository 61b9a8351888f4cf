"""Words are found by their bytes."""

import numpy as np

from doc2vecc.corpus.tokenizer import scanner_alphabet
from doc2vecc.kernels.text.tokens import LONG_WORD, Scan
from doc2vecc.kernels.text.words import WordIndex, find_slot, home_slot, insert_entries


def test_equal_hashes_of_different_long_words_are_told_apart():
    """Force every long word to one key: only the comparison of bytes keeps them apart."""
    words = ["abcdefgh", "abcdefgi", "abcdefghi"]
    index = WordIndex(
        np.zeros((16, 2), np.uint64), np.frombuffer("".join(words).encode(), np.uint8), np.cumsum([0, *map(len, words)])
    )
    insert_entries(np.array([[LONG_WORD, number] for number in (1, 2, 3)], np.uint64), index.slots)
    text = np.frombuffer(b"ABCDEFGHI", np.uint8)
    for start, end, expected in ((0, 8, 0), (0, 9, 2)):
        scan = Scan(np.uint64(LONG_WORD), start, end, end - start)
        slot = find_slot(text, scan, scanner_alphabet(), index)
        assert index.slots[slot, 1] == expected + 1


def test_slots_are_within_the_table():
    assert all(0 <= home_slot(np.uint64(key), 64) < 64 for key in range(0, 2**63, 2**57 - 1))


def test_keys_that_collide_are_given_up():
    equal = np.array([[LONG_WORD, number + 1] for number in range(30_000)], np.uint64)
    assert not insert_entries(equal, np.zeros((1 << 16, 2), np.uint64))
    different = equal.copy()
    different[:, 0] += np.arange(len(equal), dtype=np.uint64)
    slots = np.zeros((1 << 16, 2), np.uint64)
    assert insert_entries(different, slots)
    assert np.array_equal(np.sort(slots[slots[:, 1] > 0, 1]), different[:, 1])
