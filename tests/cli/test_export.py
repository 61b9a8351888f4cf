"""doc2vecc export."""

import pytest

from doc2vecc import Doc2VecC
from doc2vecc.cli import main
from doc2vecc.cli.export import KINDS as NAMED
from doc2vecc.exports import KINDS
from tests.cli.commands import refused


@pytest.mark.parametrize("kind", ["word2vec", "word2vec-binary", "glove"])
def test_a_file_is_written_and_the_line_that_loads_it_is_shown(here, capsys, kind):
    assert main(["export", "reviews.d2v", "--to", kind, "-o", "vectors"]) == 0
    assert (here / "vectors").stat().st_size > 1000
    assert "load it with KeyedVectors.load_word2vec_format('vectors'" in capsys.readouterr().err


def test_a_folder_is_written(here, capsys):
    arguments = ["export", "reviews.d2v", "--to", "sentence-transformers", "-o", "exported"]
    assert main(arguments) == 0
    assert "load it with SentenceTransformer('exported')" in capsys.readouterr().err
    assert "exists; choose another name, or replace it with --force" in refused(capsys, *arguments)
    assert main([*arguments, "--force"]) == 0


def test_what_exists_is_replaced_with_force_only(here, capsys):
    (here / "vectors").write_text("precious")
    assert "exists" in refused(capsys, "export", "reviews.d2v", "--to", "glove", "-o", "vectors")
    assert (here / "vectors").read_text() == "precious"
    assert main(["export", "reviews.d2v", "--to", "glove", "-o", "vectors", "--force"]) == 0
    assert (here / "vectors").read_text().startswith("the ")


def test_an_unknown_format_is_a_mistake(here, capsys):
    assert "choose one of" in refused(capsys, "export", "reviews.d2v", "--to", "fasttext", "-o", "vectors")


def test_the_help_names_every_format():
    assert NAMED.replace(" or ", ", ").split(", ") == list(KINDS)


@pytest.mark.parametrize("kind", ["glove", "sentence-transformers"])
def test_training_continues_from_exported_vectors(here, kind):
    assert main(["export", "reviews.d2v", "--to", kind, "-o", "vectors"]) == 0
    assert main(["train", "reviews.csv", "--start", "vectors", "-o", "newer.d2v", "--epochs", "1"]) == 0
    model = Doc2VecC.load("newer.d2v")
    assert model.get_params()["vector_size"] == 16
    assert set(model.vocabulary_) == set(Doc2VecC.load("reviews.d2v").vocabulary_)


def test_a_start_that_holds_no_vectors_is_a_mistake(here, capsys):
    arguments = ["-o", "newer.d2v", "--epochs", "1"]
    assert "cannot be read as word vectors" in refused(
        capsys, "train", "reviews.csv", "--start", "reviews.txt", *arguments
    )
    assert "does not exist" in refused(capsys, "train", "reviews.csv", "--start", "nothing", *arguments)
