import json
import mmap
import os
import shutil
import struct
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from safetensors.numpy import load_file, save_file

from doc2vecc import Doc2VecC, storage
from doc2vecc.card import CARD_FILE
from doc2vecc.corpus.tokenizer import CHARACTERS_VERSION, BuiltinTokenizer, tokenize
from doc2vecc.corpus.vocabulary import Vocabulary
from doc2vecc.errors import ModelFolderError
from doc2vecc.model import EpochRecord, Model, TrainingRecord
from doc2vecc.storage import ARRAYS_FILE, CONFIG_FILE, is_model_folder, load, save

ODD_WORDS = ["the", "don't", "naïve", "😀", "שלום", '"', "\\", "\x85", "中", "a\tb\nc", "x" * 500, "\ud800", ""]
ODD_BYTES = "".join(ODD_WORDS).encode("utf-8", "surrogatepass")


def make_model(words=ODD_WORDS, dim=5, *, seed=0, tokenizer=None):
    generator = np.random.default_rng(seed)
    rows = np.zeros((len(words) + 4, 8), np.float32)
    rows[:, :dim] = generator.normal(size=(len(words) + 4, dim))
    outputs = np.zeros_like(rows)
    outputs[:, :dim] = generator.normal(size=(len(words) + 4, dim))
    record = TrainingRecord(
        {"vector_size": dim, "alpha": 0.1 + 0.2, "max_final_vocab": None, "architecture": "cbow", "seed": 2**64 - 1},
        [EpochRecord(1 / 3, 10**12, 0.1), EpochRecord(2.5, 7, 1e-7)],
        {"documents": 3, "tokens": 10**13},
    )
    vocabulary = Vocabulary.from_words(words, generator.integers(1, 10**12, len(words)))
    return Model(vocabulary, rows, dim, outputs=outputs, tokenizer=tokenizer, binary=True, record=record)


def assert_same(one, other):
    np.testing.assert_array_equal(one.word_vectors, other.word_vectors, strict=True)
    np.testing.assert_array_equal(one.outputs, other.outputs, strict=True)
    np.testing.assert_array_equal(one.vocabulary.counts, other.vocabulary.counts, strict=True)
    assert one.vocabulary.words == other.vocabulary.words
    assert one.vocabulary == other.vocabulary
    assert (one.dim, one.binary) == (other.dim, other.binary)
    assert one.record == other.record


def the_error(folder, **options):
    with pytest.raises(ModelFolderError) as caught:
        load(folder, **options)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.fixture
def folder(tmp_path):
    """A saved model; what is beside it tells of anything left behind."""
    save(make_model(), tmp_path / "model.d2v")
    return tmp_path / "model.d2v"


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def change_config(folder, **changes):
    path = folder / CONFIG_FILE
    config = {**json.loads(path.read_text("utf-8")), **changes}
    path.write_text(json.dumps({name: value for name, value in config.items() if value != "drop it"}), "utf-8")


def change_arrays(folder, **changes):
    arrays = {**load_file(folder / ARRAYS_FILE), **changes}
    save_file({name: array for name, array in arrays.items() if array is not None}, folder / ARRAYS_FILE)


# ---- round trip


@pytest.mark.parametrize("dim", [1, 5, 8])
@pytest.mark.parametrize("words", [ODD_WORDS, ["one"], [f"word{number}" for number in range(40_000)]])
def test_round_trip(tmp_path, words, dim):
    model = make_model(words, dim)
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert_same(loaded, model)
    assert loaded.record.history[0].words == 10**12
    assert isinstance(loaded.record.history[0], EpochRecord)
    assert loaded.tokenizer == BuiltinTokenizer()


def test_a_loaded_model_embeds_bitwise_the_same(folder):
    documents = pa.array(["The naïve 😀 שלום", "don’t", "中文x"], pa.large_string())
    model, loaded = make_model(), load(folder)
    np.testing.assert_array_equal(loaded.embed(documents).vectors, model.embed(documents).vectors)
    assert loaded.embed(documents).known_words.tolist() == [4, 1, 1]


def test_a_loaded_model_can_be_saved_again(folder, tmp_path):
    save(load(folder), tmp_path / "again")
    assert contents(tmp_path / "again") == contents(folder)
    save(load(folder), folder)  # onto the very files that are mapped
    assert_same(load(folder), make_model())


