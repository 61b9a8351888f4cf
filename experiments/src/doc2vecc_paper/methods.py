"""The methods of the experiments: an estimator each, with the settings that the experiments use.

By default they have 100 dimensions, words that occur 10 times, 5 negative samples and 20 epochs. Settings follow
the paper where it gives them; otherwise they are the defaults of doc2vecc, or a comment gives the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from doc2vecc import Doc2VecC
from doc2vecc.baselines import BagOfWords, DenoisingAutoencoder, ParagraphVectors, Word2Vec
from doc2vecc_paper.experiment import Scope
from doc2vecc_paper.published import Name

MIN_COUNT = 10
QUICK_EPOCHS = 4
BYTES_OF_A_TOKEN = 5.1  # of English text, measured on the movie reviews

# Words per second of a training with 100 dimensions and two workers, for estimates of time.
FAST = 6e6  # a block of targets shares one document
SLOW = 2.5e6  # every target has neighbors of its own

# What does not decide a result, or is elsewhere in a cell's key.
_NOT_SETTINGS = {
    "random_state", "verbose", "tokenizer", "text_column", "no_header", "strict", "skip_malformed", "delimiter",
    "max_document_mb", "max_final_vocab", "novels", "is_kept",
}  # fmt: skip


# Settings that are younger than the published cells, with the value that those were measured with: not in their keys.
_AS_BEFORE: Mapping[str, Any] = {
    "init": "random",
    "idf_exponent": 0.0,
    "max_seconds": None,
    "reproducible": False,
    "stop_words": None,
    "token_pattern": None,
}


@dataclass(frozen=True)
class Method:
    """An estimator with settings; ``ways`` are the representations of documents that one training gives."""

    name: str
    estimator: type[Any]
    settings: Mapping[str, Any]
    ways: tuple[str, ...] = ("mean",)
    words_per_second: float = FAST

    def changed(self, name: str | None = None, **settings: object) -> Method:
        """Return the method with some settings changed, and under another name if one is given."""
        return replace(self, name=name or self.name, settings={**self.settings, **settings})

    def scoped(self, scope: Scope) -> Method:
        """Return the method as a scope runs it: with its workers and, in a quick run, few epochs."""
        changed = self.changed(workers=scope.workers)
        epochs = self.all_settings().get("epochs")
        is_shortened = scope.quick and epochs is not None and epochs > QUICK_EPOCHS
        return changed.changed(epochs=QUICK_EPOCHS) if is_shortened else changed

    def build(self, seed: int) -> Any:  # noqa: ANN401 - a scikit-learn transformer
        """Make the estimator; a bag of words has no seed."""
        estimator = self.estimator(**self.settings)
        return estimator.set_params(random_state=seed) if "random_state" in estimator.get_params() else estimator

    def all_settings(self) -> dict[str, Any]:
        """Return every setting that decides a result, including defaults: a changed default makes another cell."""
        parameters = self.estimator(**self.settings).get_params()
        varied = {"weighting"} if len(self.ways) > 1 else set()
        return {
            name: value
            for name, value in parameters.items()
            if name not in _NOT_SETTINGS | varied and (name, value) not in _AS_BEFORE.items()
        }

    def learning_seconds(self, text_bytes: int) -> float:
        """Estimate the seconds of training on so many bytes of text."""
        settings = self.all_settings()
        tokens = text_bytes / BYTES_OF_A_TOKEN
        reading = tokens / 10e6
        if "epochs" not in settings:
            return reading
        speed: float = self.words_per_second * min(settings["workers"], 2) / 2
        return reading + tokens * int(settings["epochs"]) / speed * max(1.0, int(settings["vector_size"]) / 100)


_COMMON: Mapping[str, Any] = {"vector_size": 100, "min_count": MIN_COUNT}

# Learning rate and frequency damping of Doc2VecC, written out: they are part of the keys of cells. The defaults of
# the estimator have the same values.
WORD_STEPS: Mapping[str, float] = {"alpha": 0.1, "frequency_damping": 0.0}
NGRAM_STEPS: Mapping[str, float] = {"alpha": 0.25, "frequency_damping": 0.2}

# The paper subsamples frequent words "for all the numbers reported". Here it is done where words are predicted from
# their neighbors, and where it helps; the published script of Doc2VecC does not subsample.
SUBSAMPLE = 1e-4

# The learning rate of Word2Vec was chosen on held-out training reviews (experiments/docs/baselines.md): with 0.1
# plain means are no better, and means weighted by rarity are worse. Experiments with fewer training words have a
# higher rate. The settings of Paragraph Vectors come from a few runs with one seed, also on training reviews.
# PV-DBOW has the best rate for many epochs; at four times that it diverges, because one vector takes the steps of
# all words of its document. PV-DM is better with subsampling than without.
BOW = Method(Name.BOW, BagOfWords, {"min_count": MIN_COUNT}, ("binary", "tfidf"))
DEA = Method(Name.DEA, DenoisingAutoencoder, _COMMON)
WORD2VEC = Method(
    Name.WORD2VEC, Word2Vec, {**_COMMON, "sample": SUBSAMPLE, "alpha": 0.025}, ("mean", "idf", "tfidf"), SLOW
)
# Skip-gram predicts every pair of neighbors, so it needs fewer epochs and each of them takes longer.
SKIPGRAM = Method(
    f"{Name.WORD2VEC}, skip-gram",
    Word2Vec,
    {**WORD2VEC.settings, "architecture": "skipgram", "epochs": 5},
    ("mean", "idf", "tfidf"),
    SLOW / 4,
)
PV_DM = Method(
    f"{Name.PARAGRAPH_VECTORS}, DM",
    ParagraphVectors,
    {**_COMMON, "variant": "dm", "alpha": 0.1, "window": 5, "sample": SUBSAMPLE},
    words_per_second=SLOW,
)
# The contexts of Doc2VecC: only what represents the document is different, and with it the learning rate.
PV_DM_OUR_CONTEXTS = Method(
    f"{Name.PARAGRAPH_VECTORS}, DM in the contexts of {Name.DOC2VECC}",
    ParagraphVectors,
    {**_COMMON, "variant": "dm", "alpha": 0.025, "window": 10, "document_only": 0.9},
)
PV_DBOW = Method(f"{Name.PARAGRAPH_VECTORS}, DBOW", ParagraphVectors, {**_COMMON, "variant": "dbow", "alpha": 0.025})
DOC2VECC = Method(
    Name.DOC2VECC,
    Doc2VecC,
    {**_COMMON, **WORD_STEPS, **_AS_BEFORE, "epochs": 20, "ngram_range": (1, 1), "ngram_min_count": 10},
)
