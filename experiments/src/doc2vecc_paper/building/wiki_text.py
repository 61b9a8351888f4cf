"""The markup of a Wikipedia page -> plain lines; the first sentence -> what the page is about."""

from __future__ import annotations

import html
import re

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_REFERENCE = re.compile(r"<ref[^<>]*/>|<ref[^<>]*>.*?</ref>", re.DOTALL | re.IGNORECASE)
_BLOCK = re.compile(
    r"<(math|gallery|timeline|source|syntaxhighlight|pre|score)\b[^<>]*>.*?</\1>", re.DOTALL | re.IGNORECASE
)
_TAG = re.compile(r"</?\w[^<>]*>")
_TEMPLATE = re.compile(r"\{\{[^{}]*\}\}")
_TABLE = re.compile(r"\{\|(?:(?!\{\|).)*?\|\}", re.DOTALL)
_MEDIA = re.compile(r"\[\[(?:file|image|category)\s*:(?:[^\[\]]|\[\[[^\[\]]*\]\])*\]\]", re.IGNORECASE)
_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_OUTSIDE_LINK = re.compile(r"\[(?:https?:)?//\S+\s*([^\[\]]*)\]")
_HEADING = re.compile(r"^=+\s*(.*?)\s*=+\s*$")
_QUOTES = re.compile(r"'{2,5}")
_EMPTY_BRACKETS = re.compile(r"\s*\(\s*[,;]*\s*\)")
_BLANKS = re.compile(r"[ \t\u00a0]+")

_IS_A = re.compile(r"\b(?:is|was|are|were)\s+(?:an?|the|one of the)\s+(?P<what>[^.;:()]+)", re.IGNORECASE)
_PHRASE_END = re.compile(
    r"\s*(?:,|\b(?:who|which|that|where|whose|of|in|from|for|at|on|by|to|with|and|or|born|located|found|known|based|"
    r"used|written|released|founded|native|belonging|played|playing|between|near|within|during|as)\b)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z]+")


def lines_of(markup: str) -> list[str]:
    r"""Return paragraphs, items of lists and section titles, a line each, without markup.

    >>> lines_of("{{Infobox|a={{b}}}}'''Ada''' was a [[England|English]] poet.<ref>x</ref>\n\n== Life ==\n* Born")
    ['Ada was a English poet.', 'Life', 'Born']
    """
    text = _COMMENT.sub("", markup)
    text = _BLOCK.sub("", _REFERENCE.sub("", text))
    for pattern in (_TEMPLATE, _TABLE, _MEDIA):
        text = _without_nested(text, pattern)
    text = _OUTSIDE_LINK.sub(r"\1", _LINK.sub(r"\1", text))
    text = html.unescape(_QUOTES.sub("", _TAG.sub("", text)))
    lines = []
    for raw in text.split("\n"):
        line = _HEADING.sub(r"\1", raw.strip()).lstrip("*#:; ")
        line = _BLANKS.sub(" ", _EMPTY_BRACKETS.sub("", line)).strip()
        if line and not line.startswith(("|", "!", "{", "}", "__")):
            lines.append(line)
    return lines


def _without_nested(text: str, pattern: re.Pattern[str]) -> str:
    """Remove what matches, from the inside out."""
    while True:
        shorter = pattern.sub("", text)
        if shorter == text:
            return text
        text = shorter


def class_of(first_paragraph: str) -> str | None:
    """Return the head noun of what a page says its subject is; None if it does not say so in the usual way.

    >>> class_of("Jan Smit (1850-1901) was a Dutch architect and painter.")
    'architect'
    >>> class_of("The Ob is a major river in western Siberia, Russia.")
    'river'
    >>> class_of("Nothing of the kind.")
    """
    found = _IS_A.search(re.sub(r"\([^()]*\)", "", first_paragraph))
    if found is None:
        return None
    words = _PHRASE_END.split(found["what"], maxsplit=1)[0].lower().split()
    return words[-1] if words and _WORD.fullmatch(words[-1]) else None