def test_the_safetensors_library_reads_the_file(folder):
    model, arrays = make_model(), load_file(folder / ARRAYS_FILE)
    assert arrays.keys() == {"inputs", "outputs", "counts", "word_offsets", "word_bytes"}
    np.testing.assert_array_equal(arrays["inputs"], model.word_vectors, strict=True)
    np.testing.assert_array_equal(arrays["outputs"], model.outputs, strict=True)
    np.testing.assert_array_equal(arrays["counts"], model.vocabulary.counts, strict=True)
    words = np.split(arrays["word_bytes"], arrays["word_offsets"][1:-1])
    assert [bytes(word).decode("utf-8", "surrogatepass") for word in words] == ODD_WORDS


def test_a_file_of_the_safetensors_library_can_be_loaded(folder):
    change_arrays(folder)
    assert_same(load(folder), make_model())


def test_the_config_is_plain_json(folder):
    config = json.loads((folder / CONFIG_FILE).read_text("utf-8"))
    assert (config["format"], config["format_version"]) == ("doc2vecc", 1)
    assert (config["dim"], config["words"], config["tokenizer"]) == (5, len(ODD_WORDS), "builtin")
    assert config["settings"]["seed"] == 2**64 - 1


def test_the_data_begin_at_a_cache_line(folder):
    (header_size,) = struct.unpack("<Q", (folder / ARRAYS_FILE).read_bytes()[:8])
    assert (8 + header_size) % 64 == 0
    assert all(array.flags.aligned for array in (load(folder).word_vectors, load(folder).vocabulary.word_offsets))


def origin(array):
    while isinstance(array.base, np.ndarray):
        array = array.base
    base = array.base
    return base.obj if isinstance(base, memoryview) else base


def test_the_vectors_of_a_large_model_are_mapped(folder, monkeypatch):
    """What was checked and decides where kernels read is copied; it cannot change under a running process."""
    assert not any(isinstance(origin(table), mmap.mmap) for table in (load(folder).word_vectors, load(folder).outputs))
    monkeypatch.setattr(storage, "MAPPED_FROM", 1)
    model = load(folder)
    for array in (model.word_vectors, model.outputs):
        assert not array.flags.writeable
        assert isinstance(origin(array), mmap.mmap)
    vocabulary = model.vocabulary
    for array in (vocabulary.counts, vocabulary.word_offsets, vocabulary.word_bytes, vocabulary.ngrams):
        assert not array.flags.writeable
        assert not isinstance(origin(array), mmap.mmap)


def test_a_loaded_model_survives_the_truncation_of_its_file(folder):
    model = load(folder)
    os.truncate(folder / ARRAYS_FILE, 100)
    assert_same(model, make_model())


def test_a_loaded_model_survives_the_removal_of_its_folder(folder):
    model = load(folder)
    shutil.rmtree(folder)
    assert_same(model, make_model())


def test_settings_that_are_numpy_numbers(tmp_path):
    """As GridSearchCV over np.arange(...) hands them in."""
    model = make_model()
    model.record.settings.update(window=np.int64(5), alpha=np.float32(0.5), keep=np.float64(0.1))
    save(model, tmp_path / "model")
    settings = load(tmp_path / "model").record.settings
    assert (settings["window"], settings["alpha"], settings["keep"]) == (5, 0.5, 0.1)


def test_parent_folders_are_made(tmp_path):
    save(make_model(), str(tmp_path / "a" / "b" / "model"))
    assert_same(load(str(tmp_path / "a" / "b" / "model")), make_model())


def test_a_name_in_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save(make_model(), "model")
    save(make_model(), "model")
    assert_same(load("model"), make_model())
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


# ---- what cannot be loaded


def test_no_folder(tmp_path):
    assert the_error(tmp_path / "none") == (
        f"{tmp_path / 'none'} does not exist; a model is a folder made by `doc2vecc train` or save()"
    )


def test_a_file_instead_of_a_folder(tmp_path):
    path = tmp_path / "model"
    path.write_text("{}")
    assert the_error(path).startswith(f"{path} is a file; ")


def test_an_empty_folder(tmp_path):
    assert the_error(tmp_path) == f"{tmp_path} has no config.json; it is not a doc2vecc model"


@pytest.mark.parametrize("name", [CONFIG_FILE, ARRAYS_FILE])
def test_a_missing_file(folder, name):
    (folder / name).unlink()
    message = the_error(folder)
    assert str(folder) in message
    assert name in message


