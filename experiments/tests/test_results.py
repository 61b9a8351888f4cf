"""The published cells are found by the program of today: their keys have the names of its settings."""

import json
from pathlib import Path

import pytest

from doc2vecc_paper.cells import CellKey
from doc2vecc_paper.datasets import Fingerprint
from doc2vecc_paper.experiments import analogy
from doc2vecc_paper.experiments.encoders import MiniLm, TfidfSvd
from doc2vecc_paper.experiments.skip_thoughts import CombinedSkipThought
from doc2vecc_paper.methods import BOW, DEA, DOC2VECC, PV_DM, WORD2VEC
from doc2vecc_paper.neural.hand_built import HandBuiltFeatures
from doc2vecc_paper.neural.language_model import RnnLanguageModel
from doc2vecc_paper.neural.related_sentences import SentenceRelatedness

CELLS = Path(__file__).parents[1] / "results" / "cells"
OWN_SETTINGS = {  # of the experiments, beside those of the estimators
    "learn from", "further", "share", "most frequent", "perplexity", "neighbors", "labels", "pool", "test",
    "all labels",
}  # fmt: skip


@pytest.fixture(scope="module")
def cells():
    found = {path.name: json.loads(path.read_text("utf-8")) for path in CELLS.iterdir()}
    assert len(found) > 250
    return found


def test_file_names_are_those_of_the_keys(cells):
    for name, cell in cells.items():
        data = tuple(Fingerprint(**fingerprint) for fingerprint in cell["data"])
        key = CellKey(cell["experiment"], cell["method"], cell["settings"], cell["seed"], data)
        assert key.file_name() == name


def test_settings_are_those_of_the_estimators(cells):
    kinds = [method.estimator for method in (BOW, DEA, DOC2VECC, PV_DM, WORD2VEC)]
    kinds += [TfidfSvd, MiniLm, HandBuiltFeatures, RnnLanguageModel, SentenceRelatedness, CombinedSkipThought]
    known = OWN_SETTINGS.union(*(kind().get_params() for kind in kinds))
    assert {name for cell in cells.values() for name in cell["settings"]} <= known


def test_a_method_has_the_settings_of_its_cell(cells):
    """A new setting of an estimator changes the keys: give finished cells its value then."""
    method = DOC2VECC.changed(workers=1)
    wanted = {**method.all_settings(), "learn from": "train+test+unlabeled"}
    canonical = json.loads(json.dumps(wanted))
    imdb = [cell for cell in cells.values() if cell["data"][0]["name"] == "imdb"]
    assert sum(cell["settings"] == canonical and cell["method"] == method.name for cell in imdb) == 3, "three seeds"


def test_analogies_have_the_settings_of_their_cells(cells):
    for method in analogy.METHODS:
        wanted = {
            json.dumps({**method.changed(workers=1, vector_size=size).all_settings(), **own}, sort_keys=True)
            for size in analogy.DIMENSIONS
            for own in ({"share": share, "most frequent": analogy.MOST_FREQUENT} for share in analogy.SHARES)
        }
        some = [cell for cell in cells.values() if (cell["experiment"], cell["method"]) == ("analogy", method.name)]
        found = [cell for cell in some if json.dumps(cell["settings"], sort_keys=True) in wanted]
        assert len(found) == 3 * len(wanted), f"{method.name}: three seeds of each"
