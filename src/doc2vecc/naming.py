"""What an unknown parameter or method means here, also by its name in gensim and scikit-learn."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

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
    "dim": "vector_size",
    "lr": "alpha",
}
TEXTS = ("documents", "corpus_file", "corpus_iterable", "sentences", "texts")  # what gensim's constructors learn from
CLOSE = 0.8  # similarity of two names of which one is a misspelling of the other

# What gensim's models are asked for -> how to ask here.
ATTRIBUTES_HERE: Mapping[str, str] = {
    "infer_vector": "transform([text])[0]",
    "dv": "transform(texts), which embeds the training texts as well",
    "docvecs": "transform(texts), which embeds the training texts as well",
    "wv": "model[word], similar_words(words), vocabulary_ or word_vectors_",
    "most_similar": "similar_words(words) or similar(text, vectors)",
    "build_vocab": "fit(texts)",
    "train": "fit(texts) or partial_fit(texts)",
    "get_latest_training_loss": "history_",
}


def unknown_parameter(name: str, known: Sequence[str]) -> str:
    """Say that there is no such parameter, and which one is meant, or all of them.

    >>> unknown_parameter("seed", ["epochs", "random_state"]), unknown_parameter("epoch", ["epochs"])
    ("there is no parameter 'seed'; use 'random_state'", "there is no parameter 'epoch'; use 'epochs'")
    """
    if name in TEXTS:
        return f"there is no parameter {name!r}; give the texts to fit"
    names = (NAMES_HERE.get(name), *get_close_matches(name, known, 1, CLOSE))
    meant = next((one for one in names if one in known), None)
    remedy = f"use {meant!r}" if meant else "leave it out, or look at the parameters in help()"
    return f"there is no parameter {name!r}; {remedy}"
