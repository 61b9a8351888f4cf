"""A corpus in files: what does not fit into memory waits in a file, and no file is left behind."""

import gc
import os
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from doc2vecc.corpus import encoded
from doc2vecc.corpus.encoded import Batch, EncodedCorpus, EncodingReport, PackedIds, Spool, packed_ids, upper_type
from doc2vecc.corpus.encoding import encode
from doc2vecc.corpus.ngrams import NgramRule
from doc2vecc.corpus.vocabulary import Vocabulary
from tests.corpus.documents import batches, decoded

TEXTS = ["the cat sat", "", "the dog sat on the cat", "unique", "THE END."]


@pytest.mark.parametrize("room", [0, 50, 1_000])
def test_a_spool_returns_its_batches_in_order_and_again(monkeypatch, room):
    monkeypatch.setattr(encoded, "IN_MEMORY", room)
    spool = Spool()

    def expect(*sizes):
        for _ in range(2):
            found = [(b.ids.tolist(), b.lengths.tolist(), b.lengths.dtype, *b[2:]) for b in spool]
            assert found == [([size] * size, [size, 0], np.int64, size + 1, size + 2) for size in sizes]
        assert (spool.n_documents, spool.n_ids) == (2 * len(sizes), sum(sizes))

    def append(size):
        spool.append(Batch(np.full(size, size, np.int32), np.array([size, 0]), size + 1, size + 2))

    for size in (3, 0, 9, 1, 30):
        append(size)
    expect(3, 0, 9, 1, 30)
    spool.clear()
    expect()
    append(3)
    expect(3)


@pytest.mark.parametrize("ngrams", [None, NgramRule(2, 2)])
def test_a_corpus_is_the_same_whether_it_waits_in_memory_or_in_a_file(monkeypatch, ngrams):
    generator = np.random.default_rng(0)
    texts = [" ".join(f"w{word}" for word in generator.zipf(1.5, 30) % 50) for _ in range(200)]
    in_memory = encode(batches(texts, 20), min_count=2, workers=2, ngrams=ngrams)
    monkeypatch.setattr(encoded, "IN_MEMORY", 3_000)
    in_files = encode(batches(texts, 20), min_count=2, workers=2, ngrams=ngrams)
    assert decoded(in_memory) == decoded(in_files)


def test_the_report_says_what_happened():
    assert EncodingReport(documents=5, tokens=9).messages() == []
    report = EncodingReport(
        1, 1, forgotten_words=1, forgotten_tokens=1, forgotten_ngrams=2000, forgotten_ngram_occurrences=3000
    )
    assert report.messages() == [
        "1 of 1 document without a known word: ignored in training",
        "too many distinct words to count all of them in memory: dropped 1 rare word (1 occurrence)",
        "too many distinct n-grams to count all of them in memory: dropped 2,000 rare n-grams (3,000 occurrences)",
    ]


