"""What a vocabulary that others wrote must hold, beyond arrays of the right shapes and offsets inside of them."""

import pyarrow as pa
import pyarrow.compute as pc

from doc2vecc.corpus.vocabulary import Vocabulary
from doc2vecc.rules import MAX_NGRAM

LARGEST_COUNT = 1 << 48  # occurrences of a word: the sum over all words must not overflow
_NGRAMS_AT_ONCE = 1 << 16


def problem_of(vocabulary: Vocabulary) -> str | None:
    """Say what is wrong with a vocabulary, or None.

    >>> problem_of(Vocabulary.from_words(["good", "film"], [3, -2]))
    'a word occurs less than never, or too often'
    """
    counts, words, starts = vocabulary.counts, vocabulary.word_bytes, vocabulary.word_offsets[:-1]
    if not (counts.min() >= 0 and counts.max() <= LARGEST_COUNT):
        return "a word occurs less than never, or too often"
    begins_inside = words[starts[starts < len(words)]] & 0xC0 == 0x80  # a byte in the middle of a character
    if begins_inside.any() or not _is_utf8(vocabulary):
        return "a word is not valid UTF-8"
    if vocabulary.longest_ngram > MAX_NGRAM:
        return f"an n-gram has more than {MAX_NGRAM} words"
    if not _are_joined(vocabulary):
        return "an n-gram is not the text of its words"
    return None


def _is_utf8(vocabulary: Vocabulary) -> bool:
    """Return whether all words together are UTF-8; a tokenizer of the user's own may give lone surrogates."""
    try:
        vocabulary.as_arrow().cast(pa.large_string())
    except pa.ArrowInvalid:
        try:
            vocabulary.word_bytes.tobytes().decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return False
    return True


def _are_joined(vocabulary: Vocabulary) -> bool:
    """Return whether the text of every n-gram is that of its beginning, a blank and its last word."""
    texts = vocabulary.as_arrow()
    blank = pa.scalar(b" ", pa.large_binary())
    for first in range(0, len(vocabulary.ngrams), _NGRAMS_AT_ONCE):
        parts = vocabulary.ngrams[first : first + _NGRAMS_AT_ONCE]
        joined = pc.binary_join_element_wise(texts.take(parts[:, 0]), texts.take(parts[:, 1]), blank)
        if not joined.equals(texts.slice(vocabulary.n_words + first, len(parts))):
            return False
    return True
