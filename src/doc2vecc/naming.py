"""What an unknown parameter, argument or method means here, also by its name in gensim and scikit-learn."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from os import PathLike
from typing import Any, ClassVar, Self, cast

from doc2vecc.errors import ParameterError

NAMES_HERE: Mapping[str, str] = {
    "seed": "random_state",
    "size": "vector_size",
    "n_components": "vector_size",
    "iter": "epochs",
    "n_iter": "epochs",
    "max_iter": "epochs",
    "learning_rate": "alpha",
    "n_jobs": "workers",
    "min_df": "min_count",
    "max_features": "max_final_vocab",
    "max_vocab_size": "max_final_vocab",
    "sg": "architecture",
    "dm": "variant",
    "dim": "vector_size",
    "dimension": "vector_size",
    "dimensions": "vector_size",
    "embedding_dim": "vector_size",
    "lr": "alpha",
    "random_seed": "random_state",
    "analyzer": "tokenizer",
    "use_idf": "idf_exponent",
    "sublinear_tf": "binary",
}
VALUES_HERE: Mapping[str, str] = {
    "architecture": "architecture='skipgram' or 'cbow'",
    "variant": "variant='dm' or 'dbow'",
}
# What has no counterpart here -> what to do instead.
REMEDIES: Mapping[str, str] = {
    "dm": "Paragraph Vectors are doc2vecc.baselines.ParagraphVectors",
    "dm_concat": "leave it out: doc2vecc.baselines.ParagraphVectors(variant='dm') takes the mean of neighbors",
    "dm_mean": "leave it out: doc2vecc.baselines.ParagraphVectors(variant='dm') takes the mean of neighbors",
    "dbow_words": "leave it out: doc2vecc.baselines.ParagraphVectors(variant='dbow') learns no vectors of words",
    "max_df": "leave it out: training makes the vectors of frequent words short; or name stop_words",
    "lowercase": "leave it out: words are folded to lowercase; a tokenizer of your own may keep the case",
    "preprocessor": "change the texts before, or use a tokenizer",
    "norm": "scale the vectors, with sklearn.preprocessing.Normalizer",
    "topn": "it is the argument k of similar_words and similar",
    "hs": "leave it out: the training always uses negative samples",
    "min_alpha": "leave it out: the learning rate falls to a ten-thousandth of alpha",
    "callbacks": "leave it out: history_ has the loss of every epoch, and verbose=True shows progress",
    "compute_loss": "leave it out: history_ has the loss of every epoch",
}
TEXTS = ("documents", "corpus_file", "corpus_iterable", "sentences", "texts")  # what gensim's constructors learn from
CLOSE = 0.8  # similarity of two names of which one is a misspelling of the other

# What gensim's models are asked for -> how to ask here.
ATTRIBUTES_HERE: Mapping[str, str] = {
    "infer_vector": "transform([text])[0] or transform([tokens])[0]",
    "dv": "transform(texts), which embeds the training texts as well",
    "docvecs": "transform(texts), which embeds the training texts as well",
    "wv": "model[word], similar_words(words), vocabulary_ or word_vectors_",
    "most_similar": "similar_words(words) or similar(text, vectors)",
    "build_vocab": "fit(texts), or partial_fit(texts) to add new words",
    "train": "fit(texts) or partial_fit(texts)",
    "get_latest_training_loss": "history_",
    "save_word2vec_format": "export(path, 'word2vec')",
    "similarity": "explain(first, second).similarity",
    "n_similarity": "explain(first, second).similarity",
    "similarity_unseen_docs": "explain(first, second).similarity",
    "doesnt_match": "model[word], and compare the vectors",
    "key_to_index": "vocabulary_",
    "index_to_key": "list(vocabulary_)",
    "vectors": "word_vectors_",
    "get_vector": "model[word]",
    "corpus_count": "report_['documents']",
    "syn0": "word_vectors_",
    "vocab": "vocabulary_",
    "load_word2vec_format": "Doc2VecC.from_word_vectors(path)",
}
# The same for the baselines, which have no queries.
ATTRIBUTES_OF_BASELINES: Mapping[str, str] = {
    "infer_vector": ATTRIBUTES_HERE["infer_vector"],
    "wv": "word_vectors_ and vocabulary_, if it learns vectors of words",
    "dv": "transform(texts); the vectors of training texts are document_vectors_ of ParagraphVectors",
    "docvecs": "transform(texts); the vectors of training texts are document_vectors_ of ParagraphVectors",
    "most_similar": "word_vectors_ and vocabulary_; doc2vecc.Doc2VecC has similar_words",
    "train": "fit(texts)",
    "build_vocab": "fit(texts)",
    "get_latest_training_loss": ATTRIBUTES_HERE["get_latest_training_loss"],
}

# Method -> what its gensim counterparts take -> what to do here.
_SETTING = "it is a parameter: call set_params({name}=...) first"
_SUM = "add and subtract words in a single string: similar_words('king - man + woman')"
ARGUMENTS_HERE: Mapping[str, Mapping[str, str]] = {
    "fit": {"epochs": _SETTING, "alpha": _SETTING, "text_column": _SETTING},
    "fit_transform": {"epochs": _SETTING, "alpha": _SETTING, "text_column": _SETTING},
    "partial_fit": {"epochs": _SETTING, "alpha": _SETTING, "text_column": _SETTING},
    "transform": {"epochs": "leave it out: a single pass computes the vectors", "text_column": _SETTING},
    "similar": {"topn": "use k"},
    "similar_words": {"topn": "use k", "positive": _SUM, "negative": _SUM},
}


class NamedParameters:
    """For a scikit-learn estimator: an unknown parameter is an error that says which one is meant."""

    hints: ClassVar[Mapping[str, str]] = ATTRIBUTES_HERE  # attribute of gensim -> what to use here

    def __new__(cls, *given: object, **parameters: object) -> Self:
        """Raise a TypeError for an unknown parameter, and for texts in the place of the first one."""
        known = cls._get_param_names()  # type: ignore[attr-defined]
        for name in [name for name in parameters if name not in known]:
            raise TypeError(unknown_parameter(name, known))
        if given and isinstance(given[0], Iterable | PathLike) and not isinstance(given[0], str):
            kind, name = type(given[0]).__name__, cls.__name__
            raise TypeError(f"the first parameter is a {kind}; give texts to fit: {name}().fit(texts)")
        return super().__new__(cls)

    def set_params(self, **params: Any) -> Self:  # noqa: ANN401
        """Change parameters; the new values are checked by ``fit``."""
        known = self._get_param_names()  # type: ignore[attr-defined]
        for name in [name for name in params if name not in known and "__" not in name]:
            raise ParameterError(unknown_parameter(name, known))
        return cast("Self", super().set_params(**params))  # type: ignore[misc]


def unknown_argument(method: str, name: str) -> str | None:
    """Say what to use instead of an argument that a method does not have; None if nothing is known about it.

    >>> unknown_argument("similar", "topn"), unknown_argument("similar", "n")
    ("similar has no argument 'topn'; use k", None)
    """
    remedy = ARGUMENTS_HERE.get(method, {}).get(name)
    return remedy and f"{method} has no argument {name!r}; {remedy.format(name=name)}"


def unknown_parameter(name: str, known: Sequence[str]) -> str:
    """Say that there is no such parameter, and which one is meant, or all of them.

    >>> unknown_parameter("seed", ["epochs", "random_state"]), unknown_parameter("epoch", ["epochs"])
    ("there is no parameter 'seed'; use 'random_state'", "there is no parameter 'epoch'; use 'epochs'")
    """
    if name in TEXTS:
        return f"there is no parameter {name!r}; give the texts to fit"
    names = (NAMES_HERE.get(name), *get_close_matches(name, known, 1, CLOSE))
    meant = next((one for one in names if one in known), None)
    remedy = REMEDIES.get(name, "leave it out, or look at the parameters in help()")
    if meant is not None:
        remedy = f"use {VALUES_HERE.get(meant, repr(meant))}"
    return f"there is no parameter {name!r}; {remedy}"