def test_no_file_has_a_name(monkeypatch, tmp_path):
    """So nothing is left behind, however the process ends."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(encoded, "IN_MEMORY", 0)
    files, seen = set(), []
    original = encoded.nameless_file

    def watched():
        file = original()
        files.add(os.fstat(file.fileno()).st_dev)
        return file

    def watching():
        yield from batches(TEXTS * 5)
        seen.append(list(tmp_path.iterdir()))

    monkeypatch.setattr(encoded, "nameless_file", watched)
    corpus = encode(watching(), ngrams=NgramRule(2, 2, None))
    assert files == {tmp_path.stat().st_dev}
    assert seen == [[]]
    assert list(tmp_path.iterdir()) == []
    assert decoded(corpus)[0] == ["the", "cat", "the cat", "sat", "cat sat"]


def test_released_memory_is_read_again():
    corpus = encode(batches(["word " * 5_000] * 3))
    before = np.asarray(corpus.ids)
    corpus.release()
    np.testing.assert_array_equal(corpus.ids, before)


@pytest.mark.slow
def test_release_gives_memory_back():
    smaps = Path("/proc/self/smaps")
    if not smaps.exists():
        pytest.skip("needs /proc to see what is resident")
    gc.collect()
    before = _resident_kilobytes(smaps)  # of corpora that other tests still hold
    corpus = encode(batches(["word " * 1_000_000]))
    assert np.asarray(corpus.ids).sum() == 0
    assert _resident_kilobytes(smaps) > before + 1_500
    corpus.release()
    assert _resident_kilobytes(smaps) < before + 100


def _resident_kilobytes(smaps):
    sizes, inside = 0, False
    for line in smaps.read_text().splitlines():
        if "-" in line.split(" ")[0]:
            inside = "(deleted)" in line and "rw-p" in line
        elif inside and line.startswith("Rss:"):
            sizes += int(line.split()[1])
    return sizes


def test_a_spool_holds_nothing_per_document(monkeypatch):
    monkeypatch.setattr(encoded, "IN_MEMORY", 100)
    spool = Spool()
    for _ in range(5):
        spool.append(Batch(np.arange(300, dtype=np.int32), np.full(100, 3)))
    assert sum(len(batch.ids) + len(batch.lengths) for batch in spool._waiting) == 5 * 3
    assert [len(batch.lengths) for batch in spool] == [100] * 5


def test_what_is_known_of_the_lengths_of_documents():
    corpus = encode(batches(["a b c", "", "a b", "zzz"]), min_count=2)
    assert (corpus.longest, corpus.report.empty_documents) == (2, 2)
    assert corpus.longest == np.diff(corpus.offsets).max()
    assert encoded.EncodedCorpus.of([[0, 0, 0], []], corpus.vocabulary).longest == 3


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.uint64])
def test_packed_ids_are_read_as_they_were_written(kind):
    generator = np.random.default_rng(0)
    ids = generator.choice([3, 65_535, 65_536, 70_000, 5_000_000], 1_000, p=[0.8, 0.1, 0.04, 0.03, 0.03]).astype(
        np.int32
    )
    packed = PackedIds(*packed_ids(ids, np.dtype(kind)))
    np.testing.assert_array_equal(packed, ids)
    assert packed[:].dtype == np.int32
    for start, stop in ((0, 1_000), (0, 0), (17, 18), (500, 999), (990, 5_000)):
        np.testing.assert_array_equal(packed[start:stop], ids[start:stop])
    later = packed_ids(ids, np.dtype(np.uint64), start=10)[1]
    assert (later >> np.uint64(16)).tolist() == (np.flatnonzero(ids >= 65_536) + 10).tolist()


def test_an_unknown_word_waits_as_one():
    np.testing.assert_array_equal(PackedIds(*packed_ids(np.array([-1, 0], np.int32), np.dtype(np.uint64))), [-1, 0])


@pytest.mark.slow
def test_upper_bits_are_kept_in_the_smallest_way():
    def kind(n_words, rare_count, frequent_count):
        counts = np.append(np.full(1 << 16, frequent_count), np.full(n_words - (1 << 16), rare_count))
        return upper_type(Vocabulary(np.empty(0, np.uint8), np.zeros(n_words + 1, np.int64), counts))

    assert kind(1 << 17, rare_count=1, frequent_count=100) == np.uint64  # few have some
    assert kind(1 << 17, rare_count=50, frequent_count=100) == np.uint8
    assert kind((1 << 24) + 1, rare_count=50, frequent_count=100) == np.uint16


def test_a_corpus_takes_less_than_half_of_its_text():
    generator = np.random.default_rng(0)
    numbers = np.append(generator.zipf(1.2, 900_000) % 400_000, np.arange(100_000))
    texts = [" ".join(f"{number:x}word" for number in part) for part in np.split(numbers, 1_000)]
    corpus = encode(batches(texts, 100))
    assert len(corpus.vocabulary) > 1 << 16
    assert corpus.files.n_bytes < 0.5 * sum(map(len, texts))
    assert decoded(corpus)[7] == texts[7].split()


def test_parts_of_a_corpus_cover_it_once(monkeypatch):
    monkeypatch.setattr(encoded, "IDS_AT_ONCE", 4)
    documents = [[0, 1], [], [1] * 9, [0], [1, 1, 0]]
    corpus = EncodedCorpus.of(documents, Vocabulary.from_words(["a", "b"], [1, 2]))
    parts = list(corpus.parts())
    assert [first for first, _ in parts[1:]] == [last for _, last in parts[:-1]]
    found = []
    for first, last in parts:
        ids, offsets = corpus.part(first, last)
        found += [ids[start:stop].tolist() for start, stop in pairwise(offsets.tolist())]
    assert found == documents
    assert parts == [(0, 3), (3, 5)]
    assert list(corpus.parts(2, 2)) == []
