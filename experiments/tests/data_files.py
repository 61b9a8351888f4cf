"""Tiny data sets: in each of the forms they are published in, and as texts whose words give away their class."""

import io
import random
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

# (folder of the original, file, split, label, text)
REVIEWS = [
    ("train/pos", "0_9.txt", "train", 1, "A great film.<br />Really."),
    ("train/pos", "1_10.txt", "train", 1, "Wunderschön, das café!"),
    ("train/neg", "0_2.txt", "train", 0, "A bad film."),
    ("train/neg", "1_1.txt", "train", 0, "The same words"),
    ("train/unsup", "0_0.txt", "unlabeled", -1, "The same words"),
    ("train/unsup", "1_0.txt", "unlabeled", -1, "Nobody knows\u0085 what this is"),
    ("train/unsup", "2_0.txt", "unlabeled", -1, "One line\nand another"),
    ("test/pos", "0_8.txt", "test", 1, "The same words"),
    ("test/pos", "1_7.txt", "test", 1, "Good."),
    ("test/neg", "0_3.txt", "test", 0, "Awful."),
    ("test/neg", "1_4.txt", "test", 0, "Boring, too long."),
]
SICK_HEADER = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment"
SICK = {
    "SICK_train.txt": ["1\tA dog runs\tA dog is running\t4.7\tENTAILMENT", "2\tA cat\tNo cat\t3\tCONTRADICTION"],
    "SICK_trial.txt": ["4\tA man sings\tA kid eats\t1\tNEUTRAL"],
    "SICK_test_annotated.txt": ["6\tSnow\tWhite snow\t3.3\tNEUTRAL", "7\tA café\tA bar\t2.25\tNEUTRAL"],
}
QUESTIONS = """: capital-world
Athens Greece Baghdad Iraq
Bern Switzerland Paris France
: family
boy girl brother sister
: gram8-plural
bird birds dog dogs
car cars cat cats
"""


def write_parquet(path: Path, columns: dict[str, pa.Array | list], rows_of_a_group: int = 1000) -> None:
    pa.parquet.write_table(pa.table(columns), path, row_group_size=rows_of_a_group)


def noise_reviews(count: int, length: int = 1000) -> list[tuple[str, str, str, int, str]]:
    """Reviews that no compression makes shorter than a block of the reader."""
    negatives = np.random.default_rng(0).integers(32, 127, (count, length), np.uint8)
    return [("train/pos", f"{n}_9.txt", "train", 1, line.tobytes().decode()) for n, line in enumerate(negatives)]


def invalid_utf8() -> pa.StringArray:
    """One text that a careless writer declared to be UTF-8."""
    return pa.StringArray.from_buffers(1, pa.py_buffer(np.array([0, 1], np.int32)), pa.py_buffer(b"\xff"))


def imdb_parquet(folder: Path, rows=REVIEWS) -> None:
    _, _, split, label, text = zip(*rows, strict=True)
    write_parquet(folder / "imdb.parquet", {"split": list(split), "label": list(label), "text": list(text)})


def imdb_folder(folder: Path, rows=REVIEWS) -> None:
    for place, name, _, _, text in rows:
        path = folder / "aclImdb" / place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    (folder / "aclImdb" / "README").write_text("not a review")
    (folder / "aclImdb" / "train" / "urls_pos.txt").write_text("http://example.org")
    (folder / "aclImdb" / "train" / "pos" / "._0_9.txt").write_bytes(b"\xff\xfe of another system")


def imdb_archive(folder: Path, rows=REVIEWS) -> None:
    files = [(f"aclImdb/{place}/{name}", text.encode()) for place, name, _, _, text in rows]
    files += [("aclImdb/imdb.vocab", b"the\n"), ("aclImdb/train/urls_neg.txt", b"http://example.org")]
    with tarfile.open(folder / "aclImdb_v1.tar.gz", "w:gz") as archive:
        for name, content in files:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def sick_text(name: str) -> bytes:
    """As published: the test split has CRLF."""
    end = "\r\n" if "test" in name else "\n"
    return "".join(line + end for line in [SICK_HEADER, *SICK[name]]).encode()


