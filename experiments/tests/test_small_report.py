"""The table and the picture of small corpora."""

from doc2vecc_paper.measure.small_report import draw, table


def result(name, line, seeds=1, **values):
    return {"set": name, "line": line, "seeds": seeds, "spread": dict.fromkeys(values, 0.2), **values}


RESULTS = [
    result("cisi", "", MAP=0.2, seeds=3),
    result("cisi", "tf-idf", MAP=0.1),
    result("imdb-500", "", error=20.04, seeds=3),
    result("imdb-500", "tf-idf", error=31.0),
    result("imdb-2000", "", error=13.0, seeds=3),
    result("imdb-2000", "tf-idf", error=12.0),
]


def test_the_best_value_is_bold():
    rows = table(RESULTS).splitlines()
    assert rows[0] == "| set | value | Doc2VecC | tf-idf |"
    assert rows[2] == "| CISI, 1,460 abstracts, search | MAP | **0.200 ± 0.200** | 0.100 |"
    assert rows[3] == "| 500 reviews, 2 classes | error % | **20.0 ± 0.2** | 31.0 |"
    assert rows[4] == "| 2,000 reviews, 2 classes | error % | 13.0 ± 0.2 | **12.0** |"


def test_the_picture_is_written_in_both_formats(tmp_path):
    draw(RESULTS, tmp_path / "sizes")
    assert (tmp_path / "sizes.png").stat().st_size > 5_000
    assert (tmp_path / "sizes.svg").read_text("utf-8").startswith("<?xml")