@pytest.mark.parametrize("name", [CONFIG_FILE, ARRAYS_FILE])
@pytest.mark.parametrize("damage", ["empty", "half", "last byte", "garbage", "text", "folder"])
def test_a_damaged_file(folder, name, damage):
    path = folder / name
    whole = path.read_bytes()
    path.unlink()
    if damage == "folder":
        path.mkdir()
    else:
        garbage = np.random.default_rng(0).bytes(500)
        path.write_bytes(
            {
                "empty": b"",
                "half": whole[: len(whole) // 2],
                "last byte": whole[:-1],
                "garbage": garbage,
                "text": b"hello\nworld\n" * 50,
            }[damage]
        )
    assert str(path) in the_error(folder)


@pytest.mark.parametrize("config", ["[]", "null", "3", '"doc2vecc"', "{}", '{"format": "gensim"}', '{"format": null}'])
def test_a_config_of_something_else(folder, config):
    (folder / CONFIG_FILE).write_text(config)
    assert "does not describe a doc2vecc model" in the_error(folder)
    assert str(folder) in the_error(folder)


@pytest.mark.parametrize("version", [0, 2, "1", None, [1], "drop it"])
def test_another_format_version(folder, version):
    change_config(folder, format_version=version)
    found = None if version == "drop it" else version
    assert the_error(folder) == f"{folder} has format version {found!r}, this program reads 1; upgrade doc2vecc"


def test_a_config_that_does_not_tell_how_words_count(folder):
    change_config(folder, binary="drop it")
    assert load(folder).binary is False


@pytest.mark.parametrize("name", ["dim", "tokenizer", "settings", "history", "report"])
def test_a_config_that_lacks_something(folder, name):
    change_config(folder, **{name: "drop it"})
    assert the_error(folder) == f"{folder / CONFIG_FILE} lacks {name}; save the model again"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("dim", "5"),
        ("dim", None),
        ("dim", 4),
        ("dim", 5.0),
        ("dim", 0),
        ("dim", True),
        ("tokenizer", ["builtin"]),
        ("binary", 1),
        ("binary", None),
        ("binary", "true"),
        ("history", [[1.0]]),
        ("history", [3]),
        ("history", 3),
        ("history", {"a": 1}),
        ("settings", [1]),
        ("settings", None),
        ("report", [1]),
        ("report", 7),
        ("report", {"documents": "3"}),
        ("report", {"documents": None}),
        ("report", {"documents": -1}),
        ("report", {"documents": 10**200}),
        ("history", [[float("nan"), 1, 1.0]]),
        ("history", [[1.0, 1, float("inf")]]),
        ("history", [["1", 2, 3]]),
    ],
)
def test_a_config_with_wrong_values(folder, name, value):
    change_config(folder, **{name: value})
    assert str(folder) in the_error(folder)


@pytest.mark.parametrize("name", ["inputs", "outputs", "counts", "word_offsets", "word_bytes"])
def test_an_array_is_missing(folder, name):
    change_arrays(folder, **{name: None})
    assert str(folder) in the_error(folder)
    assert name in the_error(folder)


def test_a_model_of_someone_else(folder):
    save_file({"embedding.weight": np.zeros((3, 3), np.float16)}, folder / ARRAYS_FILE)
    assert str(folder / ARRAYS_FILE) in the_error(folder)


WRONG_ARRAYS = {
    "inputs: a row less": {"inputs": np.zeros((len(ODD_WORDS) - 1, 5), np.float32)},
    "inputs: a column more": {"inputs": np.zeros((len(ODD_WORDS), 6), np.float32)},
    "inputs: flat": {"inputs": np.zeros(len(ODD_WORDS) * 5, np.float32)},
    "inputs: whole numbers": {"inputs": np.zeros((len(ODD_WORDS), 5), np.int64)},
    "inputs: float64": {"inputs": np.zeros((len(ODD_WORDS), 5), np.float64)},
    "outputs: a row more": {"outputs": np.zeros((len(ODD_WORDS) + 1, 5), np.float32)},
    "counts: one less": {"counts": np.ones(len(ODD_WORDS) - 1, np.int64)},
    "counts: float": {"counts": np.ones(len(ODD_WORDS), np.float32)},
    "word_offsets: one less": {"word_offsets": np.zeros(len(ODD_WORDS), np.int64)},
    "word_offsets: one more": {"word_offsets": np.zeros(len(ODD_WORDS) + 2, np.int64)},
    "word_offsets: beyond the end": {"word_offsets": np.arange(len(ODD_WORDS) + 1) * 10_000},
    "word_offsets: backwards": {"word_offsets": np.arange(len(ODD_WORDS), -1, -1)},
    "word_offsets: below zero": {"word_offsets": np.arange(len(ODD_WORDS) + 1) - 5},
    "word_offsets: a difference overflows": {
        "word_offsets": np.array([0, 2**63 - 1, -2, *range(3, len(ODD_WORDS)), len(ODD_BYTES)])
    },
    "word_bytes: cut off": {"word_bytes": np.zeros(3, np.uint8)},
    "word_bytes: wrong type": {"word_bytes": np.zeros(600, np.int64)},
}