def sick_files(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for name in SICK:
        (folder / name).write_bytes(sick_text(name))


def sick_zips(folder: Path) -> None:
    for name in SICK:
        with zipfile.ZipFile(folder / f"{name.removesuffix('.txt').lower()}.zip", "w") as archive:
            archive.writestr("readme.txt", "about SICK")
            archive.writestr(name, sick_text(name))
            archive.writestr(f"__MACOSX/{name}", b"\0")


def sick_one_zip(folder: Path) -> None:
    with zipfile.ZipFile(folder / "SICK.zip", "w") as archive:
        for name in SICK:
            archive.writestr(f"SICK/{name}", sick_text(name))


# -- made-up texts for whole experiments

COMMON = ["the", "and", "a", "of", "in", *(f"word{number}" for number in range(60))]
KINDS = {
    "moth": "wing larva flies night",
    "river": "water flows bank mouth",
    "album": "track record label band",
    "politician": "party vote elected minister",
    "ship": "sea hull crew captain",
}


def text(draw: random.Random, telling: str, length: int = 24) -> str:
    return " ".join(draw.choices(COMMON, k=length) + draw.choices(telling.split(), k=8))


def write_pages(folder: Path, count: int = 480, *, titles: bool = True) -> None:
    """Write wikipedia100.parquet: pages of five classes, half of them labeled, the text telling the class."""
    draw = random.Random(0)
    columns: dict[str, list] = {"split": [], "label": [], "text": [], "title": []}
    for number in range(count):
        split = ("train", "test", "unlabeled", "unlabeled")[number % 4]
        kind = list(KINDS)[number // 4 % len(KINDS)]
        columns["split"].append(split)
        columns["label"].append(None if split == "unlabeled" else kind)
        columns["text"].append(text(draw, KINDS[kind]))
        columns["title"].append(f"A {kind} <{number}> & more")
    if not titles:
        del columns["title"]
    write_parquet(folder / "wikipedia100.parquet", columns)


def write_reviews(folder: Path, count: int = 480) -> None:
    """Write imdb.parquet: reviews that tell what they think in plain words."""
    draw = random.Random(1)
    columns: dict[str, list] = {"split": [], "label": [], "text": []}
    for number in range(count):
        split = ("train", "test", "unlabeled", "unlabeled")[number % 4]
        label = number // 4 % 2
        columns["split"].append(split)
        columns["label"].append(-1 if split == "unlabeled" else label)
        columns["text"].append(text(draw, ("bad dull awful worst", "good great lovely best")[label]))
    write_parquet(folder / "imdb.parquet", columns)


def write_wiki_and_questions(folder: Path, pages: int = 200) -> None:
    """Write enwiki.parquet, with section titles, and questions of which some words never occur."""
    draw = random.Random(2)
    words = "athens greece baghdad iraq boy girl brother sister bird birds dog dogs"
    texts = ["\n".join(["A title", *(text(draw, words) for _ in range(40))]) for _ in range(pages)]
    write_parquet(folder / "enwiki.parquet", {"text": texts})
    (folder / "questions-words.txt").write_text(QUESTIONS)


def write_novels_and_sick(folder: Path) -> None:
    """Write novels.parquet, of two fields, and pairs of sentences, related as they share words, so a field."""
    draw = random.Random(3)
    of_nature, of_people = (
        " ".join(KINDS[kind] for kind in kinds) for kinds in (("moth", "river"), ("album", "politician", "ship"))
    )
    paragraphs = [text(draw, (of_nature, of_people)[number % 2], 16) for number in range(300)]
    write_parquet(folder / "novels.parquet", {"text": paragraphs})
    for name, count in [("SICK_train.txt", 120), ("SICK_trial.txt", 40), ("SICK_test_annotated.txt", 60)]:
        lines = [SICK_HEADER]
        for number in range(count):
            first = draw.sample(of_nature.split(), 6)
            shared = number % 5
            second = first[:shared] + draw.sample(of_people.split(), 6 - shared)
            lines.append(f"{number}\t{' '.join(first)} unseen\t{' '.join(second)}\t{1 + shared}\tNEUTRAL")
        (folder / name).write_text("\n".join(lines) + "\n")


def write_parses(folder: Path) -> None:
    """Write parses of pairs that are related as they share words, with the vectors of their words."""
    draw = random.Random(4)
    words = [*KINDS, "runs", "a"]
    for split, count in [("train", 60), ("dev", 20), ("test", 30)]:
        lines: dict[str, list[str]] = {name: [] for name in ("a.toks", "b.toks", "sim.txt")}
        for number in range(count):
            first = draw.sample(list(KINDS), 2)
            shared = number % 3
            second = first[:shared] + draw.sample([kind for kind in KINDS if kind not in first], 2 - shared)
            lines["a.toks"].append(f"a {first[0]} runs {first[1]}")
            lines["b.toks"].append(f"a {second[0]} runs {second[1]}")
            lines["sim.txt"].append(str(1 + 2 * shared))
        for side in "ab":
            lines[f"{side}.parents"] = ["2 3 0 3"] * count
            lines[f"{side}.rels"] = ["det nsubj root dobj"] * count
        place = folder / "sick" / "parses" / split
        place.mkdir(parents=True)
        for name, content in lines.items():
            (place / name).write_text("".join(f"{line}\n" for line in content))
    vectors = np.random.default_rng(0).normal(size=(len(words), 8)).astype(np.float32)
    missing = np.array([word == "a" for word in words])
    np.savez(folder / "sick" / "glove.840B.300d.sick.npz", words=np.array(words), vectors=vectors, missing=missing)
