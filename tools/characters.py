"""Write the table of characters that the tokenizer reads, from the Unicode data of the running Python.

Run it only for a new version of the table: the tokens of every model depend on the version that it was learned with.
"""

import unicodedata

from doc2vecc.corpus.tokenizer import CHARACTERS_FILE, CHARACTERS_VERSION
from doc2vecc.kernels.text.tokens import TABLE_SIZE

PAPER_PUNCTUATION = '.,()!?;:"'
APOSTROPHES, HYPHENS = "\u2018\u2019\u201b\u02bc\uff07", "\u2010\u2011"  # dashes are punctuation tokens
FOLDED = dict.fromkeys(APOSTROPHES, "'") | dict.fromkeys(HYPHENS, "-")
INNER_PUNCTUATION = "\u00b7\u05f3\u05f4\u2027"  # Catalan middle dot, Hebrew geresh and gershayim: part of words
SPACES_OF_NO_WIDTH = "\u200b\ufeff"
SKIN_TONES = range(0x1F3FB, 0x1F400)
VARIATION_SELECTORS = range(0xFE00, 0xFE10)
PUNCTUATION_CATEGORIES = frozenset({"Ps", "Pe", "Pi", "Pf", "Po", "Pd", "So"})

# The blocks of the scripts that are written without spaces between words.
UNSPACED = (
    range(0x0E00, 0x0F00),  # Thai, Lao
    range(0x1000, 0x10A0),  # Burmese, and in A9E0 and AA60
    range(0x1780, 0x1800),  # Khmer
    range(0x2E80, 0x3130),  # Chinese radicals and signs, kana, bopomofo
    range(0x31A0, 0x3200),  # bopomofo, strokes, kana
    range(0x3400, 0x4DC0),  # Chinese
    range(0x4E00, 0xA000),
    range(0xA9E0, 0xAA00),
    range(0xAA60, 0xAA80),
    range(0xF900, 0xFB00),
    range(0xFF66, 0xFFA0),  # kana of half width
    range(0x16FE0, 0x17000),  # Chinese signs
    range(0x1AFF0, 0x1B170),  # kana
    range(0x20000, 0x40000),  # two planes of Chinese, also what is still to come
)
KANA_MARKS = "\u309b\u309c\uff9e\uff9f"  # by category symbols and letters


def kind_of(code_point: int) -> str:
    """Return what the rule makes of a code point: a word, or how far it moves; empty for a letter as it is.

    >>> kind_of(ord("É")), kind_of(ord(",")), kind_of(ord("中")), kind_of(ord("é")), kind_of(0)
    ('+32', 'punctuation', 'unspaced', '', 'separator')
    """
    character = chr(code_point)
    category = unicodedata.category(character)
    if character in FOLDED:
        return f"{ord(FOLDED[character]) - code_point:+}"
    if character.isspace() or category in {"Cc", "Zs", "Zl", "Zp"} or character in SPACES_OF_NO_WIDTH:
        return "separator"
    if category == "Cf" or code_point in SKIN_TONES or code_point in VARIATION_SELECTORS:
        return "removed"
    is_foreign = code_point > 0x7F and category in PUNCTUATION_CATEGORIES and character not in INNER_PUNCTUATION
    if character in PAPER_PUNCTUATION or is_foreign:
        return "punctuation"
    if category.startswith("M") or character in KANA_MARKS:
        return "mark"
    is_unspaced = any(code_point in block for block in UNSPACED)
    if is_unspaced and (category[0] == "L" or category == "Nl" or code_point >= 0x20000):
        return "unspaced"
    # str.lower gives two code points for one letter only (U+0130); Unicode's one-to-one mapping is its first.
    step = ord(character.lower()[0]) - code_point
    return f"{step:+}" if step else ""


def characters_text() -> str:
    """Return the table as a text: a line for every run of code points of one kind."""
    kinds = {point: kind for point in range(TABLE_SIZE) if not 0xD800 <= point < 0xE000 and (kind := kind_of(point))}
    lines = [
        f"# What the tokenizer makes of each character: version {CHARACTERS_VERSION}, Unicode "
        f"{unicodedata.unidata_version}. Written by tools/characters.py.",
        "# First and last code point, 2 if every other one, and the kind or how far a letter moves when it is folded.",
        "# Other characters belong to words as they are.",
    ]
    while kinds:
        first = min(kinds)
        step = 1 if kinds.get(first + 1) == kinds[first] else 2  # upper and lower case often alternate
        last = first
        while kinds.get(last + step) == kinds[first] and (step == 1 or last + 1 not in kinds):
            last += step
        step = step if last > first else 1
        lines.append(f"{first:04X} {last:04X} {step} {kinds[first]}")
        for point in range(first, last + 1, step):
            del kinds[point]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    CHARACTERS_FILE.write_text(characters_text(), "utf-8")
