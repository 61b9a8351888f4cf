"""scikit-learn's own checks. They pass matrices of numbers, so each row becomes a text with a word for each cell."""

import pytest
from sklearn.utils import check_array
from sklearn.utils.estimator_checks import check_estimator

from doc2vecc import Doc2VecC
from doc2vecc.baselines import BagOfWords, DenoisingAutoencoder, ParagraphVectors, Word2Vec
from doc2vecc.evaluation.halves import MIN_TOKENS

SMALL = {"vector_size": 4, "epochs": 1, "min_count": 1, "workers": 1}
NO_FEATURES = "texts have no number of features"
EXPECTED = {
    "check_n_features_in": NO_FEATURES,
    "check_n_features_in_after_fitting": NO_FEATURES,
    "check_transformer_general": f"{NO_FEATURES} to compare those of transform with",
}
INFERRED = "unseen documents share a stream of random numbers"
EXPECTED_OF = {
    "ParagraphVectorsOfRows": {
        "check_methods_subset_invariance": INFERRED,
        "check_methods_sample_order_invariance": INFERRED,
        "check_transformer_data_not_an_array": "fit_transform returns learned vectors, transform infers new ones",
    }
}


class OfRows:
    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.string = True, False
        return tags

    def _read(self, rows):
        texts = [" ".join(f"c{column}v{int(v)}" for column, v in enumerate(row)) for row in check_array(rows)]
        texts = [" ".join([text] * MIN_TOKENS) for text in texts]  # long enough for score
        return super()._read(texts)


class Doc2VecCOfRows(OfRows, Doc2VecC):
    pass


class BagOfWordsOfRows(OfRows, BagOfWords):
    pass


class DenoisingAutoencoderOfRows(OfRows, DenoisingAutoencoder):
    pass


class ParagraphVectorsOfRows(OfRows, ParagraphVectors):
    pass


class Word2VecOfRows(OfRows, Word2Vec):
    pass


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("cls", OfRows.__subclasses__(), ids=lambda cls: cls.__name__)
def test_checks_of_scikit_learn(cls):
    names = cls._get_param_names()
    estimator = cls(**{name: value for name, value in SMALL.items() if name in names})
    expected = EXPECTED | EXPECTED_OF.get(cls.__name__, {})
    results = check_estimator(estimator, expected_failed_checks=expected, on_skip=None, on_fail=None)
    failed = {one["check_name"]: str(one["exception"])[:200] for one in results if one["status"] == "failed"}
    assert failed == {}
    assert sum(one["status"] == "passed" for one in results) >= 35
    assert {one["check_name"] for one in results if one["status"] == "xfail"} <= set(expected)
