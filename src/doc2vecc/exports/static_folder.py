"""Folders that sentence-transformers loads: a tokenizer, and a table whose rows are averaged.

For models of words model2vec loads it too. N-grams and ``binary`` need a module of our own inside the folder.
"""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

from doc2vecc.card import CARD_FILE, model_card
from doc2vecc.errors import OutputError
from doc2vecc.exports.tokenizer_json import tokenizer_json
from doc2vecc.files import atomic_folder
from doc2vecc.model import Model

SETTINGS_FILE = "config.json"
_SENTENCE_TRANSFORMERS = {"model_type": "SentenceTransformer", "similarity_fn_name": "cosine"}
_MODULE = "sentence_transformers.models.StaticEmbedding"  # the name that all versions know
# model2vec cuts texts at 512 tokens unless a length of null says otherwise.
_MODEL2VEC = {"model_type": "model2vec", "normalize": False, "max_length": None, "embedding_dtype": "float32"}
_BUILDER = {"exported_by": "doc2vecc"}


def write_static_folder(model: Model, folder: Path) -> None:
    """Write the vectors and the token rule; the library's mean over the tokens is the document vector."""
    with export_folder(folder, _MODEL2VEC) as new:
        save_file({"embeddings": np.ascontiguousarray(model.word_vectors)}, new / "model.safetensors")
        _write_json(new / "tokenizer.json", tokenizer_json(model.vocabulary.words, model.characters))
        _write_modules(new, _MODULE)
        (new / CARD_FILE).write_text(model_card(model, "sentence-transformers", _usage("")), "utf-8")


def write_ngram_folder(model: Model, folder: Path) -> None:
    """Write vectors, n-grams, the token rule, and the module that finds n-grams."""
    module = Path(__file__).with_name("ngram_module.py")
    vocabulary = model.vocabulary
    with export_folder(folder, {"binary": model.binary}) as new:
        arrays = {"embeddings": np.ascontiguousarray(model.word_vectors), "ngrams": np.array(vocabulary.ngrams)}
        save_file(arrays, new / "model.safetensors")
        words = vocabulary.words[: vocabulary.n_words]
        _write_json(new / "tokenizer.json", tokenizer_json(words, model.characters, unknown=True))
        _write_modules(new, "ngram_module.NgramMean")
        shutil.copyfile(module, new / module.name)
        usage = _usage(", trust_remote_code=True")
        (new / CARD_FILE).write_text(model_card(model, "sentence-transformers", usage), "utf-8")


def _usage(options: str) -> list[str]:
    return [
        "from sentence_transformers import SentenceTransformer",
        "",
        f'model = SentenceTransformer("path/of/this/folder"{options})',
        'vectors = model.encode(["a text that the model has never seen"])',
    ]


def _write_modules(folder: Path, module: str) -> None:
    _write_json(folder / "modules.json", [{"idx": 0, "name": "0", "path": "", "type": module}])
    _write_json(folder / "config_sentence_transformers.json", _SENTENCE_TRANSFORMERS)


@contextmanager
def export_folder(folder: Path, settings: dict[str, Any]) -> Iterator[Path]:
    """Give a folder to fill, with its ``config.json``; an older export of that name is replaced, nothing else."""
    check_export_folder(folder, force=True)
    with atomic_folder(folder) as new:
        _write_json(new / SETTINGS_FILE, settings | _BUILDER)
        yield new
        for path in new.iterdir():  # safetensors makes files that nobody else can read
            if path.is_file():
                shutil.copymode(new / SETTINGS_FILE, path)


def check_export_folder(folder: Path, *, force: bool) -> None:
    """Refuse to write over a folder that is no export of ours; with ``force``, such an export is replaced."""
    if not folder.exists():
        return
    try:
        settings = json.loads((folder / SETTINGS_FILE).read_text("utf-8"))
    except (OSError, ValueError):
        settings = {}
    if not isinstance(settings, dict) or not settings.items() >= _BUILDER.items():
        raise OutputError(f"{folder} exists and is not an export of doc2vecc; choose another name or remove it")
    if not force:
        raise OutputError(f"{folder} exists; choose another name, or replace it with --force")


def _write_json(path: Path, content: object) -> None:
    """Write a JSON file as other programs expect it."""
    path.write_text(json.dumps(content, ensure_ascii=False), "utf-8")
