"""The scanner over bytes equals the plain tokenizer, on anything."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from doc2vecc.corpus.numbering import CallableNumbering, ScannedNumbering, merge
from doc2vecc.corpus.tokenizer import scanner_alphabet, symbol_of, tokenize
from doc2vecc.kernels.text.tokens import LONG_WORD, SHORT, Scan, leading_letters, line_break_length
from doc2vecc.kernels.text.words import WordIndex, find_slot, home_slot, insert_words

# Characters at every corner of the rule, so that random texts meet them often.
CORNERS = (
    "aZ'-.,()!?;:\"<>/bBrR \t\n\r\f\0\x85\u00a0\u00ad"
    "\u200b\u200d\ufeff\ufe0f’“”—…·İßΣςſKÅȺ\u2028😀👍🏽🇩🇪中文שלוםمرحبا؟\U0002070e\U000e0041"
)
TEXTS = st.lists(
    st.text(st.one_of(st.sampled_from(CORNERS), st.characters(exclude_categories=["Cs"])), max_size=40)
)


def scanned_tokens(texts):
    """Tokens of each text, by way of the scanner: numbers and then words."""
    numbering = ScannedNumbering()
    numbered = numbering.number(pa.array(texts, pa.large_string()))
    words = numbering.counted().words
    bounds = np.cumsum([0, *numbered.lengths])
    return [[words[i] for i in numbered.ids[a:b]] for a, b in pairwise(bounds)]


@given(TEXTS)
@settings(max_examples=400, deadline=None)
@example(["<br><BR/><br  / >x<br", "<b<br>", "<br\u00ad>", "<\u00adbr>"])
@example(["\ud7ff\ue000", "Ⱥ" * 20, "İ" * 9, "K" * 8])
def test_scanner_equals_reference(texts):
    assert scanned_tokens(texts) == [tokenize(text) for text in texts]


def test_every_code_point_by_itself():
    texts = [f"x{chr(point)}Y" for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    numbering = ScannedNumbering()
    numbered = numbering.number(pa.array(texts, pa.large_string()))
    words = np.array(numbering.counted().words, object)
    expected = [token for text in texts for token in tokenize(text)]
    assert words[numbered.ids].tolist() == expected


def test_words_longer_than_a_key_are_compared_whole():
    """Words that differ only at the end, beyond what fits into a key."""
    words = ["x" * SHORT, "x" * (SHORT + 1), *("w" * 40 + chr(97 + i) for i in range(26)), "w" * 41]
    assert scanned_tokens([" ".join(words)]) == [words]
    assert len(set(words)) == len(words) - 1


def test_equal_hashes_of_different_long_words_are_told_apart():
    """Force every long word to one key: only the comparison of bytes keeps them apart."""
    words = ["abcdefgh", "abcdefgi", "abcdefghi"]
    index = WordIndex(
        np.zeros((16, 2), np.uint64),
        np.frombuffer("".join(words).encode(), np.uint8),
        np.cumsum([0, *map(len, words)]),
    )
    insert_words(np.full(3, LONG_WORD, np.uint64), index.slots)
    text = np.frombuffer(b"ABCDEFGHI", np.uint8)
    for start, end, expected in ((0, 8, 0), (0, 9, 2)):
        scan = Scan(np.uint64(LONG_WORD), start, end, end - start)
        slot = find_slot(text, scan, scanner_alphabet(), index)
        assert index.slots[slot, 1] == expected + 1


@pytest.mark.parametrize(
    ("tag", "length"),
    [
        ("<br>", 4),
        ("<BR />x", 6),
        ("<br\t/\n>", 7),
        ("<br", 0),
        ("<b>", 0),
        ("<brx>", 0),
        ("<br / x>", 0),
        ("<br//>", 0),
    ],
)
def test_line_breaks(tag, length):
    text = np.frombuffer(tag.encode(), np.uint8)
    assert line_break_length(text, 0, len(text)) == length


def test_what_was_numbered_is_not_written_over(monkeypatch):
    """The numbers of all texts stand in shared room; each text keeps its own."""
    monkeypatch.setattr("doc2vecc.corpus.numbering._IDS_AT_ONCE", 5)
    numbering = ScannedNumbering()
    numbered = [numbering.number(pa.array(["a b " * length], pa.large_string())) for length in range(6)]
    assert [found.ids.tolist() for found in numbered] == [[0, 1] * length for length in range(6)]


@pytest.mark.parametrize("letters", range(9))
def test_letters_are_split_off_eight_bytes(letters):
    for rest in (b"        ", b"{`@[\x00\x7f\xc3\xff", b"1z2Z3a4A"):
        eight = (b"aZmNxYbC"[:letters] + rest)[:8]
        key, found = leading_letters(np.uint64(int.from_bytes(eight, "little")))
        assert found == letters
        assert int(key).to_bytes(8, "little") == eight[:letters].lower().ljust(8, b"\0")


def test_numbering_grows_and_stops_at_full_buffers(monkeypatch):
    """More words and more tokens than the first allocation holds."""
    monkeypatch.setattr("doc2vecc.corpus.numbering._FIRST_WORDS", 8)
    monkeypatch.setattr("doc2vecc.corpus.numbering._IDS_AT_ONCE", 7)
    texts = [" ".join(f"w{(i * j) % 97}{'x' * (j % 50)}" for i in range(j)) for j in range(60)]
    assert scanned_tokens(texts) == [tokenize(text) for text in texts]


@pytest.mark.parametrize(
    "make", [ScannedNumbering, lambda: CallableNumbering(tokenize)], ids=["scanned", "callable"]
)
def test_merging_numberings_adds_counts(make):
    first, second = make(), make()
    one = first.number(pa.array(["a b b a-long-word-here"], pa.large_string()))
    two = second.number(pa.array(["c a-long-word-here b b"], pa.large_string()))
    words, translations = merge([first, second])
    counts = dict(zip(words.words, words.counts.tolist(), strict=True))
    assert counts == {"a": 1, "b": 4, "c": 1, "a-long-word-here": 2}
    names = np.array(words.words, object)
    assert names[translations[0][0][one.ids]].tolist() == ["a", "b", "b", "a-long-word-here"]
    assert names[translations[1][0][two.ids]].tolist() == ["c", "a-long-word-here", "b", "b"]


def test_merging_makes_room(monkeypatch):
    """Three numberings have more words together than the first one has room for, and longer ones."""
    monkeypatch.setattr("doc2vecc.corpus.numbering._FIRST_WORDS", 8)
    texts = [" ".join(f"{'x' * (i * k)}w{i * k % 61}" for i in range(40)) for k in (1, 2, 3)]
    numberings = [ScannedNumbering() for _ in texts]
    numbered = [
        numbering.number(pa.array([text], pa.large_string()))
        for numbering, text in zip(numberings, texts, strict=True)
    ]
    words, translations = merge(numberings)
    assert dict(zip(words.words, words.counts.tolist(), strict=True)) == Counter(" ".join(texts).split())
    names = np.array(words.words, object)
    for text, one, (translation,) in zip(texts, numbered, translations, strict=True):
        assert names[translation[one.ids]].tolist() == text.split()


def test_slots_are_within_the_table():
    assert all(0 <= home_slot(np.uint64(key), 64) < 64 for key in range(0, 2**63, 2**57 - 1))


def test_symbols_of_the_papers_marks():
    assert all(tokenize(f"a{mark}b") == ["a", mark, "b"] for mark in '.,()!?;:"')
    words = ["it's", "a", "well-made", "*film*", "8/10", "[sic]", "#1", "$5"]
    assert tokenize(" ".join(words)) == words
    assert chr(symbol_of(ord("Σ"))) == "σ"
