"""The methods of the experiments: an estimator each, with the settings that the experiments use.

Unless they say otherwise, they learn vectors of 100 numbers from words that occur 10 times, with 5 negative samples, in
20 epochs. Where the paper says how it treats a method, that is done here too; what it leaves open is at this
package's defaults, or as a comment says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from doc2vecc.baselines import BagOfWords, DenoisingAutoencoder, ParagraphVectors, Word2Vec
from doc2vecc.estimator import Doc2VecC
from doc2vecc.config import resolve_defaults
from doc2vecc_paper.experiment import Scope
from doc2vecc_paper.published import BOW, DEA, DOC2VECC, PARAGRAPH_VECTORS, WORD2VEC

MIN_COUNT = 10
QUICK_EPOCHS = 4
BYTES_OF_A_TOKEN = 5.1  # of English text, measured on the movie reviews

# Words per second of a training with 100 dimensions and two workers, for estimates of time.
FAST = 6e6  # a block of targets shares one document
SLOW = 2.5e6  # every target has neighbors of its own

# What decides no figure, or stands elsewhere in a cell's key.
_NOT_SETTINGS = {"random_state", "verbose", "tokenizer", "text_column", "strict", "max_final_vocab"}


@dataclass(frozen=True)
class Method:
    """A way to represent documents; ``ways`` are the representations that one training gives."""

    name: str
    estimator: type[Any]
    settings: Mapping[str, Any]
    ways: tuple[str, ...] = ("mean",)
    words_per_second: float = FAST

    def changed(self, name: str | None = None, **settings: object) -> Method:
        """Return the method with some settings changed, and under another name if one is given."""
        return replace(self, name=name or self.name, settings={**self.settings, **settings})

    def scoped(self, scope: Scope) -> Method:
        """Return the method as a scope runs it: with its workers and, for a quick look, in few epochs."""
        changed = self.changed(workers=scope.workers)
        epochs = self.all_settings().get("epochs")
        is_shortened = scope.quick and epochs is not None and epochs > QUICK_EPOCHS
        return changed.changed(epochs=QUICK_EPOCHS) if is_shortened else changed

    def build(self, seed: int) -> Any:  # noqa: ANN401 - a scikit-learn transformer
        """Make the estimator; a bag of words has no seed."""
        estimator = self.estimator(**self.settings)
        return estimator.set_params(random_state=seed) if "random_state" in estimator.get_params() else estimator

    def all_settings(self) -> dict[str, Any]:
        """Return every setting that decides a figure, the defaults too: a changed default is another cell."""
        parameters = self.estimator(**self.settings).get_params()
        varied = {"weighting"} if len(self.ways) > 1 else set()
        if "frequency_damping" in parameters:  # None has another meaning for the baselines
            parameters = resolve_defaults(parameters)
        return {name: value for name, value in parameters.items() if name not in _NOT_SETTINGS | varied}

    def learning_seconds(self, text_bytes: int) -> float:
        """Estimate how long it takes to learn from so many bytes of text."""
        settings = self.all_settings()
        tokens = text_bytes / BYTES_OF_A_TOKEN
        reading = tokens / 10e6
        if "epochs" not in settings:
            return reading
        speed: float = self.words_per_second * min(settings["workers"], 2) / 2
        return reading + tokens * int(settings["epochs"]) / speed * max(1.0, int(settings["vector_size"]) / 100)


_COMMON: Mapping[str, Any] = {"vector_size": 100, "min_count": MIN_COUNT}

# The paper thins frequent words "for all the numbers reported". Here it is done where words are predicted from
# their neighbors, and where it helps; the published script of Doc2VecC has it off.
THINNING = 1e-4

# The rate of Word2Vec was chosen on held-out training reviews (benchmarks/baselines.py): with 0.1 its plain means
# are no better, and those by rarity are worse. Where there are fewer words to learn from, experiments have a higher
# one. The settings of Paragraph Vectors come from few runs with one seed, on training reviews too. PV-DBOW has the
# rate that is best in many epochs; at four times that it diverges, as one vector takes the steps of all words of
# its document. PV-DM is better with subsampling than without.
BAG_OF_WORDS = Method(BOW, BagOfWords, {"min_count": MIN_COUNT}, ("binary", "tfidf"))
DENOISING = Method(DEA, DenoisingAutoencoder, _COMMON)
NEIGHBORS = Method(
    WORD2VEC, Word2Vec, {**_COMMON, "sample": THINNING, "alpha": 0.025}, ("mean", "idf", "tfidf"), SLOW
)
# Skip-gram makes a prediction of every pair of neighbors, so it needs fewer epochs and takes longer for each.
PAIRS = Method(
    f"{WORD2VEC}, skip-gram",
    Word2Vec,
    {**NEIGHBORS.settings, "architecture": "skipgram", "epochs": 5},
    ("mean", "idf", "tfidf"),
    SLOW / 4,
)
MEMORY = Method(
    f"{PARAGRAPH_VECTORS}, DM",
    ParagraphVectors,
    {**_COMMON, "variant": "dm", "alpha": 0.1, "window": 5, "sample": THINNING},
    words_per_second=SLOW,
)
# The same contexts as Doc2VecC has: what stands for the document is different, and with it the rate.
MEMORY_IN_OUR_CONTEXTS = Method(
    f"{PARAGRAPH_VECTORS}, DM in the contexts of {DOC2VECC}",
    ParagraphVectors,
    {**_COMMON, "variant": "dm", "alpha": 0.025, "window": 10, "document_only": 0.9},
)
BAG = Method(f"{PARAGRAPH_VECTORS}, DBOW", ParagraphVectors, {**_COMMON, "variant": "dbow", "alpha": 0.025})
CORRUPTED = Method(DOC2VECC, Doc2VecC, _COMMON)