@pytest.mark.parametrize("case", WRONG_ARRAYS)
def test_arrays_that_do_not_fit_together(folder, case):
    """What is not found here would make compiled loops read beyond the end of an array."""
    change_arrays(folder, **WRONG_ARRAYS[case])
    assert str(folder) in the_error(folder)


def make_ngram_model(words=("a", "b"), pairs=((0, 1), (2, 0)), texts=None):
    """A model of words and n-grams; ``texts`` are those of the n-grams, if not the right ones."""
    vocabulary = Vocabulary.from_words(words, [1] * len(words))
    ngrams = np.array(pairs, np.int32)
    if texts is None:
        vocabulary = vocabulary.with_ngrams(ngrams, np.ones(len(ngrams), np.int64))
    else:
        vocabulary = Vocabulary.from_words([*words, *texts], [1] * (len(words) + len(texts)), ngrams)
    table = np.ones((len(vocabulary), 3), np.float32)
    return Model(vocabulary, table, 3, outputs=table)


WRONG_VALUES = {
    "a word occurs less than never, or too often": {"counts": np.full(len(ODD_WORDS), -1)},
    "a word is not valid UTF-8": {"word_bytes": np.full(len(ODD_BYTES), 0xFF, np.uint8)},
    "a vector holds a value that is not finite, or too large": {
        "inputs": np.full((len(ODD_WORDS), 5), np.inf, np.float32)
    },
}


@pytest.mark.parametrize("problem", WRONG_VALUES)
def test_values_that_nothing_can_be_done_with(folder, problem):
    change_arrays(folder, **WRONG_VALUES[problem])
    assert the_error(folder) == f"{folder / ARRAYS_FILE} is damaged: {problem}; save the model again"


@pytest.mark.parametrize("value", [np.nan, -np.inf, 1e30])
def test_vectors_that_are_not_finite(folder, value):
    outputs = np.zeros((len(ODD_WORDS), 5), np.float32)
    outputs[7, 3] = value
    change_arrays(folder, outputs=outputs)
    assert "not finite, or too large" in the_error(folder)


def test_a_word_that_begins_inside_a_character(folder):
    """All words together are valid, so it is the offsets that tell."""
    offsets = load_file(folder / ARRAYS_FILE)["word_offsets"]
    offsets[3] -= 3  # "naïve" ends after the first byte of its "ï"
    change_arrays(folder, word_offsets=offsets)
    assert "not valid UTF-8" in the_error(folder)


def test_ngrams_that_are_not_what_their_words_say(tmp_path):
    save(make_ngram_model(texts=["a b", "a b b"]), tmp_path / "model")
    assert "an n-gram is not the text of its words" in the_error(tmp_path / "model")


def test_a_chain_of_ngrams_is_refused_at_once(tmp_path):
    """One pass for each length would take hours."""
    length = 300_000
    chain = np.column_stack([np.arange(length), np.zeros(length, np.int32)])
    save(make_ngram_model(["a"], chain, texts=["x"] * length), tmp_path / "model")
    assert "an n-gram has more than 5 words" in the_error(tmp_path / "model")
    save(make_ngram_model(["a"], chain[:4]), tmp_path / "fine")
    assert load(tmp_path / "fine").vocabulary.longest_ngram == 5


