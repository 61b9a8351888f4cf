"""A model as an ONNX file: tokens in, document vectors out; n-grams, ``binary`` and any tokenizer can be said so.

The input ``tokens`` is (documents, longest document), strings, shorter documents are filled up with "". The output
``vectors`` is (documents, dimension), float32. Unknown tokens have the id behind all vectors, which is a row of zeros.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from doc2vecc.errors import OutputError
from doc2vecc.files import atomic_write
from doc2vecc.model import Model

if TYPE_CHECKING:
    from onnx import NodeProto, TensorProto

OPSETS = {"": 17, "ai.onnx.ml": 2}
IR_VERSION = 8  # what goes with these opsets
LARGEST = 1 << 31  # bytes of a protobuf file
_SHIFT = 1 << 31  # ids are below; key of an n-gram = id of its beginning * _SHIFT + id of its last word


class _Graph:
    """Nodes in the order in which they run; a method that adds one returns the name of its output."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: dict[str, TensorProto] = {}

    def constant(self, name: str, value: npt.ArrayLike) -> None:
        from onnx import numpy_helper

        self.constants[name] = numpy_helper.from_array(np.asarray(value), name)

    def add(self, operator: str, inputs: Sequence[str], output: str, *, domain: str = "", **attributes: object) -> str:
        from onnx import helper

        outputs = [output, f"{output}_places"] if operator == "TopK" else [output]
        self.nodes.append(helper.make_node(operator, inputs, outputs, domain=domain, **attributes))
        return output

    def look_up(self, keys: str, output: str, **table: object) -> str:
        return self.add("LabelEncoder", [keys], output, domain="ai.onnx.ml", **table)

    def one_later(self, ids: str, first: str, output: str) -> str:
        """Move every id to the next place of its document."""
        self.constant("one_later", np.array([0, 1, 0, -1]))
        return self.add("Pad", [ids, "one_later", first], output)


def write_onnx(model: Model, file: Path) -> None:
    """Write a model as one file that onnxruntime loads."""
    try:
        from onnx import TensorProto, helper
    except ImportError:
        raise OutputError("the export needs onnx, which is not installed: pip install 'doc2vecc[onnx]'") from None
    vocabulary = model.vocabulary
    if model.word_vectors.nbytes >= LARGEST:
        raise OutputError(
            f"the vectors take {model.word_vectors.nbytes / 1e9:.1f} GB, and an onnx file holds 2 GB; "
            "train with fewer n-grams (max_ngrams) or a smaller vector_size"
        )
    graph = _Graph()
    _add_mean(graph, model, _add_features(graph, model))
    tokens = helper.make_tensor_value_info("tokens", TensorProto.STRING, ["documents", "tokens"])
    vectors = helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["documents", model.dim])
    whole = helper.make_model(
        helper.make_graph(graph.nodes, "doc2vecc", [tokens], [vectors], list(graph.constants.values())),
        producer_name="doc2vecc",
        ir_version=IR_VERSION,
        opset_imports=[helper.make_opsetid(domain, version) for domain, version in OPSETS.items()],
        doc_string=f"Mean of the vectors of the known words and n-grams; {len(vocabulary)} of them.",
    )
    with atomic_write(file) as out:
        out.write(whole.SerializeToString())


def _add_features(graph: _Graph, model: Model) -> str:
    """Add what finds the ids of all words and n-grams of each document."""
    vocabulary = model.vocabulary
    unknown, words = len(vocabulary), vocabulary.words[: vocabulary.n_words]
    ids = graph.look_up("tokens", "words", keys_strings=words, values_int64s=range(len(words)), default_int64=unknown)
    graph.constant("unknown", np.int64(unknown))
    if vocabulary.longest_ngram == 1:
        return _add_distinct(graph, ids) if model.binary else ids
    graph.constant("shift", np.int64(_SHIFT))
    ngrams = vocabulary.ngrams.astype(np.int64)
    table = {
        "keys_int64s": (ngrams[:, 0] * _SHIFT + ngrams[:, 1]).tolist(),
        "values_int64s": range(len(words), unknown),
        "default_int64": unknown,
    }
    found = [ids]
    for length in range(2, vocabulary.longest_ngram + 1):
        before = graph.one_later(found[-1], "unknown", f"before_{length}")
        shifted = graph.add("Mul", [before, "shift"], f"shifted_{length}")
        keys = graph.add("Add", [shifted, ids], f"keys_{length}")
        found.append(graph.look_up(keys, f"ngrams_{length}", **table))
    features = graph.add("Concat", found, "features", axis=1)
    return _add_distinct(graph, features) if model.binary else features


def _add_distinct(graph: _Graph, features: str) -> str:
    """Add what makes all but one of the same ids of a document unknown: they are sorted, and repetitions replaced."""
    shape = graph.add("Shape", [features], "all", start=1, end=2)
    in_order = graph.add("TopK", [features, shape], "in_order", axis=1)
    graph.constant("none", np.int64(-1))
    before = graph.one_later(in_order, "none", "before")
    repeated = graph.add("Equal", [in_order, before], "repeated")
    return graph.add("Where", [repeated, "unknown", in_order], "distinct")


def _add_mean(graph: _Graph, model: Model, features: str) -> None:
    """Add the mean of the rows; a document without known words is zero."""
    graph.constant("table", np.vstack([model.word_vectors, np.zeros((1, model.dim), np.float32)]))
    graph.constant("along_document", np.array([1]))
    graph.constant("one", np.float32(1))
    rows = graph.add("Gather", ["table", features], "rows", axis=0)
    total = graph.add("ReduceSum", [rows, "along_document"], "total", keepdims=0)
    is_known = graph.add("Less", [features, "unknown"], "is_known")
    numbers = graph.add("Cast", [is_known], "numbers", to=1)  # float32
    count = graph.add("ReduceSum", [numbers, "along_document"], "count", keepdims=1)
    at_least_one = graph.add("Max", [count, "one"], "at_least_one")
    graph.add("Div", [total, at_least_one], "vectors")
