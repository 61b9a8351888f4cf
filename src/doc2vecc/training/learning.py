"""The one way from documents to a model, for Doc2VecC, the baselines and the command line alike."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

import numpy as np
import numpy.typing as npt

from doc2vecc.config import TrainingConfig
from doc2vecc.console import ProgressListener, Silent, counted
from doc2vecc.corpus.encoded import EncodedCorpus
from doc2vecc.corpus.encoding import FIXED_PARTS, Threads, encode, encode_further
from doc2vecc.corpus.ngrams import NgramRule
from doc2vecc.corpus.numbering import Tokenizer
from doc2vecc.corpus.sources import TextBatches
from doc2vecc.corpus.tokenizer import BuiltinTokenizer
from doc2vecc.corpus.vocabulary import Vocabulary
from doc2vecc.errors import EmptyVocabularyError, ParameterError
from doc2vecc.kernels.training.start import inverse_document_frequency
from doc2vecc.model import EpochRecord, Model, Vectors
from doc2vecc.training.checkpoint import Checkpoints
from doc2vecc.training.start import document_frequencies
from doc2vecc.training.trainer import train

# Parameters that decide the encoded corpus; reproducible decides which rare words are forgotten.
DECIDE_CORPUS = (
    "min_count",
    "max_final_vocab",
    "ngram_range",
    "ngram_min_count",
    "max_ngrams",
    "binary",
    "reproducible",
)


FEW_WORDS = 1_000  # of an epoch, or of several: a mean loss over fewer varies by chance


@dataclass(frozen=True)
class Learned:
    """A model, the corpus it was learned from, and what a user should know about the texts.

    ``document_vectors`` has a row per document where documents have vectors of their own, else none.
    """

    model: Model
    corpus: EncodedCorpus
    document_vectors: Vectors
    messages: list[str]


def learn(
    documents: TextBatches,
    config: TrainingConfig,
    progress: ProgressListener | None = None,
    tokenizer: Tokenizer | None = None,
    start: Model | None = None,
    on_vocabulary: Callable[[Vocabulary, int], None] | None = None,
    checkpoints: Checkpoints | None = None,
) -> Learned:
    """Read documents once, count and encode their words, and learn the vectors.

    With a model to start from, its words continue training and the new words of the documents join them.
    ``on_vocabulary`` is called before the training with the vocabulary and the bytes that its vectors take. With
    ``checkpoints`` an interrupted training continues.
    """
    progress = progress or Silent()
    tokenizer = tokenizer or (start.tokenizer if start else None)
    config = config if checkpoints is None else checkpoints.seeded(config, tokenizer)
    if start is None:
        corpus = encode_documents(documents, config, progress, tokenizer)
        config = config.sized(corpus.report.tokens)
    else:
        config = config if config.vector_size else replace(config, vector_size=start.dim)
        corpus = _encode_more_documents(documents, config, progress, tokenizer, start)
    if on_vocabulary is not None:
        on_vocabulary(corpus.vocabulary, 2 * 4 * config.dim * len(corpus.vocabulary))
    model, document_vectors = train(
        corpus, config, tokenizer=tokenizer, progress=progress, start=start, checkpoints=checkpoints
    )
    weights = idf_weights(corpus, config, start)
    if weights is not None:
        model.multiply(weights)
    first_epoch = 0 if start is None else len(start.record.history)
    model.record.report.update(
        {name: value for name, value in asdict(documents.report).items() if isinstance(value, int)}
    )
    messages = documents.report.messages() + corpus.report.messages()
    messages += loss_warnings(model.record.history, config, first_epoch)
    return Learned(model, corpus, document_vectors, messages)


def idf_weights(corpus: EncodedCorpus, config: TrainingConfig, start: Model | None) -> npt.NDArray[np.float32] | None:
    """Return what the vectors of words are multiplied by after the training: a power of idf; None is nothing.

    Words of a model whose training was continued keep its weights, so that its documents stay where they are.
    """
    exponent = config.idf_power(corpus.report.tokens, corpus.report.documents)
    has_weights = exponent != 0 if start is None else start.weights is not None
    if not has_weights:
        return None
    weights = inverse_document_frequency(document_frequencies(corpus), len(corpus)) ** np.float32(exponent)
    if start is not None:
        weights[corpus.vocabulary.ids_of(start.vocabulary.words)] = start.weights
    return weights


def encode_documents(
    documents: TextBatches,
    config: TrainingConfig,
    progress: ProgressListener | None = None,
    tokenizer: Tokenizer | None = None,
) -> EncodedCorpus:
    """Read documents once, choose their words and n-grams, and encode them; or use the corpus of their workdir."""
    if documents.workdir is not None:
        from doc2vecc.corpus.stored_tokenizer import describe_tokenizer
        from doc2vecc.corpus.workdir import Workdir

        decisive = {name: getattr(config, name) for name in DECIDE_CORPUS}
        decisive |= describe_tokenizer(tokenizer or BuiltinTokenizer())
        workdir, documents.workdir = Workdir.of(documents.workdir, documents, decisive), None
        corpus = workdir.load(documents.report)
        if corpus is None:
            corpus = workdir.keep(encode_documents(documents, config, progress, tokenizer), documents.report)
        return corpus
    return encode(
        documents.texts((progress or Silent()).reading),
        min_count=config.min_count,
        max_final_vocab=config.max_final_vocab,
        tokenizer=tokenizer,
        workers=_threads(config),
        ngrams=ngram_rule(config),
        binary=config.binary,
    )


def ngram_rule(config: TrainingConfig) -> NgramRule | None:
    """Return which n-grams the settings ask for; None is none."""
    rule = NgramRule(config.ngram_range[1] if config.ngram_range else None, config.ngram_min_count, config.max_ngrams)
    return None if rule.longest == 1 else rule


def _threads(config: TrainingConfig) -> int | Threads:
    return Threads(config.workers, FIXED_PARTS) if config.reproducible else config.workers


def _encode_more_documents(
    documents: TextBatches,
    config: TrainingConfig,
    progress: ProgressListener,
    tokenizer: Tokenizer | None,
    start: Model,
) -> EncodedCorpus:
    """Encode documents with the vocabulary of a model, extended by their own frequent words."""
    for name, known in (("vector_size", start.dim), ("binary", start.binary)):
        if getattr(config, name) != known:
            raise ParameterError(
                f"{name}={getattr(config, name)} does not fit a model that was learned with {name}={known}; "
                f"set it to {known}, or start a new model"
            )
    corpus = encode_further(
        documents.texts(progress.reading),
        start.vocabulary,
        min_count=config.min_count,
        tokenizer=tokenizer,
        workers=_threads(config),
        binary=config.binary,
    )
    if len(corpus.ids) == 0:
        if corpus.report.documents == 0:
            raise EmptyVocabularyError("there are no documents to learn from; pass at least one text")
        often = f"{config.min_count} times" if config.min_count else "often enough"
        raise EmptyVocabularyError(
            f"none of {counted(corpus.report.documents, 'document')} holds a word of the vocabulary, and no new word "
            f"occurs {often}; pass more texts or set a lower min_count"
        )
    return corpus


def _loss(epochs: list[EpochRecord]) -> float:
    """Return the loss of the first epochs, of as many as make it more than chance."""
    loss = words = 0.0
    for epoch in epochs:
        loss, words = loss + epoch.loss * epoch.words, words + epoch.words
        if words >= FEW_WORDS:
            break
    return loss / max(words, 1)


def loss_warnings(history: list[EpochRecord], config: TrainingConfig, first_epoch: int = 0) -> list[str]:
    """Warn if the training ended worse than it began: its steps were too long."""
    untrained = (1 + config.negative) * math.log(2)
    first, last = _loss(history[first_epoch:]), _loss(history[first_epoch:][::-1])
    # Where there is nothing to learn, the loss may rise a little. Without a document, targets that have no local
    # context count with no loss, so that the losses of epochs vary.
    may_rise = math.inf if config.document == "absent" else 1.1
    if last < untrained and (first == 0 or last <= may_rise * first):
        return []
    return [
        f"the loss per word is {last:.1f}, more than at the beginning: the vectors are useless; "
        f"lower alpha={config.alpha:g}, to {config.alpha / 4:g} say"
    ]