@pytest.mark.skipif(os.name != "posix", reason="no such files")
@pytest.mark.parametrize("name", [CONFIG_FILE, ARRAYS_FILE])
@pytest.mark.parametrize("what", ["pipe", "device"])
def test_a_file_that_never_ends(folder, name, what):
    (folder / name).unlink()
    if what == "pipe":
        os.mkfifo(folder / name)
    else:
        (folder / name).symlink_to("/dev/zero")
    assert "it is not a file" in the_error(folder)
    assert is_model_folder(folder) is (name == ARRAYS_FILE)


def test_a_config_that_is_too_large_or_too_deep(folder, monkeypatch):
    (folder / CONFIG_FILE).write_text("[" * 100_000)
    assert "nested too deeply" in the_error(folder)
    assert not is_model_folder(folder)
    monkeypatch.setattr(storage, "LARGEST_CONFIG", 99_999)
    assert "it is larger than" in the_error(folder)


def test_a_header_of_odd_length(folder):
    """Kernels are compiled for aligned arrays."""
    path = folder / ARRAYS_FILE
    whole = path.read_bytes()
    (size,) = struct.unpack("<Q", whole[:8])
    header = whole[8 : 8 + size].rstrip()
    header += b" " * (len(header) % 2 == 0)
    path.write_bytes(struct.pack("<Q", len(header)) + header + whole[8 + size :])
    assert load(folder).word_vectors.flags.aligned
    assert_same(load(folder), make_model())


# ---- what is overwritten, and what is not


def test_a_new_model_replaces_an_older_one(folder):
    (folder / "left-over.txt").write_text("from an older version")
    save(make_model(["other", "words"], 3, seed=9), folder)
    assert_same(load(folder), make_model(["other", "words"], 3, seed=9))
    assert {path.name for path in folder.iterdir()} == {CONFIG_FILE, ARRAYS_FILE, CARD_FILE}
    assert list(folder.parent.iterdir()) == [folder]


@pytest.mark.parametrize("what", ["file", "folder", "empty folder", "other config"])
def test_what_is_not_ours_is_left_alone(tmp_path, what):
    path = tmp_path / "thesis"
    if what == "file":
        path.write_text("chapter one")
    else:
        path.mkdir()
        if what != "empty folder":
            name = CONFIG_FILE if what == "other config" else "chapter.txt"
            (path / name).write_text('{"format": "thesis"}')
    before = contents(tmp_path)
    with pytest.raises(ModelFolderError) as caught:
        save(make_model(), path)
    assert str(caught.value) == f"{path} exists and is not a doc2vecc model; choose another name or remove it"
    assert contents(tmp_path) == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_a_failing_write_leaves_the_old_model_and_nothing_else(folder, monkeypatch, error):
    def fail(model, path):
        path.write_bytes(b"half a")
        raise error

    before = contents(folder)
    monkeypatch.setattr(storage, "_write_arrays", fail)
    with pytest.raises(type(error)):
        save(make_model(seed=5), folder)
    assert contents(folder) == before
    assert list(folder.parent.iterdir()) == [folder]
    with pytest.raises(type(error)):
        save(make_model(seed=5), folder.parent / "new")
    assert list(folder.parent.iterdir()) == [folder]


def test_settings_that_json_cannot_hold_leave_the_old_model(folder):
    before = contents(folder)
    model = make_model(seed=5)
    model.record.settings["window"] = object()
    with pytest.raises(TypeError):
        save(model, folder)
    assert contents(folder) == before
    assert list(folder.parent.iterdir()) == [folder]


def test_is_model_folder(folder, tmp_path):
    assert is_model_folder(folder)
    assert not is_model_folder(tmp_path)
    assert not is_model_folder(tmp_path / "none")
    assert not is_model_folder(folder / CONFIG_FILE)


# ---- tokenizers


class Splitter:
    def __call__(self, text):
        return text.split()


@pytest.mark.parametrize(
    ("tokenizer", "name"),
    [
        (tokenize, "doc2vecc.corpus.tokenizer:tokenize"),
        (Splitter(), "tests.test_storage:Splitter"),
        (str.split, "str.split"),
    ],
)
def test_a_tokenizer_of_the_users_own_must_be_passed_again(tmp_path, tokenizer, name):
    path = tmp_path / "model"
    save(make_model(tokenizer=tokenizer), path)
    assert json.loads((path / CONFIG_FILE).read_text("utf-8"))["tokenizer"] == name
    remedy = "pass it again as --tokenizer MODULE:FUNCTION / tokenizer="
    assert the_error(path) == f"{path} was trained with the tokenizer {name}; {remedy}"
    loaded = load(path, tokenizer)
    assert loaded.tokenizer is tokenizer
    assert_same(loaded, make_model())


