"""The whole way from documents to a model, as the estimator and the command line take it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass

from doc2vecc.console import ProgressListener
from doc2vecc.corpus.encoded import EncodedCorpus
from doc2vecc.corpus.encoding import encode, encode_further
from doc2vecc.corpus.ngrams import NgramRule
from doc2vecc.corpus.numbering import Tokenizer
from doc2vecc.corpus.sources import TextBatches
from doc2vecc.corpus.vocabulary import Vocabulary
from doc2vecc.errors import EmptyVocabularyError, ParameterError
from doc2vecc.model import EpochRecord, Model
from doc2vecc.parameters import TrainingConfig
from doc2vecc.training.trainer import train


@dataclass(frozen=True)
class Learned:
    """A model, the corpus it was learned from, and what a user should be told about the texts."""

    model: Model
    corpus: EncodedCorpus
    messages: list[str]


def ngram_rule(config: TrainingConfig) -> NgramRule | None:
    """Return which n-grams to choose, if any."""
    longest = config.ngram_range[1]
    return NgramRule(longest, config.ngram_min_count, config.max_ngrams) if longest > 1 else None


def learn(
    documents: TextBatches,
    config: TrainingConfig,
    progress: ProgressListener,
    tokenizer: Tokenizer | None = None,
    start: Model | None = None,
    on_vocabulary: Callable[[Vocabulary, int], None] | None = None,
) -> Learned:
    """Read documents once, count and encode their words, and learn the vectors.

    With a model to start from, its words go on learning and the documents' own new words join them.
    ``on_vocabulary`` is told, before the training, what will be learned and how many bytes its vectors take.
    """
    if start is None:
        corpus = encode(
            documents.texts(progress.reading),
            min_count=config.min_count,
            max_final_vocab=config.max_final_vocab,
            tokenizer=tokenizer,
            workers=config.workers,
            ngrams=ngram_rule(config),
            binary=config.binary,
        )
    else:
        if config.vector_size != start.dim:
            raise ParameterError(
                f"vector_size={config.vector_size} does not fit a model whose vectors have {start.dim} numbers; "
                f"set it to {start.dim}, or start a new model"
            )
        if config.binary != start.binary:
            raise ParameterError(
                f"binary={config.binary} does not fit a model that was learned with binary={start.binary}; "
                f"set it to {start.binary}, or start a new model"
            )
        corpus = encode_further(
            documents.texts(progress.reading),
            start.vocabulary,
            min_count=config.min_count,
            tokenizer=tokenizer,
            workers=config.workers,
            binary=config.binary,
        )
        if len(corpus.ids) == 0:
            raise EmptyVocabularyError(
                f"none of {corpus.report.documents:,} documents holds a word of the vocabulary, and no new word "
                f"occurs {config.min_count} times; pass more texts or lower min_count"
            )
    if on_vocabulary is not None:
        on_vocabulary(corpus.vocabulary, 2 * 4 * config.vector_size * len(corpus.vocabulary))
    model = train(corpus, config, tokenizer=tokenizer, progress=progress, start=start)
    model.record.report.update(
        {name: value for name, value in asdict(documents.report).items() if isinstance(value, int)}
    )
    messages = documents.report.messages() + corpus.report.messages() + loss_warnings(model.record.history, config)
    return Learned(model, corpus, messages)


def loss_warnings(history: list[EpochRecord], config: TrainingConfig) -> list[str]:
    """Say so if the training ended worse than it began: its steps were too long."""
    knowing_nothing = (1 + config.negative) * math.log(2)
    first, last = (history[place].loss for place in (-config.epochs, -1))
    if last < min(knowing_nothing, 1.1 * first):  # where there is nothing to learn, the last may be a shade worse
        return []
    return [
        f"the loss per word is {last:.1f}, more than at the beginning: the vectors make no sense; "
        f"lower alpha={config.alpha:g}, to {config.alpha / 4:g} say"
    ]
