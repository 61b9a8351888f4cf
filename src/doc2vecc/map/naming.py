"""Groups of documents get names: the words and n-grams that set them apart from the others."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import scipy.sparse
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from doc2vecc.map.documents import WordCounts, is_unspaced

SURE_AFTER = 3.0  # documents: the share of a small group counts as if it had so many more with the usual share
CANDIDATES = 60  # words that are looked at for a name
NGRAM_BONUS = 1.2  # for each further word: "New York" says more than "York", and is never more frequent
COMMON = 0.15  # share of the documents: a word of more of them does not begin or end an n-gram in a name

# Counts find the stop words of any language, but not all. A few words of the English list are nouns.
STOP_WORDS = ENGLISH_STOP_WORDS - {"bill", "computer", "fire", "interest", "mill", "mine", "system"}

# Remains of URLs and of HTML: the tokenizer takes "//t.co" and "&gt;" apart.
_DEBRIS = frozenset({"http", "https", "www", "&amp", "&gt", "&lt", "&nbsp", "&quot", "br"})

Groups = npt.NDArray[np.int64]  # the number of the group of every document, -1 for none


def name_groups(counts: WordCounts, groups: Groups, n_words: int = 10) -> list[list[str]]:
    """Return for every group up to ``n_words`` words or n-grams, those that set it apart most first."""
    n_groups = int(groups.max(initial=-1)) + 1
    is_telling = np.array([_is_telling(word) for word in counts.words], bool) & ~_has_common_edge(counts)
    presence, words = counts.presence[:, is_telling], np.array(counts.words, object)[is_telling]
    bonus = NGRAM_BONUS ** np.array([word.count(" ") for word in words], np.float64)
    names = []
    for scores in _scores(presence, groups, n_groups):
        scores *= bonus
        best = np.argsort(-scores, kind="stable")[:CANDIDATES]
        chosen = _without_repetitions([words[place] for place in best if scores[place] > 0])
        names.append([counts.written(word) for word in chosen[:n_words]])
    return names


def distinct_labels(names: list[list[str]], n_words: int = 3) -> list[str]:
    """Join the first words of every name; a word that leads one label does not lead another.

    >>> distinct_labels([["film", "actor", "role"], ["film", "war", "army"], []], 2)
    ['film, actor', 'war, army', '(no words)']
    """
    taken: set[str] = set()
    labels = []
    for name in names:
        ranked = sorted(name, key=lambda word: word in taken)[:n_words]
        taken.update(ranked[:1])
        labels.append(", ".join(ranked) or "(no words)")
    return labels


def _scores(presence: scipy.sparse.csr_matrix, groups: Groups, n_groups: int) -> Iterator[npt.NDArray[np.float64]]:
    """Give for every group the score of every word.

    With s the share of the group's documents that have a word and t that of all documents, it is s log(s / t), what
    the word adds to the divergence of the group from the whole, times log(1 / t) squared, because what many documents
    have (he, or) tells little even where it is more frequent. Class-based tf-idf has the same factors, but counts a
    word that is as frequent everywhere.
    """
    grouped = np.flatnonzero(groups >= 0)
    size = np.bincount(groups[grouped], minlength=n_groups).astype(np.float64)
    shape = (n_groups, presence.shape[0])
    members = scipy.sparse.csr_matrix((np.ones(len(grouped), np.float32), (groups[grouped], grouped)), shape)
    found = (members @ presence).tocsr()
    usual = np.asarray(presence.sum(axis=0), np.float64).ravel() / presence.shape[0]
    rarity = -np.log(np.maximum(usual, 1 / presence.shape[0]))
    for number in range(n_groups):
        share = found[number].toarray().ravel().astype(np.float64)
        share = (share + SURE_AFTER * usual) / (size[number] + SURE_AFTER)
        with np.errstate(divide="ignore", invalid="ignore"):
            yield np.nan_to_num(share * np.log(share / usual) * rarity**2)


def _has_common_edge(counts: WordCounts) -> npt.NDArray[np.bool_]:
    """Tell which n-grams begin or end with a word of many documents: "of the", "and review"."""
    shares = np.asarray(counts.presence.sum(axis=0)).ravel() / counts.presence.shape[0]
    common = {word for word, share in zip(counts.words, shares.tolist(), strict=True) if share > COMMON}
    parts = (word.split(" ") for word in counts.words)
    return np.array([len(words) > 1 and not common.isdisjoint((words[0], words[-1])) for words in parts], bool)


def _is_telling(word: str) -> bool:
    """Tell whether a word can stand in a name: "film" can, "," "1999" "s" "//t" and "film ," cannot.

    A character of a script without spaces is rarely a word by itself.
    """
    parts = word.split(" ")
    if parts[0] in STOP_WORDS or parts[-1] in STOP_WORDS:
        return False
    if any(part in _DEBRIS or part.startswith("//") for part in parts):
        return False
    is_long = all(len(part) > 1 for part in parts) or (len(parts) > 1 and all(map(is_unspaced, parts)))
    return is_long and all(any(letter.isalpha() for letter in part) for part in parts)


def _without_repetitions(words: list[str]) -> list[str]:
    """Leave out words that say no more than a better one: a part of it, or another form.

    >>> _without_repetitions(["world war", "war", "world", "writer", "writers", "the war", "army"])
    ['world war', 'writer', 'army']
    """
    chosen: list[str] = []
    for word in words:
        others = (part for other in chosen for part in other.split(" "))
        if not any(_are_alike(part, other) for other in others for part in word.split(" ")):
            chosen.append(word)
    return chosen


def _are_alike(word: str, other: str) -> bool:
    """Tell whether two words may be forms of one.

    >>> _are_alike("mutation", "mutations"), _are_alike("film", "films"), _are_alike("concert", "concentration")
    (True, True, False)
    """
    shorter, longer = sorted((len(word), len(other)))
    same = max(4, shorter - 2)  # letters at the beginning
    return word == other or (shorter >= same and word[:same] == other[:same] and longer - shorter <= 4)