def test_the_builtin_tokenizer_cannot_be_exchanged(folder):
    assert the_error(folder, tokenizer=str.split) == (
        f"{folder} was trained with the built-in tokenizer; load it without tokenizer="
    )


@pytest.mark.parametrize("version", [CHARACTERS_VERSION + 1, 0, "2", True, None])
def test_an_unknown_table_of_characters(folder, version):
    change_config(folder, characters=version)
    assert the_error(folder) == (
        f"{folder} has version {version!r} of the table of characters, this program knows 1 to 2; upgrade doc2vecc"
    )


# ---- folders of earlier versions: words.d2v and ngrams.d2v were written before parameters were renamed


@pytest.mark.parametrize("name", ["words", "ngrams"])
def test_a_folder_of_an_earlier_version_gives_the_same_vectors(name):
    models = Path(__file__).parent / "models"
    model = Doc2VecC.load(models / f"{name}.d2v")
    vectors = model.transform(["the cat is not good", "a film about rain"])
    np.testing.assert_array_equal(vectors, np.load(models / f"{name}.npy"))


def test_a_folder_of_an_earlier_version_keeps_its_tokens(tmp_path):
    model = Doc2VecC.load(Path(__file__).parent / "models" / "words.d2v")
    model.partial_fit(["天气 好"] * model.min_count)
    model.save(tmp_path / "model")
    loaded = Doc2VecC.load(tmp_path / "model")
    assert {"天气", "好"} < loaded.vocabulary_.keys()
    assert loaded.transform(["天气"]).any()
    assert loaded.model_.tokenize("天气好") == ["天气好"]


def test_renamed_settings_of_an_earlier_version_are_understood():
    model = Doc2VecC.load(Path(__file__).parent / "models" / "ngrams.d2v")
    assert (model.ns_exponent, model.max_final_vocab, model.predict_ngrams) == (0.5, 20, False)
    assert model.report_["ngrams"] == len(model.vocabulary_.ngrams) > 0
    assert model.partial_fit(["the cat is not good"] * 9).ngram_range == (1, 3)


@pytest.mark.parametrize("kind", ["words", "n-grams"])
def test_words_that_are_all_equal_do_not_stall_the_look_up(tmp_path, kind):
    """Each would be compared with all before it: an hour for some million."""
    n_ngrams = 50_000 if kind == "n-grams" else 0
    words = ["a"] * (2 if n_ngrams else 50_000)
    vocabulary = Vocabulary.from_words([*words, *["a a"] * n_ngrams], [1] * (len(words) + n_ngrams))
    if n_ngrams:
        vocabulary = Vocabulary(*(getattr(vocabulary, name) for name in ("word_bytes", "word_offsets", "counts")),
                                np.zeros((n_ngrams, 2), np.int32))  # fmt: skip
    rows = np.ones((len(vocabulary), 1), np.float32)
    save(Model(vocabulary, rows, 1, outputs=rows), tmp_path / "m")
    model = load(tmp_path / "m")
    with pytest.raises(ModelFolderError, match="50,000 words or n-grams cannot be looked up: too many are equal"):
        model.embed(pa.array(["a a"], pa.large_string()))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"history": [[10**400, 1, 1.0]]}, "history must be a list"),
        ({"stop_words": ["\ud800"]}, "surrogates not allowed"),
        ({"settings": {"\udfff": 1}}, "surrogates not allowed"),
    ],
)
def test_values_that_could_not_be_shown_or_written_again(tmp_path, changes, message):
    save(make_model(), tmp_path / "m")
    path = tmp_path / "m" / CONFIG_FILE
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changes))
    with pytest.raises(ModelFolderError, match=message):
        load(tmp_path / "m")


def test_a_config_may_hold_any_character_as_an_escape(tmp_path):
    save(make_model(), tmp_path / "m")
    path = tmp_path / "m" / CONFIG_FILE
    config = json.loads(path.read_text("utf-8")) | {"stop_words": ["😀"]}
    path.write_text(json.dumps(config, ensure_ascii=True))
    assert r"\ud83d" in path.read_text()
    assert load(tmp_path / "m").tokenizer.stop_words == ("😀",)
