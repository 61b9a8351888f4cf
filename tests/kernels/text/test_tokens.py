"""The scanner over bytes equals the plain tokenizer, on anything."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from doc2vecc.corpus.numbering import ScannedNumbering
from doc2vecc.corpus.tokenizer import CHARACTERS_VERSION, symbol_table, tokenize
from doc2vecc.kernels.text.tokens import SHORT, leading_letters, line_break_length

# Characters at every corner of the rule, so that random texts meet them often.
CORNERS = (
    "aZ'-.,()!?;:\"<>/bBrR \t\n\r\f\0\x85\u00a0\u00ad"
    "\u200b\u200d\ufeff\ufe0f’“”—…·İßΣςſKÅȺ\u2028😀👍🏽🇩🇪中文かﾞกิข้าវ្រשלוםمرحبا؟\U0002070e\U000e0041"
)
TEXTS = st.lists(st.text(st.one_of(st.sampled_from(CORNERS), st.characters(exclude_categories=["Cs"])), max_size=40))


def scanned_tokens(texts, version=CHARACTERS_VERSION):
    """Tokens of each text, by way of the scanner: numbers and then words."""
    numbering = ScannedNumbering(version)
    numbered = numbering.number(pa.array(texts, pa.large_string()))
    words = numbering.counted().words
    bounds = np.cumsum([0, *numbered.lengths])
    return [[words[i] for i in numbered.ids[a:b]] for a, b in pairwise(bounds)]


@given(TEXTS)
@settings(max_examples=400, deadline=None)
@example(["<br><BR/><br  / >x<br", "<b<br>", "<br\u00ad>", "<\u00adbr>"])
@example(["中\u0301\u00ad\u0301a\u0301中", "\u0e31a\u0e31", "中\U000e0100\U0003fffd!\u0301"])
@example(["\ud7ff\ue000", "Ⱥ" * 20, "İ" * 9, "K" * 8])
def test_scanner_equals_reference(texts):
    for version in (1, CHARACTERS_VERSION):
        assert scanned_tokens(texts, version) == [tokenize(text, version) for text in texts]


@pytest.mark.slow
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


@pytest.mark.parametrize("letters", range(9))
def test_letters_are_split_off_eight_bytes(letters):
    for rest in (b"        ", b"{`@[\x00\x7f\xc3\xff", b"1z2Z3a4A"):
        eight = (b"aZmNxYbC"[:letters] + rest)[:8]
        key, found = leading_letters(np.uint64(int.from_bytes(eight, "little")))
        assert found == letters
        assert int(key).to_bytes(8, "little") == eight[:letters].lower().ljust(8, b"\0")


def test_symbols_of_the_papers_marks():
    assert all(tokenize(f"a{mark}b") == ["a", mark, "b"] for mark in '.,()!?;:"')
    words = ["it's", "a", "well-made", "*film*", "8/10", "[sic]", "#1", "$5"]
    assert tokenize(" ".join(words)) == words
    assert chr(symbol_table()[ord("Σ")]) == "σ"
