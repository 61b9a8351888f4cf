"""Model: a vocabulary and a vector for each of its words. Embeds documents, finds what is similar, explains."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.config import require
from doc2vecc.corpus.encoded import EncodedCorpus
from doc2vecc.corpus.numbering import Tokenizer, tokens_of
from doc2vecc.corpus.text_column import read_only, text_buffers
from doc2vecc.corpus.token_rules import stopped_tokens
from doc2vecc.corpus.tokenizer import BuiltinTokenizer, scanner_alphabet
from doc2vecc.corpus.vocabulary import Vocabulary
from doc2vecc.errors import UnknownWordError
from doc2vecc.explanation import Explanation, explain
from doc2vecc.kernels.text.embed import EmbeddingModel, embed_ids, embed_texts, embedding_scratch
from doc2vecc.kernels.text.tokens import Alphabet
from doc2vecc.similarity import Vectors as Vectors
from doc2vecc.similarity import close_spellings, normalized, signed_terms, top_k

_BYTES_PER_TASK = 1 << 18  # text that one thread embeds at a time
COMMON, ENOUGH = 10, 1_000  # rarer words are similar to others by chance; left out where so many more common ones exist


class EpochRecord(NamedTuple):
    """One pass over the corpus: mean loss per target, words, seconds."""

    loss: float
    words: int
    seconds: float


@dataclass(frozen=True)
class TrainingRecord:
    """How a model came about: settings, epochs, and what was read."""

    settings: dict[str, Any] = field(default_factory=dict)
    history: list[EpochRecord] = field(default_factory=list)
    report: dict[str, int] = field(default_factory=dict)


@dataclass
class EpochSums:
    """What the chunks of one epoch have added up to."""

    loss: float = 0.0
    targets: int = 0
    words: int = 0
    finished_at: float = 0.0  # seconds of training


@dataclass
class TrainingState:
    """Where a training stands, besides its tables."""

    epochs: list[EpochSums]
    chunks: int = 0  # trained on
    seconds: float = 0.0

    @property
    def words(self) -> int:
        """Words trained on, those of every epoch."""
        return sum(epoch.words for epoch in self.epochs)

    def add(self, epoch: int, words: int, loss: float, targets: int, seconds: float) -> None:
        """Count another chunk."""
        self.chunks += 1
        self.seconds = seconds
        sums = self.epochs[epoch]
        sums.loss += loss
        sums.targets += targets
        sums.words += words
        sums.finished_at = seconds

    def history(self) -> list[EpochRecord]:
        """Return loss per target, words and seconds of every epoch that has begun."""
        begun = [epoch for epoch in self.epochs if epoch.words]
        began_at = [0.0, *(epoch.finished_at for epoch in begun)]
        return [
            EpochRecord(epoch.loss / max(epoch.targets, 1), epoch.words, epoch.finished_at - start)
            for epoch, start in zip(begun, began_at, strict=False)
        ]


class Embedding(NamedTuple):
    """Document vectors, and how many known words, without n-grams, count in each (one with none is a zero row)."""

    vectors: Vectors
    known_words: npt.NDArray[np.int64]


class Model:
    """A trained model.

    ``rows`` may be larger than the vectors: rows beyond the vocabulary and columns beyond ``dim`` (which must be
    zero) are padding that training leaves behind.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        rows: Vectors,
        dim: int,
        *,
        outputs: Vectors,
        tokenizer: Tokenizer | None = None,
        binary: bool = False,
        record: TrainingRecord | None = None,
    ) -> None:
        self.vocabulary = vocabulary
        self.dim = dim
        self.binary = binary  # a document has each of its words and n-grams once
        self.tokenizer = tokenizer or BuiltinTokenizer()
        self.record = record or TrainingRecord()
        self.weights: npt.NDArray[np.float32] | None = None  # what the vectors of words were multiplied by
        self._rows = read_only(rows)
        self._outputs = read_only(outputs)

    @property
    def word_vectors(self) -> Vectors:
        """The vector of every word, (n_words, dim)."""
        return self._rows[: len(self.vocabulary), : self.dim]

    @property
    def outputs(self) -> Vectors:
        """The second table, which predicts words; needed only to continue training."""
        return self._outputs[: len(self.vocabulary), : self.dim]

    @property
    def characters(self) -> int | None:
        """The version of the table of characters of the built-in rule, None with a tokenizer of the user's own."""
        return self.tokenizer.version if isinstance(self.tokenizer, BuiltinTokenizer) else None

    def __getstate__(self) -> dict[str, Any]:
        names = ("vocabulary", "dim", "tokenizer", "binary", "record", "weights")
        state = {name: getattr(self, name) for name in names}
        return state | {"rows": np.array(self.word_vectors), "outputs": np.array(self.outputs)}  # without padding

    def __setstate__(self, state: dict[str, Any]) -> None:
        weights = state.pop("weights", None)
        self.__init__(**state)  # type: ignore[misc]
        self.weights = weights

    def multiply(self, weights: npt.NDArray[np.float32]) -> None:
        """Multiply the vectors of words, in place; done once, at the end of a training."""
        self._rows.flags.writeable = True
        self._rows[: len(weights)] *= weights[:, None]
        self._rows, self.weights = read_only(self._rows), weights
        self.__dict__.pop("_norms", None)

    def tokenize(self, text: str) -> list[str]:
        """Split a text as this model does."""
        return list(tokens_of(self.tokenizer, text))

    def features(self, text: str) -> list[str]:
        """Return what a text counts as: its tokens, and its known n-grams each after its last word."""
        features = self.vocabulary.features(self.tokenize(text))
        return list(dict.fromkeys(features)) if self.binary else features

    def unknown_words(self, text: str) -> list[str]:
        """Return the words of a text that the vocabulary lacks, each once, without punctuation and stop words."""
        stopped, _ = stopped_tokens(self.tokenizer)
        tokens = (one for one in dict.fromkeys(self.tokenize(text)) if one not in stopped)
        return [one for one in tokens if one not in self.vocabulary and any(map(str.isalnum, one))]

    def embed(self, texts: Any, workers: int = 1) -> Embedding:  # noqa: ANN401
        """Embed a ``pa.LargeStringArray``: each document is the mean of its known words and n-grams."""
        means = np.empty((len(texts), self._rows.shape[1]), np.float32)
        known = np.zeros(len(texts), np.int64)
        if self.characters is not None:
            self._embed_bytes(texts, scanner_alphabet(self.characters), means, known, workers)
        else:
            ids = [self.vocabulary.ids_of(self.features(text)) for text in texts.to_pylist()]
            known[:] = [sum(i < self.vocabulary.n_words for i in document) for document in ids]
            offsets = np.cumsum([0, *map(len, ids)], dtype=np.int64)
            all_ids = np.array([i for document in ids for i in document], np.int32)
            embed_ids(all_ids, offsets, self._rows, means, embedding_scratch(self._rows))
        return Embedding(means[:, : self.dim], known)

    def _embed_bytes(
        self,
        texts: Any,  # noqa: ANN401
        rule: Alphabet,
        means: Vectors,
        known: npt.NDArray[np.int64],
        workers: int,
    ) -> None:
        text, offsets = text_buffers(texts)
        vocabulary, ngrams = self.vocabulary, self.vocabulary.ngram_index
        known_ngrams = ngrams if ngrams.longest > 1 else None
        model = EmbeddingModel(rule, vocabulary.index, known_ngrams, self._rows, vocabulary.n_words)

        def embed_part(first: int, last: int) -> None:
            scratch = embedding_scratch(self._rows, ngrams.longest, distinct=self.binary)
            embed_texts(text, offsets[first : last + 1], model, means[first:last], known[first:last], scratch)

        starts = np.searchsorted(offsets, np.arange(int(offsets[0]), int(offsets[-1]), _BYTES_PER_TASK))
        bounds = np.unique([0, *starts.tolist(), len(texts)]).tolist()
        if workers == 1 or len(bounds) <= 2:
            embed_part(0, len(texts))
        else:
            with ThreadPoolExecutor(workers) as pool:
                list(pool.map(embed_part, bounds[:-1], bounds[1:]))

    def embed_corpus(self, corpus: EncodedCorpus) -> Vectors:
        """Embed the documents of a corpus that was encoded as the one this model was learned from."""
        means = np.empty((len(corpus), self._rows.shape[1]), np.float32)
        for first, last in corpus.parts():
            embed_ids(*corpus.part(first, last), self._rows, means[first:last], embedding_scratch(self._rows))
        return means[:, : self.dim]

    def similar_words(
        self, words: str | Sequence[str], k: int = 10, min_count: int | None = None
    ) -> list[tuple[str, float]]:
        """Return the ``k`` nearest words with their cosine similarities; also of "king - man + woman", ["oil", "gas"].

        Adjacent words are an n-gram if the model knows it, otherwise a sum. The answers occur ``min_count`` times in
        the training texts; by default 10 times if at least 1,000 words do. Words that were never counted are kept.
        """
        require("k", k, whole=True, low=1)
        counts = self.vocabulary.counts
        if min_count is None:
            min_count = COMMON if np.count_nonzero(counts >= COMMON) >= ENOUGH else 1
        require("min_count", min_count, whole=True, low=1)
        terms = signed_terms(words if isinstance(words, str) else " + ".join(words))
        signs = [(sign, word) for sign, term in terms for word in self._known_parts(term)]
        ids = [self.id_of(word) for _, word in signs]
        units = normalized(self.word_vectors[ids])
        target = normalized(sum(sign * unit for (sign, _), unit in zip(signs, units, strict=True))[None, :])
        scores = np.divide(
            self.word_vectors @ target[0],
            self._norms,
            out=np.zeros(len(self._norms), np.float32),
            where=self._norms > 0,
        )
        scores[ids] = -np.inf
        scores[(counts > 0) & (counts < min_count)] = -np.inf
        best = top_k(scores[None, :], min(k, int((scores > -np.inf).sum())))[0]
        return [(self.vocabulary.words[i], float(scores[i])) for i in best.tolist()]

    def find(self, term: str) -> int | None:
        """Return the id of a word or n-gram, however it is written; None if it has none."""
        return self.vocabulary.get(self._as_word(term))

    def id_of(self, term: str) -> int:
        """Return the id of a word or n-gram; an error suggests similar spellings."""
        number = self.find(term)
        if number is not None:
            return number
        word = self._as_word(term)
        close = close_spellings(word, self.vocabulary.words)
        remedy = f"did you mean {', '.join(close)}?" if close else "try another word"
        raise UnknownWordError(f"{word!r} is not among the {len(self.vocabulary):,} words of the vocabulary; {remedy}")

    def explain(self, first: str, second: str) -> Explanation:
        """Split the cosine similarity of two texts over their words and n-grams."""
        return explain(self.features(first), self.features(second), self.vocabulary, self.word_vectors)

    @cached_property
    def _norms(self) -> Vectors:
        """The length of every word vector; the vectors are not copied for it."""
        vectors = self.word_vectors
        norms: Vectors = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
        return norms

    def _known_parts(self, term: str) -> list[str]:
        """Split a term into what has a row: an n-gram is one, if the model knows it; other words stand alone."""
        whole = self._as_word(term)
        return [whole] if whole in self.vocabulary else [self._as_word(word) for word in term.split()]

    def _as_word(self, term: str) -> str:
        """Write a term as the vocabulary does: "Don’t" -> "don't", "Not good" -> "not good"."""
        if term in self.vocabulary:
            return term
        tokens = self.tokenize(term)
        joined = " ".join(tokens)
        return joined if len(tokens) == 1 or joined in self.vocabulary else term
