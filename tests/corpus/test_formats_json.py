"""json: arrays of objects or strings."""

import pytest

from doc2vecc.corpus import text_column
from doc2vecc.corpus.sources import InputError, ReadingRules, read_files


def read(folder, content, **options):
    path = folder / "some.json"
    path.write_text(content, "utf-8")
    batches = read_files(path, **options)
    return [row for batch in batches for row in batch.to_pylist()], batches.report


def test_strings(tmp_path):
    rows, report = read(tmp_path, ' \n[ "a film", null,\n"ein B\\u00fcch" ]\n')
    assert rows == [{"text": "a film"}, {"text": ""}, {"text": "ein Büch"}]
    assert report.missing == 1


def test_objects(tmp_path):
    rows, _ = read(tmp_path, '[{"id": 1, "text": "a"},\n {"id": 2, "text": "b"}]', keep_columns=True)
    assert rows == [{"id": 1, "text": "a"}, {"id": 2, "text": "b"}]


def test_what_begins_otherwise_is_jsonl(tmp_path):
    assert read(tmp_path, '\n{"text": "a"}\n{"text": "b"}\n')[0] == [{"text": "a"}, {"text": "b"}]


@pytest.mark.parametrize("content", ["", "[]", " [ ] "])
def test_nothing(tmp_path, content):
    assert read(tmp_path, content)[0] == []


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ('["a", "b"', "element 2 of the array is not valid JSON, or the array has no end"),
        ('["a" "b"]', "element 1 of"),
        ('["a",]', "element 2 of"),
        ('["a", nope]', "element 2 of"),
        ("[" * 100_000, "element 1 of"),
        ('["a"] ["b"]', "something follows the end of the array"),
    ],
)
def test_broken_arrays(tmp_path, content, why):
    with pytest.raises(InputError, match=why):
        read(tmp_path, content)


def test_elements_that_are_no_documents_are_skipped_and_counted(tmp_path):
    rows, report = read(tmp_path, '["a", 3, ["b"], {"text": 4}]', rules=ReadingRules(skip_malformed=True))
    assert rows == [{"text": "a"}]
    assert report.skipped_lines == 3
    with pytest.raises(InputError, match="element 2: a JSON int, not an object or a string"):
        read(tmp_path, '["a", 3]', rules=ReadingRules(strict=True))


def test_json_files_of_a_folder_are_read_if_there_are_no_others(tmp_path):
    (tmp_path / "a.json").write_text('["a"]')
    assert [batch.to_pydict() for batch in read_files(tmp_path)] == [{"text": ["a"]}]
    (tmp_path / "b.csv").write_text("text\nb\n")
    batches = read_files(tmp_path)
    assert [batch.to_pydict() for batch in batches] == [{"text": ["b"]}]
    assert batches.report.ignored_files == 1


def test_an_array_is_read_in_blocks(tmp_path, monkeypatch):
    """Elements, numbers, strings and characters are cut by blocks at every place."""
    elements = [
        '{"text": "手机 a, ] \\" b"}',
        "null",
        '"B\\u00fcch"',
        "-12.5e3",
        '{"text": "", "more": [1, {"a": "]"}]}',
    ]
    content = " \n [" + " ,\n".join(elements) + "\t]  \n"
    rules = ReadingRules(skip_malformed=True)
    expected = read(tmp_path, content, rules=rules)
    assert [row["text"] for row in expected[0]] == ['手机 a, ] " b', "", "Büch", ""]
    for size in range(1, 30):
        monkeypatch.setattr(text_column, "BLOCK_BYTES", size)
        assert read(tmp_path, content, rules=rules) == expected
        with pytest.raises(InputError, match="element 2 of the array is not valid"):
            read(tmp_path, '["a", "b"')
        with pytest.raises(InputError, match="something follows"):
            read(tmp_path, '["a", "b"]   1')


def test_an_element_without_an_end_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"a document is larger than 1 MB \(an element without an end\)"):
        read(tmp_path, '["a", "' + "b" * 20_000_000, rules=ReadingRules(max_document_mb=1))
