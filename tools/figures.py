"""Draw the figures of docs/algorithm.md: the corruption, and the norm of words against their frequency.

``python tools/figures.py`` writes docs/figures/corruption.png and docs/figures/norms.png. It needs no data: the words
are those of the docstrings of Python's standard library.
"""

from dataclasses import replace
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

from doc2vecc.corpus.sources import read_texts
from doc2vecc.demo import standard_library_config, standard_library_table
from doc2vecc.training.learning import learn

FIGURES = Path(__file__).parents[1] / "docs" / "figures"
DOCUMENT = ["the", "actors", "are", "good", "but", "the", "story", "is", "slow", "and", "the", "ending", "is", "sad"]
KEEP, DRAWS = 0.3, 4
KEPT, DROPPED, TEXT = "#3949ab", "#e8eaf0", "#222222"
NAMED = ("the", "a", "is", "return", "if", "file", "string", "thread", "turtle", "json", "audio", "lock", "random")


def draw_corruption(path: Path) -> None:
    """Draw a document, some corrupted copies of it, and what each predicts."""
    random = np.random.default_rng(3)
    kept = random.random((DRAWS, len(DOCUMENT))) < KEEP
    figure, axes = plt.subplots(figsize=(11, 2.9), layout="constrained")
    widths = np.array([0.9 + 0.28 * len(word) for word in DOCUMENT])
    lefts = np.concatenate([[0], np.cumsum(widths)[:-1]])
    for row in range(DRAWS + 1):
        for place, word in enumerate(DOCUMENT):
            is_kept = row == 0 or kept[row - 1, place]
            color = "#9fa8da" if row == 0 else KEPT if is_kept else DROPPED
            axes.barh(-row, widths[place] - 0.12, left=lefts[place], height=0.72, color=color)
            shade = TEXT if row == 0 else "white" if is_kept else "#b0b4c0"
            axes.text(lefts[place] + widths[place] / 2, -row, word, ha="center", va="center", color=shade, fontsize=10)
        label = (
            "document" if row == 0 else f"copy {row}: {kept[row - 1].sum()} words, each / ({KEEP} × {len(DOCUMENT)})"
        )
        axes.text(lefts[-1] + widths[-1] + 0.2, -row, label, va="center", fontsize=10, color=TEXT)
    axes.set(xlim=(0, lefts[-1] + widths[-1] + 12), ylim=(-DRAWS - 0.6, 0.6))
    axes.axis("off")
    figure.savefig(path, dpi=130)
    plt.close(figure)


def draw_norms(path: Path) -> None:
    """Draw the norms of words against their counts, learned with the corruption and without."""
    table = standard_library_table()
    figure, panels = plt.subplots(1, 2, figsize=(11, 4.2), sharey=True, layout="constrained")
    for panel, keep in zip(panels, (standard_library_config().keep, 1.0), strict=True):
        model = learn(read_texts(table, text_column="text"), replace(standard_library_config(), keep=keep)).model
        counts, norms = np.asarray(model.vocabulary.counts), np.linalg.norm(model.word_vectors, axis=1)
        panel.scatter(counts, norms / np.median(norms), s=5, color="#9fa8da", linewidths=0)
        for word in NAMED:
            if (i := model.vocabulary.get(word)) is not None:
                panel.annotate(word, (counts[i], norms[i] / np.median(norms)), color=TEXT, fontsize=9)
        title = "without corruption (keep = 1)" if keep == 1 else f"with corruption (keep = {keep})"
        panel.set(xscale="log", xlabel="count of the word", title=title)
    panels[0].set_ylabel("norm / median norm")
    figure.savefig(path, dpi=130)
    plt.close(figure)


if __name__ == "__main__":
    mpl.use("agg")
    draw_corruption(FIGURES / "corruption.png")
    draw_norms(FIGURES / "norms.png")
