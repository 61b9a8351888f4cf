"""The values of the paper: their shape, and that they agree with what its text says."""

import pytest

from doc2vecc_paper import claims
from doc2vecc_paper.published import (
    ANALOGY_GROWTH,
    ANALOGY_SECTIONS,
    CLOSEST_TO_ZERO,
    IMDB_ERROR,
    IMDB_TIME,
    SICK,
    SICK_SOURCES,
    WIKIPEDIA_ERROR,
    Name,
)

TABLES = [IMDB_ERROR, IMDB_TIME, *ANALOGY_GROWTH.values(), ANALOGY_SECTIONS, WIKIPEDIA_ERROR, SICK]


def test_a_table_is_complete_and_has_a_place():
    for table in TABLES:
        assert table.place.startswith(("Table ", "Figure "))
        assert all(len(row) == len(table.columns) for row in table.rows.values())
        assert Name.DOC2VECC in table.rows or Name.DOC2VECC in table.columns


def test_one_value():
    assert IMDB_ERROR.value("Doc2VecC", "include test") == 10.48
    assert IMDB_ERROR.value("Skip-thought Vectors", "include test") is None
    assert IMDB_ERROR.value("a method of ours", "include test") is None
    with pytest.raises(ValueError, match="not in tuple"):
        IMDB_ERROR.value("Doc2VecC", "with test")


def test_the_claims_are_those_of_the_tables():
    """What the text says in other words, and a slip of the finger would contradict."""
    error = {method: row[0] for method, row in IMDB_ERROR.rows.items() if row[0] is not None}
    assert min(error, key=error.get) == Name.DOC2VECC
    assert 100 * (1 - error[Name.DOC2VECC] / error[Name.BOW]) == pytest.approx(15, abs=2)
    assert round(error[Name.WORD2VEC_AVG], 1) == claims.SUBSAMPLING.values["Word2Vec + AVG with"]
    full = ANALOGY_GROWTH[50].rows
    assert 100 * (full[Name.DOC2VECC][-1] / full[Name.WORD2VEC][-1] - 1) == pytest.approx(20, abs=1)
    for column in range(4):
        assert min(WIKIPEDIA_ERROR.rows.values(), key=lambda row: row[column]) == WIKIPEDIA_ERROR.rows[Name.DOC2VECC]
    sizes = claims.SICK_DATA.values
    assert sizes["train"] + sizes["trial"] + sizes["test"] == sizes["pairs"]


def test_doc2vecc_loses_only_two_sections_of_the_analogies():
    losses = [section for section, (word2vec, doc2vecc) in ANALOGY_SECTIONS.rows.items() if doc2vecc < word2vec]
    assert losses == ["currency", "family"]
    assert len(ANALOGY_SECTIONS.rows) == 14


def test_words_closest_to_zero_are_above_the_cut_off():
    cut_off = claims.CLOSEST_TO_ZERO_DATA.values["min count"]
    assert all(word.occurrences >= cut_off for words in CLOSEST_TO_ZERO.values() for word in words)
    assert [len(words) for words in CLOSEST_TO_ZERO.values()] == [11, 13, 13]


def test_every_row_of_the_literature_has_its_source():
    assert set(SICK_SOURCES) == set(SICK.rows) - {Name.DOC2VECC}


def test_every_claim_is_listed():
    found = [value for value in vars(claims).values() if isinstance(value, claims.Claim)]
    assert len(found) == len(claims.CLAIMS)
    assert all(claim in claims.CLAIMS for claim in found)
