"""The whole way from documents to a model, as the estimator and the command line take it."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from doc2vecc.config import TrainingConfig
from doc2vecc.corpus.encoded import EncodedCorpus, encode
from doc2vecc.corpus.numbering import Tokenizer
from doc2vecc.corpus.sources import TextBatches
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
    documents: TextBatches, config: TrainingConfig, progress: ProgressListener, tokenizer: Tokenizer | None = None
) -> Learned:
    """Read documents once, count and encode their words, and learn the vectors."""
    corpus = encode(
        documents.texts(),
        min_count=config.min_count,
        max_vocab=config.max_vocab,
        tokenizer=tokenizer,
        workers=config.workers,
        on_batch=progress.reading,
    )
    model = train(corpus, config, tokenizer=tokenizer, progress=progress)
    model.record.report.update(
        {name: value for name, value in asdict(documents.report).items() if isinstance(value, int)}
    )
    return Learned(model, corpus, documents.report.messages() + corpus.report.messages())
