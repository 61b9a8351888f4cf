"""A demonstration on text that is on every machine: the docstrings of the interpreter's standard library.

source files -> documents (dotted name, docstring) -> a table, and the settings that suit it
"""

import ast
import importlib
import inspect
import re
import sysconfig
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from doc2vecc.config import TrainingConfig, available_cores, resolve_defaults
from doc2vecc.parameters import TrainingParameters, parameters_of

QUERIES = ("read rows from a csv file", "wait until a thread has finished", "compress data to save space")
MIN_WORDS = 6  # a shorter docstring has too few words to be found by
MAX_SECONDS = 20.0  # of training with the user's own texts

# Modules written in C have no source to read, but importing them has no side effects.
C_MODULES = (
    "_bz2", "_collections", "_csv", "_datetime", "_functools", "_io", "_lzma", "_operator", "_queue", "_random",
    "_socket", "_struct", "array", "binascii", "builtins", "cmath", "gc", "itertools", "math", "nt", "posix",
    "select", "sys", "time", "unicodedata", "zlib",
)  # fmt: skip
# Tests, programs, installed packages, tables of characters, and deprecated modules.
SKIPPED_FOLDERS = frozenset({
    "__pycache__", "dist-packages", "distutils", "encodings", "ensurepip", "idlelib", "lib2to3", "pydoc_data",
    "site-packages", "test", "tests", "turtledemo",
})  # fmt: skip


def standard_library_config() -> TrainingConfig:
    """Return settings for a quarter of a million words in short documents: the document alone predicts every word.

    One worker and a seed make the answers the same everywhere: with so small a corpus they depend on chance.
    """
    return TrainingConfig(
        vector_size=100,
        document_only=1.0,
        keep=0.1,
        ns_exponent=0.5,
        min_count=3,
        epochs=60,
        alpha=0.1,
        workers=1,
        seed=1,
    )


def own_config() -> TrainingConfig:
    """Return settings for texts of the user's own: the defaults, for a limited time."""
    defaults = {one.name: one.default for one in parameters_of(TrainingParameters)}
    return TrainingConfig(**resolve_defaults(defaults | {"max_seconds": MAX_SECONDS}), workers=available_cores())


def is_of_demo(settings: Mapping[str, Any]) -> bool:
    """Tell whether a model was learned with the settings of a demonstration; its texts decide what these leave open."""
    for config in (standard_library_config(), own_config()):
        decided = {name: value for name, value in asdict(config).items() if name != "workers" and value is not None}
        if all(settings.get(name) == value for name, value in decided.items()):
            return True
    return False


class Document(NamedTuple):
    """A docstring and the dotted name of what it describes."""

    name: str
    docstring: str

    @property
    def text(self) -> str:
        """The words of the name, then the docstring: ("zlib.compress", "Pack it.") -> "zlib compress: Pack it."."""
        spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", self.name)
        return f"{re.sub('[._]+', ' ', spaced).strip()}: {self.docstring}"


def standard_library() -> list[Document]:
    """Collect the docstrings of everything public in the standard library, each once."""
    found: dict[str, Document] = {}
    folder = Path(sysconfig.get_path("stdlib"))
    for document in (*_source_documents(folder), *_compiled_documents()):
        words = document.docstring.split()
        is_private = any(part.startswith("_") for part in document.name.split("."))
        if len(words) >= MIN_WORDS and not is_private:
            found.setdefault(" ".join(words), document)
    return list(found.values())


def _source_documents(folder: Path) -> Iterator[Document]:
    """Read the docstrings of Python files without running them."""
    for path in sorted(folder.rglob("*.py")):
        below = path.relative_to(folder)
        if SKIPPED_FOLDERS.isdisjoint(below.parts[:-1]):
            try:
                with warnings.catch_warnings(action="ignore"):  # some files have outdated escapes
                    tree = ast.parse(path.read_bytes())
            except (OSError, SyntaxError, ValueError, RecursionError):
                continue
            yield from _documents_in(tree, ".".join(below.with_suffix("").parts).removesuffix(".__init__"))


def _documents_in(node: ast.AST, name: str) -> Iterator[Document]:
    """Give the docstring of a module, class or function, and those of its members."""
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        if docstring := ast.get_docstring(node):
            yield Document(name, docstring)
        for child in node.body if isinstance(node, ast.Module | ast.ClassDef) else ():
            yield from _documents_in(child, f"{name}.{getattr(child, 'name', '')}")


def _compiled_documents() -> Iterator[Document]:
    """Give the docstrings of modules that are written in C, and of their members that are public."""
    for name in C_MODULES:
        public_name = "os" if name in ("nt", "posix") else name.removeprefix("_")
        try:
            module, public = importlib.import_module(name), importlib.import_module(public_name)
        except ImportError:  # not part of this system or interpreter
            continue
        found: list[tuple[str, object]] = [(public_name, module)]
        for member_name, member in vars(module).items():
            full_name, is_class = f"{public_name}.{member_name}", inspect.isclass(member)
            if hasattr(public, member_name) and (is_class or inspect.isbuiltin(member)):
                found.append((full_name, member))
                for method_name, method in vars(member).items() if is_class else ():
                    if inspect.isroutine(method) or inspect.isdatadescriptor(method):
                        found.append((f"{full_name}.{method_name}", method))
            elif is_class and hasattr(public, member_name.lower()):
                found.append((full_name.lower(), member))  # csv.reader returns a _csv.Reader
        for full_name, thing in found:
            if isinstance(docstring := getattr(thing, "__doc__", None), str):
                yield Document(full_name, docstring)


def standard_library_table() -> pa.Table:
    """Return the docstrings of the standard library as a table of names and texts."""
    documents = standard_library()
    return pa.table({"name": [one.name for one in documents], "text": [one.text for one in documents]})
