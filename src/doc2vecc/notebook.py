"""HTML for notebooks: tables, and words colored by their share in a similarity."""

from collections.abc import Iterable
from html import escape

_GREEN, _RED = "46, 160, 67", "218, 54, 51"


def table_html(rows: Iterable[tuple[str, str]]) -> str:
    """Make a table of two columns.

    >>> table_html([("words", "<2>")])
    '<table><tr><th style="text-align:left">words</th><td style="text-align:left">&lt;2&gt;</td></tr></table>'
    """
    cell = 'style="text-align:left"'
    lines = (f"<tr><th {cell}>{escape(name)}</th><td {cell}>{escape(value)}</td></tr>" for name, value in rows)
    return f"<table>{''.join(lines)}</table>"


def colored_words_html(words: Iterable[tuple[str, float]], largest: float) -> str:
    """Color words by their share, of which ``largest`` has the full color: green what adds, red what takes away.

    >>> colored_words_html([("dull", 0.4)], 0.4)
    '<span title="+0.400" style="background:rgba(46, 160, 67, 0.60)">dull</span>'
    """
    spans = []
    for word, share in words:
        strength = 0.6 * abs(share) / largest if largest else 0.0
        color = f"rgba({_GREEN if share > 0 else _RED}, {strength:.2f})"
        spans.append(f'<span title="{share:+.3f}" style="background:{color}">{escape(word)}</span>')
    return " ".join(spans)
