"""Lines in and out: "Word2Vec alpha=0.1" -> a method with settings; results of several seeds -> a line of JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from doc2vecc import ParameterError
from doc2vecc_paper.methods import DOC2VECC, NGRAM_STEPS, Method
from doc2vecc_paper.word_vectors import Rating, word_similarity

ERRORS = ("validation", "unseen", "test")


class Line(NamedTuple):
    """A method, and the settings that are changed."""

    method: Method
    changes: dict[str, Any]

    @property
    def changed(self) -> Method:
        """The method with its changed settings; Doc2VecC of n-grams has a learning rate and damping of its own."""
        has_ngrams = self.changes.get("ngram_range", (1, 1)) != (1, 1)
        steps = NGRAM_STEPS if has_ngrams and self.method.estimator is DOC2VECC.estimator else {}
        return self.method.changed(**{**steps, **self.changes})


def parse_line(text: str, methods: Sequence[Method]) -> Line:
    """Read a line: "Word2Vec, skip-gram alpha=0.1" -> the method of that name, {"alpha": 0.1}."""
    words = text.split()
    name = " ".join(word for word in words if "=" not in word)
    for method in methods:
        if method.name == name:
            settings = parse_settings(" ".join(word for word in words if "=" in word))
            unknown = settings.keys() - method.estimator().get_params().keys()
            if unknown:
                raise ParameterError(f"{name} has no setting {', '.join(sorted(unknown))} in the line {text!r}")
            return Line(method, settings)
    known = ", ".join(f"'{method.name}'" for method in methods)
    raise ParameterError(f"the line {text!r} does not start with a method; choose from {known}")


def parse_settings(text: str) -> dict[str, Any]:
    """Read settings.

    >>> parse_settings("alpha=0.1 ngram_range=[1,2] binary=true")
    {'alpha': 0.1, 'ngram_range': (1, 2), 'binary': True}
    """
    settings = {}
    for word in text.split():
        name, _, value = word.partition("=")
        try:
            parsed = json.loads(value)
        except ValueError:
            raise ParameterError(f"the value of {word!r} is not JSON; write it like alpha=0.1 or sizes=[1,2]") from None
        settings[name] = tuple(parsed) if isinstance(parsed, list) else parsed
    return settings


def similarities(estimator: Any, ratings: Mapping[str, list[Rating]]) -> dict[str, float]:  # noqa: ANN401
    """Return the rank correlation of word similarities with each set of ratings; none without word vectors."""
    if not hasattr(estimator, "word_vectors_"):
        return {}
    words, vectors = estimator.vocabulary_.words, estimator.word_vectors_
    return {name: word_similarity(words, vectors, some).spearman for name, some in ratings.items()}


def summary(results: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """Return the mean of every value over the seeds, and for errors the spread and the error of each seed."""
    values: dict[str, Any] = {name: round(float(np.mean([r[name] for r in results])), 2) for name in results[0]}
    for name in ERRORS:
        if f"{name}_error" in values:
            errors = [result[f"{name}_error"] for result in results]
            values[f"{name}_spread"] = round(float(np.std(errors, ddof=len(results) > 1)), 2)
            values[f"{name}_errors"] = [round(error, 2) for error in errors]
    return {**values, "seeds": len(results)}


def markdown(lines: Sequence[Mapping[str, Any]]) -> str:
    """Lay lines out as a table, with the difference from the first line: mean and spread over pairs of seeds."""
    headings = ["settings", "dim", "epochs", "workers", "seeds"]
    for name in ERRORS:
        headings += [f"{name} error %", "difference"]
    rows = [headings, ["---"] * len(headings)]
    for line in lines:
        config = line["config"]
        sizes = [config.get("vector_size", ""), config.get("epochs", ""), config["workers"], line["seeds"]]
        way = f" {line['way']}" if line.get("way", "mean") != "mean" else ""
        row = [f"`{line['settings']}`{way}", *map(str, sizes)]
        for name in ERRORS:
            row += [_error(line, name), _difference(line, lines[0], name)]
        rows.append(row)
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _error(line: Mapping[str, Any], name: str) -> str:
    """Write an error with its spread, nothing if it was not measured."""
    return f"{line[f'{name}_error']:.2f} ± {line.get(f'{name}_spread', 0):.2f}" if f"{name}_error" in line else ""


def _difference(line: Mapping[str, Any], first: Mapping[str, Any], name: str) -> str:
    """Write the difference from the errors of the first line, if both were measured on the same documents."""
    ours, theirs = (one.get(f"{name}_errors", []) for one in (line, first))
    is_comparable = all(line.get(key) == first.get(key) for key in ("texts", "learn_from", "seeds"))
    if line is first or not (is_comparable and ours and theirs):
        return ""
    pairs = np.subtract(ours, theirs)
    return f"{pairs.mean():+.2f} ± {pairs.std(ddof=len(pairs) > 1):.2f}"
