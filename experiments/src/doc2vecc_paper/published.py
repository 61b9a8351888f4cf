"""The tables of the paper. Only here and in ``claims.py`` are values typed in by hand.

M. Chen, Efficient Vector Representation for Documents through Corruption, ICLR 2017. Tables and figures are
numbered in the order of the paper's LaTeX source.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Name(StrEnum):
    """What a method is called in all tables.

    The paper's "ParagraphVectors", "ParaVectors" and "Doc2Vec" are "Paragraph Vectors" here, its "Denoising
    Autoencoders" are "DEA".
    """

    BOW = "BOW"
    RNN_LM = "RNN-LM"
    DEA = "DEA"
    WORD2VEC = "Word2Vec"
    WORD2VEC_AVG = "Word2Vec + AVG"
    WORD2VEC_IDF = "Word2Vec + IDF"
    PARAGRAPH_VECTORS = "Paragraph Vectors"
    SKIP_THOUGHT = "Skip-thought Vectors"
    DOC2VECC = "Doc2VecC"


@dataclass(frozen=True)
class PublishedTable:
    """A table of the paper: a row for each method, a value for each column, None where the paper has none."""

    place: str
    caption: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[float | None, ...]]

    def value(self, row: str, column: str) -> float | None:
        """Return one value: ("Doc2VecC", "include test") -> 10.48; None for a method that the paper lacks."""
        place = self.columns.index(column)
        return self.rows[row][place] if row in self.rows else None


class CountedWord(NamedTuple):
    """A word, and how often it occurs in the training texts."""

    word: str
    occurrences: int


IMDB_ERROR = PublishedTable(
    place="Table 1, section 4.2",
    caption="Classification error of a linear classifier trained on various document representations, IMDB",
    columns=("include test", "exclude test"),
    rows={
        Name.BOW: (12.53, 12.59),
        Name.RNN_LM: (13.59, 13.59),
        Name.DEA: (11.58, 12.54),
        Name.WORD2VEC_AVG: (12.11, 12.69),
        Name.WORD2VEC_IDF: (11.28, 11.92),
        Name.PARAGRAPH_VECTORS: (10.81, 12.10),
        Name.SKIP_THOUGHT: (None, 17.42),
        Name.DOC2VECC: (10.48, 11.70),
    },
)

# Intel i7, 2.2 GHz. Generation is for the 25,000 test documents; the learning time of Skip-thought is the time to
# generate the vectors of the 25,000 training documents with a pretrained model.
IMDB_TIME = PublishedTable(
    place="Table 2, section 4.2",
    caption="Learning time and representation generation time, IMDB",
    columns=("learning", "generation"),
    rows={
        Name.DEA: (3 * 60 + 23, 7),
        Name.WORD2VEC_IDF: (2 * 60 + 33, 7),
        Name.PARAGRAPH_VECTORS: (4 * 60 + 54, 4 * 60 + 17),
        Name.SKIP_THOUGHT: (2 * 3600, 2 * 3600),
        Name.DOC2VECC: (4 * 60 + 30, 7),
    },
)

CLOSEST_TO_ZERO_PLACE = "Table 3, section 4.2"
CLOSEST_TO_ZERO_CAPTION = "Words with embeddings closest to 0, IMDB, cut-off 100"
CLOSEST_TO_ZERO: Mapping[str, tuple[CountedWord, ...]] = {
    Name.WORD2VEC: (
        CountedWord("harp", 118),
        CountedWord("distasteful", 115),
        CountedWord("switzerland", 101),
        CountedWord("shabby", 103),
        CountedWord("fireworks", 101),
        CountedWord("heavens", 100),
        CountedWord("thornton", 108),
        CountedWord("endeavor", 100),
        CountedWord("dense", 108),
        CountedWord("circumstance", 119),
        CountedWord("debacle", 103),
    ),
    Name.PARAGRAPH_VECTORS: (
        CountedWord("harp", 118),
        CountedWord("dense", 108),
        CountedWord("reels", 115),
        CountedWord("fireworks", 101),
        CountedWord("its'", 103),
        CountedWord("unnoticed", 112),
        CountedWord("pony", 102),
        CountedWord("fulfilled", 107),
        CountedWord("heavens", 100),
        CountedWord("bliss", 110),
        CountedWord("canned", 114),
        CountedWord("shabby", 103),
        CountedWord("debacle", 103),
    ),
    Name.DOC2VECC: (
        CountedWord(",", 1099319),
        CountedWord(".", 1306691),
        CountedWord("the", 1340408),
        CountedWord("of", 581667),
        CountedWord("and", 651119),
        CountedWord("up", 49871),
        CountedWord("to", 537570),
        CountedWord("that", 275240),
        CountedWord("time", 48205),
        CountedWord("endeavor", 100),
        CountedWord("here", 21118),
        CountedWord("way", 31302),
        CountedWord("own", 13456),
    ),
}

# The figure prints its values above the bars. By its caption, only questions whose words are among the 30,000 most
# frequent words count. The training data are WMT English news; a column is the number of training paragraphs.
ANALOGY_GROWTH: Mapping[int, PublishedTable] = {
    50: PublishedTable(
        place="Figure 2 (a), section 4.3",
        caption="Accuracy on the word analogy test, h = 50, with growing training data",
        columns=("1M", "2M", "4M", "8M", "15M"),
        rows={
            Name.PARAGRAPH_VECTORS: (3.8, 6.1, 8.3, 9.1, 13.3),
            Name.WORD2VEC: (18.7, 26.4, 32.7, 36.1, 38.9),
            Name.DOC2VECC: (20.3, 28.1, 36.4, 42.5, 46.7),
        },
    ),
    100: PublishedTable(
        place="Figure 2 (b), section 4.3",
        caption="Accuracy on the word analogy test, h = 100, with growing training data",
        columns=("1M", "2M", "4M", "8M", "15M"),
        rows={
            Name.PARAGRAPH_VECTORS: (5.1, 7.5, 10.9, 10.2, 10.2),
            Name.WORD2VEC: (23.6, 34.7, 42.4, 48.2, 50.7),
            Name.DOC2VECC: (24.3, 34.1, 44.1, 52.6, 58.2),
        },
    ),
}

# The text calls it table 5, but it is the fourth table of the source. h = 100, all training data.
ANALOGY_SECTIONS = PublishedTable(
    place="Table 4, section 4.3",
    caption="Top 1 accuracy on the 5 types of semantic and 9 types of syntactic questions",
    columns=(Name.WORD2VEC, Name.DOC2VECC),
    rows={
        "capital-common-countries": (73.59, 81.82),
        "capital-world": (67.94, 77.96),
        "currency": (17.14, 12.86),
        "city-in-state": (34.49, 42.86),
        "family": (68.71, 64.62),
        "gram1-adjective-to-adverb": (19.25, 20.32),
        "gram2-opposite": (14.07, 25.54),
        "gram3-comparative": (60.21, 74.47),
        "gram4-superlative": (52.87, 55.40),
        "gram5-present-participle": (56.34, 65.81),
        "gram6-nationality-adjective": (88.71, 91.03),
        "gram7-past-tense": (47.05, 51.86),
        "gram8-plural": (50.28, 61.27),
        "gram9-plural-verbs": (25.38, 39.69),
    },
)

# The paper's table transposed, so that a row is a method as in the other tables.
WIKIPEDIA_ERROR = PublishedTable(
    place="Table 5, section 4.4",
    caption="Classification error of a linear classifier trained on various document representations, Wikipedia",
    columns=("h = 100", "h = 200", "h = 500", "h = 1000"),
    rows={
        Name.BOW: (36.03, 36.03, 36.03, 36.03),
        Name.DEA: (32.30, 31.36, 31.10, 31.13),
        Name.WORD2VEC_AVG: (33.2, 32.46, 32.02, 31.78),
        Name.WORD2VEC_IDF: (33.16, 32.48, 32.13, 32.06),
        Name.PARAGRAPH_VECTORS: (35.78, 34.92, 33.93, 33.02),
        Name.DOC2VECC: (31.92, 30.84, 30.43, 30.24),
    },
)

# All rows but the last are quoted from the literature; SICK_SOURCES says where the paper takes them from.
SICK = PublishedTable(
    place="Table 6, section 4.5",
    caption="Test set results on the SICK semantic relatedness task",
    columns=("Pearson", "Spearman", "MSE"),
    rows={
        "Illinois-LH": (0.7993, 0.7538, 0.3692),
        "UNAL-NLP": (0.8070, 0.7489, 0.3550),
        "Meaning Factory": (0.8268, 0.7721, 0.3224),
        "ECNU": (0.8279, 0.7689, 0.3250),
        Name.WORD2VEC_AVG: (0.7577, 0.6738, 0.4557),
        "DT-RNN": (0.7923, 0.7319, 0.3822),
        "SDT-RNN": (0.7900, 0.7304, 0.3848),
        "LSTM": (0.8528, 0.7911, 0.2831),
        "Bidirectional LSTM": (0.8567, 0.7966, 0.2736),
        "Dependency Tree-LSTM": (0.8676, 0.8083, 0.2532),
        "combine-skip": (0.8584, 0.7916, 0.2687),
        Name.DOC2VECC: (0.8381, 0.7621, 0.3053),
    },
)

SICK_SOURCES: Mapping[str, str] = {
    "Illinois-LH": "submission to the SemEval 2014 competition",
    "UNAL-NLP": "submission to the SemEval 2014 competition",
    "Meaning Factory": "submission to the SemEval 2014 competition",
    "ECNU": "submission to the SemEval 2014 competition",
    Name.WORD2VEC_AVG: 'baseline reported by Tai et al. 2015, as "Mean vectors (Word2Vec + avg)"',
    "DT-RNN": "Socher et al. 2014, reported by Tai et al. 2015",
    "SDT-RNN": "Socher et al. 2014, reported by Tai et al. 2015",
    "LSTM": "Tai et al. 2015",
    "Bidirectional LSTM": "Tai et al. 2015",
    "Dependency Tree-LSTM": "Tai et al. 2015",
    "combine-skip": "skip-thought vectors, Kiros et al. 2015",
}
