"""``doc2vecc train`` on real files, and every mistake: one line, exit code 2."""

import errno
import io
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from doc2vecc import storage
from doc2vecc.cli import main
from doc2vecc.config import TrainingConfig
from doc2vecc.corpus import workdir
from doc2vecc.errors import DivergenceError
from doc2vecc.training import learning
from tests.cli.commands import FAST, TOPICS, refused, sentences


def test_train_says_what_it_learned_from(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("more.txt").write_bytes(b"\xff\xff the actor\n\nzzz\n")
    assert main(["train", "reviews.csv", "more.txt", "-o", "new.d2v", *FAST, "--min-count", "3"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert re.match(r"learned \d+ words from 403 documents with 4,80\d tokens in \d+\.\d s; loss \d\.\d+ in", lines[0])
    assert lines[1:-5] == [
        "note: 2 undecodable byte sequences replaced by U+FFFD",
        "note: 2 of 403 documents without a known word: ignored in training",
        "saved to new.d2v",
    ]
    assert lines[-5] == "try next:"
    commands = [shlex.split(line)[1:] for line in lines[-4:]]
    assert [command[0] for command in commands[:3]] == ["words", "similar", "index"]
    for command in commands[:3]:  # what is to be tried next works
        assert main(command) == 0


def test_the_words_to_try_are_telling(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "reviews.csv", "-o", "new.d2v", *FAST]) == 0
    (word,) = re.findall(r"doc2vecc words new.d2v (\w+)", capsys.readouterr().err)
    assert word in {word for text in TOPICS.values() for word in text.split() if len(word) > 3}
    assert word not in {"with", "much", "have"}


def test_commands_to_try_repeat_the_options_that_they_need(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pattern = ["--token-pattern", "[a-z]{3,}"]
    assert main(["train", "reviews.csv", "-o", "new.d2v", "--text-column", "text", *pattern, *FAST]) == 0
    lines = [shlex.split(line)[1:] for line in capsys.readouterr().err.splitlines() if line.startswith("  ")]
    assert [pattern[0] in line for line in lines] == [True] * 4
    assert ["--text-column" in line for line in lines] == [False, True, True, True]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path("reviews.txt").read_bytes())))
    assert main(["train", "-", "-o", "other.d2v", *FAST]) == 0
    lines = [shlex.split(line)[1:] for line in capsys.readouterr().err.splitlines() if line.startswith("  ")]
    assert [line[0] for line in lines] == ["words", "explain", "inspect"]
    for line in lines:
        assert main(line) == 0


def test_train_hands_every_setting_on(here: Path) -> None:
    settings = {
        "vector_size": 8, "architecture": "skipgram", "window": 3, "document_only": 0.5, "keep": 0.2, "negative": 2,
        "ns_exponent": 0.5, "sample": 0.01, "min_count": 2, "max_final_vocab": 20, "init": "random", "epochs": 1,
        "idf_exponent": 0.7, "max_seconds": 60.0,
        "alpha": 0.02,
        "frequency_damping": 0.3,
        "ngram_min_count": 2, "max_ngrams": 5,
        "shared_targets": 4, "workers": 1, "seed": 7,
    }  # fmt: skip
    chosen = {"document": "corrupted", "ngram_range": (1, 3), "binary": True, "predict_ngrams": False}
    chosen["reproducible"] = False  # does not go with max_seconds
    assert settings.keys() == vars(TrainingConfig()).keys() - chosen.keys()
    options = [text for name, value in settings.items() for text in (f"--{name.replace('_', '-')}", str(value))]
    options += ["--ngram-range", "1", "3", "--binary", "--no-predict-ngrams"]
    assert main(["train", "reviews.txt", "-o", "new.d2v", *options]) == 0
    model = storage.load("new.d2v")
    assert model.record.settings == {**settings, **chosen}
    assert (model.vocabulary.n_words, len(model.vocabulary.ngrams)) == (20, 5)


def test_train_reads_standard_input(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path("reviews.csv").read_bytes())))
    assert main(["train", "-", "--format", "csv", "--text-column", "text", "-o", "new.d2v", *FAST]) == 0
    assert storage.load("new.d2v").record.report["documents"] == 400


