"""ModelExchange: how a fitted Doc2VecC is saved, loaded, exported and started from the vectors of others."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from doc2vecc import storage
from doc2vecc.config import resolve_defaults
from doc2vecc.corpus.token_rules import PatternTokenizer, choose_tokenizer, stop_words_of
from doc2vecc.model import Model


class ModelExchange:
    """Folders and files; for an estimator with ``model_`` whose constructor takes parameters only."""

    model_: Model

    def save(self, folder: str | Path) -> None:
        """Write the model as a folder of safetensors and JSON, in place of an older model of that name.

        :mod:`doc2vecc.storage` describes the folder.
        """
        check_is_fitted(self)
        storage.save(self.model_, folder)

    def export(self, target: str | Path, kind: str) -> None:
        """Write the model in the format of another program, in place of an older export of that name.

        :data:`doc2vecc.exports.KINDS` are the formats.
        """
        from doc2vecc import exports

        check_is_fitted(self)
        exports.export(self.model_, target, kind)

    @classmethod
    def from_word_vectors(cls, path: str | Path, **parameters: Any) -> Self:  # noqa: ANN401
        """Start from word vectors: a word2vec or GloVe file, or a folder of static embeddings of sentence-transformers.

        It can transform at once; ``partial_fit`` continues training on your texts, whose new words join.
        """
        from doc2vecc.exports import read_word_vectors

        model = read_word_vectors(path)
        estimator = cls(**{"vector_size": model.dim, **parameters})
        estimator.model_ = model
        return estimator

    @classmethod
    def load(
        cls,
        folder: str | Path,
        *,
        tokenizer: Callable[[str], list[str]] | None = None,
        token_pattern: str | None = None,
    ) -> Self:
        """Read a model folder; ``tokenizer`` or ``token_pattern`` is needed if the model was trained with one.

        scikit-learn's pattern and other common ones need not be passed again.
        """
        model = storage.load(folder, choose_tokenizer(tokenizer, token_pattern))
        names = cls._get_param_names()  # type: ignore[attr-defined]
        settings = {name: value for name, value in model.record.settings.items() if name in names}
        seed = model.record.settings.get("seed")
        defaults = resolve_defaults(
            {"alpha": None, "frequency_damping": None, "ngram_range": settings.get("ngram_range")}
        )
        settings |= {name: None for name in ("alpha", "frequency_damping") if settings.get(name) == defaults[name]}
        settings |= {"binary": model.binary, "workers": None, "stop_words": stop_words_of(model.tokenizer) or None}
        if isinstance(model.tokenizer, PatternTokenizer):
            settings["token_pattern"] = model.tokenizer.pattern
        estimator = cls(**settings | {"tokenizer": tokenizer, "random_state": seed})
        estimator.model_ = model
        return estimator
