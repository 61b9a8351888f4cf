"""A dump of English Wikipedia -> enwiki.parquet, running text, and wikipedia100.parquet, labeled second paragraphs.

pages-articles.xml(.bz2)  --pages-->  Page  --write_pages-->  id, title, text
                                            --write_classes-->  id, title, split, label, text
"""

from __future__ import annotations

import bz2
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, ParseError, iterparse

import pyarrow as pa
import pyarrow.parquet

from doc2vecc import InputError
from doc2vecc_paper.building.wiki_text import class_of, lines_of
from doc2vecc_paper.files import atomic_write

WORDS_OF_A_PARAGRAPH = 10
CLASSES, TRAIN, TEST, UNLABELED = 100, 50, 93, 137_571
PAGES_AT_ONCE = 10_000
_NO_PAGES = ("#redirect", "{{disambig", "may refer to:")


class Page(NamedTuple):
    """A page of the encyclopedia: paragraphs and section titles, a line each."""

    number: int
    title: str
    lines: list[str]

    def paragraphs(self) -> list[str]:
        """Return the lines of ten words or more."""
        return [line for line in self.lines if line.count(" ") >= WORDS_OF_A_PARAGRAPH - 1]


class Labeled(NamedTuple):
    """A row of wikipedia100.parquet."""

    id: int
    title: str
    split: str
    label: str | None
    text: str


def pages(dump: Path) -> Iterator[Page]:
    """Read articles as a stream; redirects, disambiguations and pages without text are left out."""
    with bz2.open(dump) if dump.suffix == ".bz2" else dump.open("rb") as file:
        try:
            events = iterparse(file, ("start", "end"))  # noqa: S314 - a dump that the user chose
            _, root = next(events)
            for event, element in events:
                if event == "end" and _tag(element) == "page":
                    page = _page(element)
                    root.clear()  # or the whole dump stays in memory
                    if page is not None and page.lines:
                        yield page
        except (ParseError, OSError, EOFError) as error:
            raise InputError(f"{dump} is no complete dump of Wikipedia ({error}); download it again") from error


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2]  # without the namespace, which changes from year to year


def _page(element: Element) -> Page | None:
    fields: dict[str, str] = {}
    for part in element.iter():
        fields.setdefault(_tag(part), part.text or "")
    markup = fields.get("text", "")
    if fields.get("ns", "0") != "0" or any(sign in markup[:2_000].lower() for sign in _NO_PAGES):
        return None
    return Page(int(fields["id"]), fields["title"], lines_of(markup))


def write_pages(found: Iterable[Page], target: Path) -> int:
    """Write id, title and text of pages -> their number."""
    schema = pa.schema([("id", pa.int64()), ("title", pa.string()), ("text", pa.large_string())])
    rows = ({"id": page.number, "title": page.title, "text": "\n".join(page.lines)} for page in found)
    return _write(rows, schema, target)


def write_classes(found: Iterable[Page], target: Path, seed: int = 0) -> int:
    """Write the second paragraphs of pages; those of the 100 most frequent classes are divided into train and test.

    A class is the head noun of the first paragraph, "was a Dutch architect" -> architect. Other pages, and those of a
    class beyond what is needed, are unlabeled.
    """
    schema = pa.schema([
        ("id", pa.int64()), ("title", pa.string()), ("split", pa.string()), ("label", pa.string()),
        ("text", pa.large_string()),
    ])  # fmt: skip
    by_class: dict[str | None, list[Labeled]] = defaultdict(list)
    for page in found:
        paragraphs = page.paragraphs()
        if len(paragraphs) > 1:
            label = class_of(paragraphs[0])
            by_class[label].append(Labeled(page.number, page.title, "unlabeled", None, paragraphs[1]))
    chosen = [label for label, some in by_class.items() if label and len(some) >= TRAIN + TEST]
    chosen.sort(key=lambda label: (-len(by_class[label]), label))
    if not chosen:
        raise InputError(f"no class has the {TRAIN + TEST} pages it needs; take a larger part of the dump")
    draw = random.Random(seed)  # noqa: S311 - a sample, no secret
    rows: list[Labeled] = []
    for label in chosen[:CLASSES]:
        some = by_class[label]
        draw.shuffle(some)
        rows += [one._replace(split="train", label=label) for one in some[:TRAIN]]
        rows += [one._replace(split="test", label=label) for one in some[TRAIN : TRAIN + TEST]]
        del some[: TRAIN + TEST]
    rest = [one for some in by_class.values() for one in some]
    rows += draw.sample(rest, min(UNLABELED, len(rest)))
    rows.sort(key=lambda row: row.id)
    return _write((row._asdict() for row in rows), schema, target)


def _write(rows: Iterable[dict[str, Any]], schema: pa.Schema, target: Path) -> int:
    """Write rows into a parquet file, in groups -> their number."""
    count = 0
    group: list[dict[str, Any]] = []
    with atomic_write(target) as file, pa.parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for row in rows:
            group.append(row)
            if len(group) == PAGES_AT_ONCE:
                writer.write_table(pa.Table.from_pylist(group, schema))
                count += len(group)
                group = []
        writer.write_table(pa.Table.from_pylist(group, schema))
    return count + len(group)
