"""What an unknown parameter means here, also by its name in gensim and scikit-learn."""

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
}


def unknown_parameter(name: str, known: Sequence[str]) -> str:
    """Say that there is no such parameter, and which one is meant, or all of them.

    >>> unknown_parameter("seed", ["epochs", "random_state"]), unknown_parameter("epoch", ["epochs"])
    ("there is no parameter 'seed'; use 'random_state'", "there is no parameter 'epoch'; use 'epochs'")
    """
    candidates = [NAMES_HERE.get(name), *get_close_matches(name, known, 1)]
    meant = next((one for one in candidates if one in known), None)
    remedy = f"use {meant!r}" if meant else f"leave it out, or use one of {', '.join(known)}"
    return f"there is no parameter {name!r}; {remedy}"
