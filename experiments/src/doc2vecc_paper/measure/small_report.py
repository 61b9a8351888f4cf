"""The measurements of small corpora as a table for the docs and as a picture: error against the size of the corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from doc2vecc_paper.drawing import METHOD_COLORS, panels, save
from doc2vecc_paper.published import Name

Result = Mapping[str, Any]

NAMES = {
    "cisi": "CISI, 1,460 abstracts, search",
    "ohsumed": "Ohsumed, 7,400 abstracts, 23 classes",
    "tweets": "tweets, 14,640, 3 classes",
    "headlines": "Chinese headlines, 20,000, 10 classes",
    "imdb": "reviews, 2 classes",
    "wikipedia": "Wikipedia pages, 100 classes",
}
VALUES = {  # the name of a value in a result: its name in the table, its decimals, and whether less is better
    "MAP": ("MAP", 3, False),
    "nDCG@10": ("nDCG@10", 3, False),
    "error": ("error %", 1, True),
    "same of 10 nearest": ("same of 10 nearest", 3, False),
    "accuracy, 5 labels": ("5 labels %", 1, False),
    "accuracy, 20 labels": ("20 labels %", 1, False),
    "accuracy, 10 labels": ("10 labels %", 1, False),
    "accuracy, 50 labels": ("50 labels %", 1, False),
}
_COLORS = (METHOD_COLORS[Name.DOC2VECC], "#b5651d", "#8a9aa8", "#c9b79c")


def table(results: Sequence[Result]) -> str:
    """Return a row per set and value and a column per line of settings, the best in bold.

    Bags of characters stand in the columns of words.
    """
    lines = list(dict.fromkeys(_column(one) for one in results))
    rows = [f"| set | value | {' | '.join(title(line) for line in lines)} |", f"|---|---|{'---:|' * len(lines)}"]
    for name in dict.fromkeys(one["set"] for one in results):
        found = {_column(one): one for one in results if one["set"] == name}
        shown = set_title(name)
        for key, (label, decimals, is_error) in VALUES.items():
            values = {line: one[key] for line, one in found.items() if key in one}
            if values:
                best = (min if is_error else max)(round(value, decimals) for value in values.values())
                cells = [_cell(found.get(line, {}), key, decimals, best) for line in lines]
                rows.append(f"| {shown} | {label} | {' | '.join(cells)} |")
                shown = ""
    return "\n".join(rows)


def _column(result: Result) -> str:
    return str(result["line"]).split(" characters")[0]


def title(line: str) -> str:
    """Return the name of a line of settings."""
    return f"Doc2VecC `{line}`" if line and not line.startswith(("tf-idf", "LSA")) else line or "Doc2VecC"


def set_title(name: str) -> str:
    """Return the name of a set; a sample has its size in it.

    >>> set_title("imdb-2000")
    '2,000 reviews, 2 classes'
    """
    kind, _, size = name.partition("-")
    return f"{int(size):,} {NAMES[kind]}" if size else NAMES[kind]


def _cell(result: Result, key: str, decimals: int, best: float) -> str:
    if key not in result:
        return ""
    value = round(result[key], decimals)
    text = f"{value:.{decimals}f}"
    if result["seeds"] > 1:
        text += f" ± {result['spread'][key]:.{decimals}f}"
    return f"**{text}**" if value == best else text


def draw(results: Sequence[Result], path: Path) -> None:
    """Draw the error against the number of documents, a panel for each kind of text with samples of several sizes."""
    kinds = [kind for kind in NAMES if any(one["set"].startswith(f"{kind}-") for one in results)]
    figure, axes = panels(len(kinds), width=4.2, height=3.4)
    for kind, axis in zip(kinds, axes, strict=True):
        lines = list(dict.fromkeys(one["line"] for one in results if one["set"].startswith(f"{kind}-")))
        for line, color in zip(lines, _COLORS, strict=False):
            points = sorted(
                (int(one["set"].split("-")[1]), one["error"])
                for one in results
                if one["line"] == line and one["set"].startswith(f"{kind}-")
            )
            axis.plot(*zip(*points, strict=True), marker="o", color=color, label=title(line))
        axis.set(xscale="log", xlabel="documents", ylabel="error %", title=NAMES[kind])
        sizes = sorted({int(one["set"].split("-")[1]) for one in results if one["set"].startswith(f"{kind}-")})
        axis.set_xticks(sizes, [f"{size:,}" for size in sizes], minor=False)
        axis.minorticks_off()
    axes[0].legend(frameon=False, fontsize="small")
    save(figure, path)
