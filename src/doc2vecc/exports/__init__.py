"""A model in the formats of other programs, one module per format, and word vectors of other programs as a start.

export(model, "vectors.txt", "word2vec") -> a file that gensim's KeyedVectors.load_word2vec_format reads
"""

from pathlib import Path

from doc2vecc.errors import OutputError, ParameterError
from doc2vecc.exports.importing import read_word_vectors
from doc2vecc.exports.onnx_file import write_onnx
from doc2vecc.exports.static_folder import check_export_folder, write_ngram_folder, write_static_folder
from doc2vecc.exports.word_vectors import write_glove, write_word2vec, write_word2vec_binary
from doc2vecc.files import check_target
from doc2vecc.model import Model

__all__ = ["KINDS", "check_place", "export", "read_word_vectors"]


def export_sentence_transformers(model: Model, folder: Path) -> str:
    """Write a folder for sentence-transformers; n-grams and ``binary`` need a module of our own in it."""
    _require_builtin_tokenizer(model, "sentence-transformers")
    if model.binary or len(model.vocabulary.ngrams):
        write_ngram_folder(model, folder)
        return f"SentenceTransformer({str(folder)!r}, trust_remote_code=True)"
    write_static_folder(model, folder)
    return f"SentenceTransformer({str(folder)!r})"


def export_model2vec(model: Model, folder: Path) -> str:
    """Write the same folder; refuse what needs a module of our own."""
    _require_builtin_tokenizer(model, "model2vec")
    for is_so, what in ((len(model.vocabulary.ngrams), "n-grams"), (model.binary, "binary=True")):
        if is_so:
            raise OutputError(
                f"model2vec takes the mean over all words of a text, but this model has {what}; "
                "export it to sentence-transformers or onnx"
            )
    write_static_folder(model, folder)
    return f"StaticModel.from_pretrained({str(folder)!r})"


def export_word2vec(model: Model, file: Path) -> str:
    """Write word2vec's text format."""
    write_word2vec(model, file)
    return f"KeyedVectors.load_word2vec_format({str(file)!r})"


def export_word2vec_binary(model: Model, file: Path) -> str:
    """Write word2vec's binary format."""
    write_word2vec_binary(model, file)
    return f"KeyedVectors.load_word2vec_format({str(file)!r}, binary=True)"


def export_glove(model: Model, file: Path) -> str:
    """Write GloVe's text format."""
    write_glove(model, file)
    return f"KeyedVectors.load_word2vec_format({str(file)!r}, no_header=True)"


def export_onnx(model: Model, file: Path) -> str:
    """Write an ONNX file."""
    write_onnx(model, file)
    return f"onnxruntime.InferenceSession({str(file)!r})"


# Each writes a model and returns the line of Python that loads it.
FOLDERS = {"sentence-transformers": export_sentence_transformers, "model2vec": export_model2vec}
FILES = {
    "word2vec": export_word2vec,
    "word2vec-binary": export_word2vec_binary,
    "glove": export_glove,
    "onnx": export_onnx,
}
KINDS = FOLDERS | FILES


def export(model: Model, target: str | Path, kind: str) -> str:
    """Write a model in the format of another program -> the line of Python that loads it there."""
    check_kind(kind)
    return KINDS[kind](model, Path(target))


def check_place(target: Path, kind: str, *, force: bool) -> None:
    """Refuse a place where this kind cannot be written, before any work is done."""
    check_kind(kind)
    if kind in FOLDERS:
        check_export_folder(target, force=force)
    else:
        check_target(target, force=force)


def check_kind(kind: str) -> None:
    """Refuse an unknown format."""
    if kind not in KINDS:
        raise ParameterError(f"kind={kind!r} is not a format to export to; choose one of: {', '.join(KINDS)}")


def _require_builtin_tokenizer(model: Model, kind: str) -> None:
    if model.characters is None:
        raise OutputError(
            f"{kind} splits texts itself and cannot call the tokenizer of this model; "
            "export it to onnx, which takes tokens"
        )
