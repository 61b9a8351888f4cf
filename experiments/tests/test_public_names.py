"""The experiments use public names of doc2vecc only: that tests the public surface."""

import ast
import importlib
from pathlib import Path

import doc2vecc_paper

PUBLIC = ("doc2vecc", "doc2vecc.baselines", "doc2vecc.evaluation")


def private_imports(source: str) -> list[str]:
    """Return what a module imports from doc2vecc that is not in ``__all__`` of a public module."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [one.name for one in node.names if one.name.partition(".")[0] == "doc2vecc"]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "doc2vecc":
            public = importlib.import_module(node.module).__all__ if node.module in PUBLIC else ()
            found += [f"{node.module}.{one.name}" for one in node.names if one.name not in public]
    return found


def test_every_import_is_public():
    files = sorted(Path(doc2vecc_paper.__file__).parent.rglob("*.py"))
    assert len(files) > 30
    used = {file.name: private for file in files if (private := private_imports(file.read_text("utf-8")))}
    assert used == {}


def test_private_imports_are_found():
    allowed = "from doc2vecc import CorpusWarning, Doc2VecC\nfrom doc2vecc.baselines import Word2Vec\n"
    assert private_imports(allowed) == []
    for forbidden in (
        "import doc2vecc.model",
        "import doc2vecc",
        "from doc2vecc import storage",
        "from doc2vecc.evaluation import classification",
        "def f():\n    from doc2vecc.corpus.tokenizer import tokenize",
    ):
        assert len(private_imports(forbidden)) == 1, forbidden
