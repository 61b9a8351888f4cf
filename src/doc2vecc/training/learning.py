"""The whole way from documents to a model, as the estimator and the command line take it."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from doc2vecc.config import TrainingConfig
from doc2vecc.corpus.encoded import EncodedCorpus, encode, encode_further
from doc2vecc.corpus.numbering import Tokenizer
from doc2vecc.corpus.sources import TextBatches
from doc2vecc.corpus.vocabulary import EmptyVocabularyError
from doc2vecc.model import Model
from doc2vecc.training.progress import ProgressListener
from doc2vecc.training.trainer import train


@dataclass(frozen=True)
class Learned:
    """A model, the corpus it was learned from, and what a user should be told about the texts."""

    model: Model
    corpus: EncodedCorpus
    messages: list[str]


def learn(
    documents: TextBatches,
    config: TrainingConfig,
    progress: ProgressListener,
    tokenizer: Tokenizer | None = None,
    start: Model | None = None,
) -> Learned:
    """Read documents once, count and encode their words, and learn the vectors.

    With a model to start from, its words go on learning and the documents' own new words join them.
    """
    if start is None:
        corpus = encode(
            documents.texts(),
            min_count=config.min_count,
            max_vocab=config.max_vocab,
            tokenizer=tokenizer,
            workers=config.workers,
            on_batch=progress.reading,
        )
    else:
        if config.vector_size != start.dim:
            raise ValueError(
                f"vector_size={config.vector_size} does not fit a model whose vectors have {start.dim} numbers; "
                f"set it to {start.dim}, or start a new model"
            )
        corpus = encode_further(
            documents.texts(),
            start.vocabulary,
            min_count=config.min_count,
            tokenizer=tokenizer,
            workers=config.workers,
            on_batch=progress.reading,
        )
        if len(corpus.ids) == 0:
            raise EmptyVocabularyError(
                f"none of {corpus.report.documents:,} documents holds a word of the vocabulary, and no new word "
                f"occurs {config.min_count} times; pass more texts or lower min_count"
            )
    model = train(corpus, config, tokenizer=tokenizer, progress=progress, start=start)
    model.record.report.update(
        {name: value for name, value in asdict(documents.report).items() if isinstance(value, int)}
    )
    return Learned(model, corpus, documents.report.messages() + corpus.report.messages())
