"""Every figure of the paper, each with its place; the only numbers of the experiments that are typed in by hand.

M. Chen, Efficient Vector Representation for Documents through Corruption, ICLR 2017. Tables and figures are
numbered in the order of the paper's LaTeX source. A method has one name here, whatever a table calls it: the
paper's "ParagraphVectors", "ParaVectors" and "Doc2Vec" are "Paragraph Vectors", its "Denoising Autoencoders" "DEA".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

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
    """A table of the paper: a row for each method, a figure for each column, None where the paper has none."""

    place: str
    caption: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[float | None, ...]]

    def figure(self, row: str, column: str) -> float | None:
        """Return one figure: ("Doc2VecC", "include test") -> 10.48; None for a method that the paper lacks."""
        place = self.columns.index(column)
        return self.rows[row][place] if row in self.rows else None


class CountedWord(NamedTuple):
    """A word, and how often it occurs in the learning set."""

    word: str
    occurrences: int


class Claim(NamedTuple):
    """Something that the text says: where, what, and its figures by name."""

    place: str
    says: str
    figures: Mapping[str, float]


IMDB_ERROR = PublishedTable(
    place="Table 1, section 4.2",
    caption="Classification error of a linear classifier trained on various document representations, IMDB",
    columns=("include test", "exclude test"),
    rows={
        BOW: (12.53, 12.59),
        RNN_LM: (13.59, 13.59),
        DEA: (11.58, 12.54),
        WORD2VEC_AVG: (12.11, 12.69),
        WORD2VEC_IDF: (11.28, 11.92),
        PARAGRAPH_VECTORS: (10.81, 12.10),
        SKIP_THOUGHT: (None, 17.42),
        DOC2VECC: (10.48, 11.70),
    },
)

# Intel i7, 2.2 GHz. Generation is for the 25,000 test documents; the learning time of Skip-thought is what it takes
# to generate the vectors of the 25,000 training documents with a model that was there before.
IMDB_TIME = PublishedTable(
    place="Table 2, section 4.2",
    caption="Learning time and representation generation time, IMDB",
    columns=("learning", "generation"),
    rows={
        DEA: (3 * 60 + 23, 7),
        WORD2VEC_IDF: (2 * 60 + 33, 7),
        PARAGRAPH_VECTORS: (4 * 60 + 54, 4 * 60 + 17),
        SKIP_THOUGHT: (2 * 3600, 2 * 3600),
        DOC2VECC: (4 * 60 + 30, 7),
    },
)

CLOSEST_TO_ZERO_PLACE = "Table 3, section 4.2"
CLOSEST_TO_ZERO_CAPTION = "Words with embeddings closest to 0, IMDB, cut-off 100"
CLOSEST_TO_ZERO: Mapping[str, tuple[CountedWord, ...]] = {
    WORD2VEC: (
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
    PARAGRAPH_VECTORS: (
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
    DOC2VECC: (
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

# The figure prints its values above the bars. Its caption: only questions whose words are among the 30,000 most
# frequent. The training data are WMT English news; a column is the number of paragraphs learned from.
ANALOGY_GROWTH: Mapping[int, PublishedTable] = {
    50: PublishedTable(
        place="Figure 2 (a), section 4.3",
        caption="Accuracy on the word analogy test, h = 50, with growing training data",
        columns=("1M", "2M", "4M", "8M", "15M"),
        rows={
            PARAGRAPH_VECTORS: (3.8, 6.1, 8.3, 9.1, 13.3),
            WORD2VEC: (18.7, 26.4, 32.7, 36.1, 38.9),
            DOC2VECC: (20.3, 28.1, 36.4, 42.5, 46.7),
        },
    ),
    100: PublishedTable(
        place="Figure 2 (b), section 4.3",
        caption="Accuracy on the word analogy test, h = 100, with growing training data",
        columns=("1M", "2M", "4M", "8M", "15M"),
        rows={
            PARAGRAPH_VECTORS: (5.1, 7.5, 10.9, 10.2, 10.2),
            WORD2VEC: (23.6, 34.7, 42.4, 48.2, 50.7),
            DOC2VECC: (24.3, 34.1, 44.1, 52.6, 58.2),
        },
    ),
}

# The text calls it table 5, but it is the fourth of the source. h = 100, all of the training data.
ANALOGY_SECTIONS = PublishedTable(
    place="Table 4, section 4.3",
    caption="Top 1 accuracy on the 5 types of semantic and 9 types of syntactic questions",
    columns=(WORD2VEC, DOC2VECC),
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

# Rows and columns are those of the paper exchanged, so that a row is a method as in the other tables.
WIKIPEDIA_ERROR = PublishedTable(
    place="Table 5, section 4.4",
    caption="Classification error of a linear classifier trained on various document representations, Wikipedia",
    columns=("h = 100", "h = 200", "h = 500", "h = 1000"),
    rows={
        BOW: (36.03, 36.03, 36.03, 36.03),
        DEA: (32.30, 31.36, 31.10, 31.13),
        WORD2VEC_AVG: (33.2, 32.46, 32.02, 31.78),
        WORD2VEC_IDF: (33.16, 32.48, 32.13, 32.06),
        PARAGRAPH_VECTORS: (35.78, 34.92, 33.93, 33.02),
        DOC2VECC: (31.92, 30.84, 30.43, 30.24),
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
        WORD2VEC_AVG: (0.7577, 0.6738, 0.4557),
        "DT-RNN": (0.7923, 0.7319, 0.3822),
        "SDT-RNN": (0.7900, 0.7304, 0.3848),
        "LSTM": (0.8528, 0.7911, 0.2831),
        "Bidirectional LSTM": (0.8567, 0.7966, 0.2736),
        "Dependency Tree-LSTM": (0.8676, 0.8083, 0.2532),
        "combine-skip": (0.8584, 0.7916, 0.2687),
        DOC2VECC: (0.8381, 0.7621, 0.3053),
    },
)

SICK_SOURCES: Mapping[str, str] = {
    "Illinois-LH": "submission to the SemEval 2014 competition",
    "UNAL-NLP": "submission to the SemEval 2014 competition",
    "Meaning Factory": "submission to the SemEval 2014 competition",
    "ECNU": "submission to the SemEval 2014 competition",
    WORD2VEC_AVG: 'baseline reported by Tai et al. 2015, as "Mean vectors (Word2Vec + avg)"',
    "DT-RNN": "Socher et al. 2014, reported by Tai et al. 2015",
    "SDT-RNN": "Socher et al. 2014, reported by Tai et al. 2015",
    "LSTM": "Tai et al. 2015",
    "Bidirectional LSTM": "Tai et al. 2015",
    "Dependency Tree-LSTM": "Tai et al. 2015",
    "combine-skip": "skip-thought vectors, Kiros et al. 2015",
}

SUBSAMPLING = Claim(
    "section 4.2, Subsampling frequent words",
    "all figures are with subsampling of frequent words; without it the IMDB error of Word2Vec + AVG rises, while "
    "Doc2VecC does not rely on it (no figure is given for Doc2VecC without it)",
    {"Word2Vec + AVG with": 12.1, "Word2Vec + AVG without": 13.2},
)
CORRUPTION_RATE = Claim(
    "section 4.2, Time",
    "DEA and Doc2VecC are not sensitive to the corruption rate q, and learn faster with a higher one (no figures "
    "are given for other rates); q = 0.9 throughout",
    {"q": 0.9},
)
BEATS_BOW = Claim(
    "section 4.2, Accuracy",
    "Doc2VecC and Paragraph Vectors beat the IMDB error of BOW by 15 %",
    {"relative gain %": 15},
)
IMDB_DATA = Claim(
    "section 4.2",
    "reviews for training, for testing, and in all; words that appear 10 times at least; mean length of a review; "
    "all vectors but those of Skip-thought have 100 dimensions",
    {
        "train": 25_000,
        "test": 25_000,
        "reviews": 100_000,
        "min count": 10,
        "vocabulary": 43_375,
        "mean length": 296.5,
        "dimensions": 100,
        "dimensions of Skip-thought": 4_800,
    },
)
CLOSEST_TO_ZERO_DATA = Claim(
    "section 4.2, Data dependent regularization",
    "frequent but uninformative words have the shortest vectors; for this experiment the cut-off is 100",
    {"min count": 100},
)
ANALOGY_DATA = Claim(
    "section 4.3",
    "questions, and the training data: WMT English news, close to 15M paragraphs; the most frequent words that "
    "questions are limited to in figure 2",
    {
        "semantic": 8_869,
        "syntactic": 10_675,
        "paragraphs": 15_000_000,
        "tokens": 355_000_000,
        "words of figure 2": 30_000,
    },
)
ANALOGY_UPLIFT = Claim(
    "section 4.3",
    "Doc2VecC is close to 20 % better than Word2Vec when trained on all of the data",
    {"relative gain %": 20},
)
WIKIPEDIA_DATA = Claim(
    "section 4.4",
    "over 300,000 pages, of which 1,000 in each of 100 categories are labeled: 100 to train and 900 to test on",
    {
        "pages": 300_000,
        "classes": 100,
        "train of a class": 100,
        "test of a class": 900,
        "min count": 10,
        "vocabulary": 107_691,
    },
)
COARSE_CATEGORIES = Claim(
    "figure 4, section 4.4",
    "documents of seven hand-made groups (television, albums, writers, musicians, athletes, species, actors) are "
    "close together in a t-SNE picture; figure 3 is such a picture of all categories (neither has figures)",
    {"groups": 7},
)
SICK_DATA = Claim(
    "section 4.5",
    "pairs for training, validation and testing; the book corpus of over one billion words that is learned from",
    {"pairs": 9_927, "train": 4_500, "trial": 500, "test": 4_927, "books": 11_038, "words": 1_000_000_000},
)
BOOK_CORPUS_TIME = Claim(
    "section 4.5",
    "learning from the book corpus takes less than 2 hours on an Intel i7 of 2.2 GHz, and 2 weeks on a GPU for "
    "Skip-thought",
    {"hours of Doc2VecC, less than": 2, "weeks of Skip-thought": 2},
)

TRAINING_SPEED = Claim(
    "abstract",
    "the simplicity of the model enables training on billions of words per hour on a single machine",
    {"words per hour, at least": 1_000_000_000},
)
NOISE_WORDS = Claim(
    "section 3",
    "negative samples are drawn from a uniform distribution over the vocabulary (how many of them is not given)",
    {},
)

CLAIMS = (
    TRAINING_SPEED,
    NOISE_WORDS,
    IMDB_DATA,
    BEATS_BOW,
    CORRUPTION_RATE,
    CLOSEST_TO_ZERO_DATA,
    SUBSAMPLING,
    ANALOGY_DATA,
    ANALOGY_UPLIFT,
    WIKIPEDIA_DATA,
    COARSE_CATEGORIES,
    SICK_DATA,
    BOOK_CORPUS_TIME,
)
