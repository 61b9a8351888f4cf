"""What the text of the paper says beside its tables: where, in short, and with which values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Claim(NamedTuple):
    """A statement of the text: its place, what it says, and its values by name."""

    place: str
    says: str
    values: Mapping[str, float]


SUBSAMPLING = Claim(
    "section 4.2, Subsampling frequent words",
    "all values are with subsampling of frequent words; without it the IMDB error of Word2Vec + AVG rises, while "
    "Doc2VecC does not rely on it (no value is given for Doc2VecC without it)",
    {"Word2Vec + AVG with": 12.1, "Word2Vec + AVG without": 13.2},
)
CORRUPTION_RATE = Claim(
    "section 4.2, Time",
    "DEA and Doc2VecC are not sensitive to the corruption rate q, and train faster with a higher one (no values "
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
    "number of training, test and all reviews; words that occur at least 10 times; mean length of a review; all "
    "vectors but those of Skip-thought have 100 dimensions",
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
    "frequent but uninformative words have the shortest vectors; in this experiment words occur at least 100 times",
    {"min count": 100},
)
ANALOGY_DATA = Claim(
    "section 4.3",
    "number of questions; the training data are WMT English news, close to 15M paragraphs; figure 2 is limited to "
    "questions about the most frequent words",
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
    "over 300,000 pages, of which 1,000 in each of 100 categories are labeled: 100 for training, 900 for testing",
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
    "close together in a t-SNE map; figure 3 is such a map of all categories (neither has values)",
    {"groups": 7},
)
SICK_DATA = Claim(
    "section 4.5",
    "number of training, validation and test pairs; the training corpus is over one billion words of books",
    {"pairs": 9_927, "train": 4_500, "trial": 500, "test": 4_927, "books": 11_038, "words": 1_000_000_000},
)
BOOK_CORPUS_TIME = Claim(
    "section 4.5",
    "training on the book corpus takes less than 2 hours on an Intel i7 of 2.2 GHz; Skip-thought takes 2 weeks on "
    "a GPU",
    {"hours of Doc2VecC, less than": 2, "weeks of Skip-thought": 2},
)

TRAINING_SPEED = Claim(
    "abstract",
    "the simplicity of the model enables training on billions of words per hour on a single machine",
    {"words per hour, at least": 1_000_000_000},
)
NEGATIVE_SAMPLES = Claim(
    "section 3",
    "negative samples are drawn from a uniform distribution over the vocabulary (how many of them is not given)",
    {},
)

CLAIMS = (
    TRAINING_SPEED,
    NEGATIVE_SAMPLES,
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