def test_train_replaces_a_model_when_forced(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["train", "reviews.txt", "-o", "new.d2v", *FAST]
    assert main(arguments) == 0
    capsys.readouterr()
    assert "new.d2v exists; choose another name, or replace it with --force" in refused(capsys, *arguments)
    assert main([*arguments, "--force"]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope.csv", "-o", "new"], "no file or folder 'nope.csv'"),
        (
            ["reviews.csv", "--text-column", "body", "-o", "new"],
            "no column 'body' in reviews.csv; it has: id, label, text",
        ),
        (["two.csv", "-o", "new"], "several text columns in two.csv: a, b"),
        (["empty.txt", "-o", "new"], "there are no documents to learn from"),
        (["blank.txt", "-o", "new"], "no word in 2 documents"),
        (
            ["rare.txt", "-o", "new", "--min-count", "5"],
            "no word occurs 5 times in 2 documents (the most frequent one: 2); lower min_count",
        ),
        (["reviews.csv", "-o", "reviews.txt"], "reviews.txt exists and is not a doc2vecc model"),
        (["reviews.csv", "-o", "single", "--force"], "single exists and is not a doc2vecc model"),
        (["reviews.csv", "-o", "reviews.txt/new"], "reviews.txt is not a folder"),
        (["reviews.csv", "-o", "new", "--alpha", "0"], "alpha=0.0 does not fit"),
        (["reviews.csv", "-o", "new", "--vector-size", "0"], "vector_size=0 does not fit"),
        (["reviews.csv", "-o", "new", "--architecture", "glove"], "'glove' is not one of 'cbow', 'skipgram'"),
        (["reviews.csv", "-o", "new", "--epochs", "many"], "epochs='many'"),
        (["reviews.csv", "-o", "new", "--format", "doc"], "unknown input format 'doc'"),
        (["bad.txt", "-o", "new", "--strict"], "bad.txt: byte 2 is not valid UTF-8"),
        *(
            (["reviews.csv", "-o", "new", f"--{name}", "9" * 20], f"{name.replace('-', '_')}={'9' * 20} does not fit")
            for name in ("vector-size", "window", "negative", "epochs", "workers")
        ),
        (["reviews.csv"], "Missing option"),
        (["-o", "new"], "Missing argument"),
        (["reviews.csv", "-o", "new", "--dimension", "3"], "No such option"),
    ],
)
def test_mistakes_of_train(arguments: list[str], message: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("two.csv").write_text("a,b\nx y,z w\n")
    Path("empty.txt").touch()
    Path("blank.txt").write_text("\n\n")
    Path("rare.txt").write_text("a b\nb c\n")
    Path("bad.txt").write_bytes(b"a \xff")
    assert message in refused(capsys, "train", *arguments)


def test_too_little_memory_is_one_line(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for size, needed in ((1 << 50, ": 4,503,599.6 GB more were needed"), (None, "")):

        def fail(*_arguments: object, size: int | None = size, **_options: object) -> None:
            if size is None:
                raise MemoryError
            np.empty(size, np.float32)

        monkeypatch.setattr(learning, "train", fail)
        message = refused(capsys, "train", "reviews.txt", "-o", "new")
        assert f"there is not enough memory{needed}; lower --vector-size, --window" in message


def test_a_training_that_diverges(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def diverge(*_arguments: object, **_options: object) -> None:
        raise DivergenceError(10.0)

    monkeypatch.setattr(learning, "train", diverge)
    assert "the training diverged with alpha=10; lower it, to 2.5 say" in refused(
        capsys, "train", "reviews.txt", "-o", "new"
    )


def test_train_refuses_before_it_reads(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo("pipe.txt")  # reading it would wait for ever
    for arguments in (["-o", "reviews.d2v"], ["-o", "new", "--keep", "2"], ["nope.txt", "-o", "new"]):
        refused(capsys, "train", "pipe.txt", *arguments)


def test_an_output_folder_that_cannot_be_written_to(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "cannot write" in refused(capsys, "embed", "reviews.d2v", "reviews.txt", "-o", "/proc/new.npy")
    if os.geteuid() != 0:  # the superuser may write anywhere
        Path("locked").mkdir(mode=0o500)
        assert "cannot be written to" in refused(capsys, "train", "reviews.txt", "-o", "locked/new.d2v")
        assert "cannot be written to" in refused(capsys, "embed", "reviews.d2v", "reviews.txt", "-o", "locked/a.npy")


def test_a_full_disk(here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ["embed", "reviews.d2v", "reviews.txt", "-o", "/dev/full", "--output-format", "jsonl"]
    assert refused(capsys, *arguments) == "error: cannot write: No space left on device\n"

    def full(file: str | None) -> None:
        def fail(*_arguments: object, **_options: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device", file)

        monkeypatch.setattr(learning, "learn", fail)

    temporary = tempfile.gettempdir()
    hint = f"No space left on device; temporary files go to {temporary}, or to TMPDIR"
    for file, is_temporary in ((None, True), (f"{temporary}/doc2vecc-x/ids", True), ("/elsewhere/ids", False)):
        full(file)
        assert (hint in refused(capsys, "train", "reviews.txt", "-o", "new")) == is_temporary


def test_error_lines_are_short_and_harmless(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = refused(capsys, "train", "a\x1b[2J\n\x07b", "-o", "new")
    assert line[:-1].isprintable()
    line = refused(capsys, "train", "x" * 5000, "-o", "new")
    assert len(line) <= 501
    assert " ... " in line


def test_numbers_and_nouns_agree_and_the_word_to_try_has_letters(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("dots.txt").write_text(". . . . . .\n")
    assert main(["train", "dots.txt", "-o", "dots.d2v", *FAST, "--epochs", "1"]) == 0
    err = capsys.readouterr().err
    assert err.startswith("learned 1 word from 1 document with 6 tokens in ")
    assert "in the last of 1 epoch\n" in err
    assert "try next" not in err
    Path("words.txt").write_text(". . . . . . . it1 it1 it1 it1 it1 7 7 7 7 7 7\n")
    assert main(["train", "words.txt", "-o", "words.d2v", *FAST]) == 0
    assert "  doc2vecc words words.d2v it1\n" in capsys.readouterr().err
    assert main(["embed", "words.d2v", "dots.txt", "-o", "a.npy"]) == 0
    assert capsys.readouterr().err.startswith("embedded 1 document in ")


def test_train_goes_on_from_a_model(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "reviews.txt", "-o", "first.d2v", *FAST, "--vector-size", "12"]) == 0
    capsys.readouterr()
    assert main(["train", "reviews.txt", "--start", "first.d2v", "-o", "second.d2v", "--epochs", "3"]) == 0
    assert "in the last of 3 epochs\n" in capsys.readouterr().err
    first, second = storage.load("first.d2v"), storage.load("second.d2v")
    assert second.dim == 12
    assert len(second.record.history) == len(first.record.history) + 3
    assert second.vocabulary.counts[0] == 2 * first.vocabulary.counts[0]
    assert main(["train", "reviews.txt", "--start", "reviews.txt", "-o", "third.d2v", *FAST]) == 2


def test_advice_on_too_few_epochs_from_a_random_start(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "reviews.txt", "-o", "new.d2v", *FAST, "--init", "random"]) == 0
    advice = [line for line in capsys.readouterr().err.splitlines() if line.startswith("advice: ")]
    assert len(advice) == 1
    assert "try --init spectral, or --epochs " in advice[0]


@pytest.mark.parametrize(
    ("option", "found"),
    [(["--vector-size", "100"], "100"), (["--binary"], "True"), (["--ngram-range", "1", "2"], "(1, 2)")],
)
def test_what_the_model_to_start_from_decides_cannot_be_given(
    here: Path, capsys: pytest.CaptureFixture[str], option: list[str], found: str
) -> None:
    err = refused(capsys, "train", "reviews.txt", "--start", "reviews.d2v", "-o", "new.d2v", *option)
    assert f"{option[0]} is {found}, but the model to start from has " in err
    assert main(["train", "reviews.txt", "--start", "reviews.d2v", "-o", "new.d2v", "--vector-size", "16"]) == 0


def test_a_csv_file_with_another_delimiter(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"{number};{text}, and more\n" for number, (_, text) in enumerate(sentences(60)))
    Path("a.csv").write_text("id;text\n" + rows)
    assert main(["train", "a.csv", "-o", "new.d2v", *FAST]) == 0
    assert "from 60 documents" in capsys.readouterr().err
    err = refused(capsys, "embed", "new.d2v", "a.csv", "-o", "a.npy", "--delimiter", ",", "--text-column", "id;text")
    assert "60 of 60 lines cannot be read, more than 1% (the first is row 2: 2 cells where the header has 1)" in err
    Path("b.csv").write_text(("id;text\n" + rows).replace(";", "\t"))
    assert main(["embed", "new.d2v", "b.csv", "-o", "b.npy", "--delimiter", "tab", "--drop-text"]) == 0
    capsys.readouterr()
    wrong = refused(capsys, "embed", "new.d2v", "a.csv", "-o", "a.npy", "--delimiter", "::")
    assert "delimiter='::' does not fit; it must be one ASCII character" in wrong


def test_encoded_texts_are_kept_and_used_again(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["train", "reviews.txt", "--workdir", "work", *FAST, "--workers", "1"]
    assert main([*arguments, "-o", "first.d2v"]) == 0
    assert "used the encoded texts" not in capsys.readouterr().err
    assert main([*arguments, "-o", "second.d2v"]) == 0
    used = f"used the encoded texts in {Path('work', 'corpus')}; the files were not read again"
    assert capsys.readouterr().err.startswith(used)
    vectors = [Path(name, "model.safetensors").read_bytes() for name in ("first.d2v", "second.d2v")]
    assert vectors[0] == vectors[1]
    assert "was made with min_count" in refused(capsys, *arguments, "-o", "third.d2v", "--min-count", "7")
    assert "--workdir is for a new model" in refused(capsys, *arguments, "-o", "third.d2v", "--start", "first.d2v")


def test_the_disk_that_is_needed_is_said_before(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workdir, "WORTH_SAYING", 1)
    assert main(["train", "reviews.txt", "-o", "new.d2v", *FAST]) == 0
    assert capsys.readouterr().err.startswith("encoding the texts needs up to 0.0 GB of disk in ")
    monkeypatch.setattr(workdir, "DISK_OF_WORDS", 1e15)
    assert "GB of disk, and" in refused(capsys, "train", "reviews.txt", "-o", "other.d2v", *FAST)


def test_a_reproducible_training_is_the_same_with_any_number_of_workers(here: Path) -> None:
    for workers in ("1", "3"):
        options = ["-o", f"{workers}.d2v", *FAST, "--reproducible", "--workers", workers]
        assert main(["train", "reviews.txt", *options]) == 0
    vectors = [Path(f"{workers}.d2v", "model.safetensors").read_bytes() for workers in (1, 3)]
    assert vectors[0] == vectors[1]
