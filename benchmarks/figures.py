"""The figures of docs/benchmarks.md, as PNG and SVG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

OURS, THEIRS = "#1f6f8b", "#c9b79c"
LABELS = {
    "vector_size": "dimension",
    "words": "words in the vocabulary",
    "length": "words per document",
    "negative": "negative samples per target",
}


def draw(result: dict[str, Any], folder: Path) -> None:
    """Draw the ratios and the curves of one result file."""
    import matplotlib as mpl

    mpl.use("Agg")
    folder.mkdir(parents=True, exist_ok=True)
    _ratios(result["comparisons"], folder)
    _curves(result["curves"], folder)


def _save(figure: Any, folder: Path, name: str) -> None:  # noqa: ANN401
    for ending in ("png", "svg"):
        figure.savefig(folder / f"{name}.{ending}", dpi=150, bbox_inches="tight")


def _ratios(comparisons: list[dict[str, Any]], folder: Path) -> None:
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 0.42 * len(comparisons) + 1))
    names = [f"{entry['work']}\nvs {entry['against']}" for entry in comparisons][::-1]
    ratios = [entry["ratio"] for entry in comparisons][::-1]
    bars = axes.barh(names, ratios, color=OURS, height=0.6)
    axes.bar_label(bars, [f"{ratio:.1f}x" for ratio in ratios], padding=3, fontsize=8)
    axes.axvline(1, color=THEIRS)
    axes.set_xscale("log")
    axes.set_xlim(right=max(ratios) * 2)
    axes.set_xlabel("times as fast (logarithmic)")
    axes.tick_params(labelsize=7)
    axes.spines[["top", "right"]].set_visible(False)
    _save(figure, folder, "ratios")
    plt.close(figure)


def _curves(curves: dict[str, list[dict[str, Any]]], folder: Path) -> None:
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(1, len(curves), figsize=(3 * len(curves), 2.6), sharey=True)
    for axes, (name, points) in zip(panels, curves.items(), strict=True):
        values = [point["value"] for point in points]
        rates = [point["words_per_second"] / 1e6 for point in points]
        axes.plot(values, rates, "o-", color=OURS)
        axes.set_xscale("log")
        axes.set_xticks(values, [f"{value:,}" for value in values], fontsize=7, rotation=45)
        axes.set_xticks([], minor=True)
        axes.set_xlabel(LABELS[name])
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("million words/s")
    _save(figure, folder, "curves")
    plt.close(figure)
