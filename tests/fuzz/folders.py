"""Folders and files that others make besides models: search indexes, word vectors of other programs, checkpoints."""

import hashlib
import json
import random
import tempfile
import warnings
from functools import cache
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow as pa

from doc2vecc import Doc2VecC, storage
from doc2vecc.exports import export
from doc2vecc.search import SearchIndex, graph
from doc2vecc.search.folder import DESCRIPTION_FILE, GRAPH_FILE
from doc2vecc.training import checkpoint
from tests.fuzz import mutations

MODELS = Path(__file__).parents[1] / "models"
TEXTS = ["a good film", "the cat sat on the mat", "oil and gas", "", "手机 is good, isn't it?", "not a bad film at all"]
EXPORTED = ("word2vec", "word2vec-binary", "glove", "sentence-transformers")
Case = dict[str, bytes]


def files_of(folder: Path) -> Case:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


# ---- search indexes


@cache
def indexes() -> list[Case]:
    """Return sound indexes, one of them with a graph."""
    found = []
    table = {"text": TEXTS, "x": [0.5] * 6, "y": [1, 2, 3, 4, 5, 6], "stars": ["*", None, "**", "", "***", "*"]}
    for model, smallest in (("words.d2v", 50_000), ("ngrams.d2v", 1)):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(graph, "EXACT_BELOW", smallest):
            texts, columns = pa.table(table), ["x", "y", "stars"]
            SearchIndex.build(storage.load(MODELS / model), texts, f"{folder}/i", columns=columns, workers=1)
            case = files_of(Path(folder) / "i")
            found.append(case)
    return found


def make_index(draw: random.Random) -> Case:
    """Damage a file of an index; as a rule its digest is that of the damaged file, as if somebody meant it."""
    case = dict(draw.choice(indexes()))
    description = json.loads(case[DESCRIPTION_FILE])
    name = draw.choice([one for one in case if not one.endswith(".md")])
    if name == GRAPH_FILE and draw.random() < 0.5:
        numbers = np.frombuffer(case[name][: len(case[name]) // 4 * 4], draw.choice((np.uint32, np.int16)))
        case[name] = mutations.array_of(draw, numbers).tobytes() + case[name][len(case[name]) // 4 * 4 :]
    elif name.endswith(".json") and draw.random() < 0.7:
        case[name] = mutations.json_of(draw, json.loads(case[name]))
    else:
        case[name] = mutations.bytes_of(draw, case[name])
    if name != DESCRIPTION_FILE and draw.random() < 0.95:
        description["digests"][name] = hashlib.sha256(case[name]).hexdigest()
        case[DESCRIPTION_FILE] = json.dumps(description).encode()
    return case


def use_index(folder: Path) -> None:
    """Open an index and search in it; sometimes change it."""
    index = SearchIndex.load(folder)
    index.search("a good film", 3)
    index.search(["oil", "nothing-known", ""], 2, exact=True)
    index.coordinates()
    repr((index.ids, index.columns, index.recall, index.document(0)))
    if len(files_of(folder)[DESCRIPTION_FILE]) % 4 == 0:
        index.delete([index.ids[0]])
        index.search("a good film")


# ---- word vectors of other programs


@cache
def exported() -> list[Case]:
    found = []
    for kind in EXPORTED:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "vectors"
            export(storage.load(MODELS / "words.d2v"), path, kind)
            found.append(files_of(path) if path.is_dir() else {"vectors": path.read_bytes()})
    return found


def make_vectors(draw: random.Random) -> Case:
    case = dict(draw.choice(exported()))
    name = draw.choice([one for one in case if one == "vectors" or one.endswith(("tokenizer.json", ".safetensors"))])
    if name.endswith(".json") and draw.random() < 0.8:
        case[name] = mutations.json_of(draw, json.loads(case[name]))
    else:
        case[name] = mutations.bytes_of(draw, case[name])
    return case


def use_vectors(folder: Path) -> None:
    """Read word vectors, embed with them, and sometimes continue the training from them."""
    path = folder / "vectors" if (folder / "vectors").exists() else folder
    model = Doc2VecC.from_word_vectors(path)
    if not np.isfinite(model.transform(TEXTS)).all():
        raise AssertionError("a vector is not finite")
    if sum(map(len, files_of(folder).values())) % 4 == 0:
        model.set_params(epochs=1, workers=1, min_count=1).partial_fit(TEXTS)
        if not np.isfinite(model.transform(TEXTS)).all():
            raise AssertionError("a vector is not finite after training")


# ---- checkpoints


def training() -> Doc2VecC:
    return Doc2VecC(vector_size=8, epochs=3, min_count=1, workers=1, init="random", idf_exponent=0)


@cache
def checkpointed() -> Case:
    """Return a checkpoint after the first of three epochs; its times are invented, so that it is always the same."""
    state = {"chunks": 1, "seconds": 1.5, "epochs": [[60.0, 20, 25, 1.5]]}
    opened = mock.Mock(return_value=None)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with mock.patch.object(checkpoint.Checkpoints, "open", opened):
            model = training().fit(TEXTS, checkpoint=f"{folder}/c").model_
        (_, origin, _), _ = opened.call_args
        storage.save(model, f"{folder}/c", {checkpoint.STATE_FILE: json.dumps({"origin": origin, **state})})
        return files_of(Path(folder) / "c")


def make_checkpoint(draw: random.Random) -> Case:
    case = dict(checkpointed())
    name = draw.choice((checkpoint.STATE_FILE, checkpoint.STATE_FILE, storage.CONFIG_FILE, storage.ARRAYS_FILE))
    if name.endswith(".json") and draw.random() < 0.9:
        case[name] = mutations.json_of(draw, json.loads(case[name]))
    else:
        case[name] = mutations.bytes_of(draw, case[name])
    return {f"c/{one}": data for one, data in case.items()}


def use_checkpoint(folder: Path) -> None:
    """Continue a training from a checkpoint."""
    model = training().fit(TEXTS, checkpoint=folder / "c")
    if not np.isfinite(model.transform(TEXTS)).all():
        raise AssertionError("a vector is not finite")
