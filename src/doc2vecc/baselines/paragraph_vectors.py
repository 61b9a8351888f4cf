"""ParagraphVectors: every document has a vector of its own, learned beside those of the words."""

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from doc2vecc.baselines.base import TrainedBaseline
from doc2vecc.config import TrainingConfig, require_choice
from doc2vecc.console import progress_bar
from doc2vecc.corpus.encoded import EncodedCorpus
from doc2vecc.model import Vectors
from doc2vecc.training.trainer import infer_documents

Variant = Literal["dm", "dbow"]

ALPHAS = {"dm": 0.1, "dbow": 0.025}


@dataclass(kw_only=True, repr=False, eq=False)
class ParagraphVectors(TrainedBaseline):
    """Learn one vector for every document (Le and Mikolov 2014); those of unseen ones are inferred by gradient.

    ``fit_transform`` returns the vectors learned in training. ``transform`` learns new ones, words staying as they
    are, even for texts that were trained on. With one worker, the same texts give bitwise the same rows each time;
    a document's row does depend on the documents it comes with, because they share a stream of random numbers.

    Parameters
    ----------
    variant
        ``"dbow"`` predicts every word of a document from its vector alone. ``"dm"`` predicts it from the mean of
        that vector and the words around it.
    window
        For ``"dm"``: those are the 1 to ``window`` words to either side, drawn anew for every word. The fewer there
        are, the more is left to the document.
    document_only
        For ``"dm"``: share of the words that are predicted from the vector of the document alone, as in
        :class:`doc2vecc.Doc2VecC`. 0 is Paragraph Vectors as published. ``"dbow"`` predicts all of them so.
    alpha
        The learning rate; None takes 0.025 for ``"dbow"``, where the vector of a document takes the steps of all
        its words, and 0.1 for ``"dm"``, which divides a gradient among the vector and the words.
    inference_epochs, inference_alpha
        Passes and learning rate of :meth:`transform`; None takes those of training.

    The other parameters are those of :class:`doc2vecc.Doc2VecC`.

    Attributes
    ----------
    document_vectors_ : (n_documents, vector_size) float32, of the texts of :meth:`fit`

    Examples
    --------
    >>> texts = ["the cat sat on the mat", "the dog sat on the log"] * 50
    >>> model = ParagraphVectors(8, epochs=2, workers=1, random_state=0).fit(texts)
    >>> model.document_vectors_.shape, model.transform(["a cat on a log"]).shape
    ((100, 8), (1, 8))
    """

    variant: Variant = "dbow"
    window: int = 2
    document_only: float = 0.0
    alpha: float | None = None
    inference_epochs: int | None = None
    inference_alpha: float | None = None

    def fit_transform(self, X: Any, y: Any = None) -> Vectors:  # noqa: ANN401, ARG002, N803
        """Learn from texts and return the vectors of the documents that were learned on the way."""
        self._learn(X)
        return self.document_vectors_

    def _learn(self, texts: Any) -> EncodedCorpus:  # noqa: ANN401
        require_choice("variant", self.variant, get_args(Variant))
        alpha = ALPHAS[self.variant] if self.alpha is None else self.alpha
        document_only = 1.0 if self.variant == "dbow" else self.document_only
        config = self._config(document="vector", document_only=document_only, alpha=alpha)
        self._for_inference(config)
        learned = self._train(texts, config)
        self.document_vectors_ = learned.document_vectors
        return learned.corpus

    def _represent(self, corpus: EncodedCorpus) -> Vectors:
        learned = TrainingConfig(**self.model_.record.settings)
        config = replace(self._for_inference(learned), workers=self._n_workers())
        with progress_bar(self.verbose) as progress:
            return infer_documents(self.model_, corpus, config, progress=progress)

    def _for_inference(self, config: TrainingConfig) -> TrainingConfig:
        """Return the settings of training with the epochs and the learning rate of inference."""
        return replace(
            config,
            epochs=config.epochs if self.inference_epochs is None else self.inference_epochs,
            alpha=config.alpha if self.inference_alpha is None else self.inference_alpha,
        )
