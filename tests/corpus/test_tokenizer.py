import runpy
import unicodedata
from pathlib import Path

import pytest

from doc2vecc.corpus.tokenizer import CHARACTERS_FILE, CHARACTERS_VERSION, symbol_table, tokenize
from doc2vecc.kernels.text.tokens import MARK, UNSPACED


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        ("   \n\t ", []),
        ("Hello, World!", ["hello", ",", "world", "!"]),
        ("I'm well-made", ["i'm", "well-made"]),
        ("don’t ‘quoted’", ["don't", "'quoted'"]),
        ('("a");b:c?', ["(", '"', "a", '"', ")", ";", "b", ":", "c", "?"]),
        ("one<br />two<br>three<BR/>four", ["one", "two", "three", "four"]),
        ("a <b>bold</b> tag", ["a", "<b>bold</b>", "tag"]),
        ("nul\0byte", ["nul", "byte"]),
        ("great😀😀 👍🏽", ["great", "😀", "😀", "👍"]),
        ("👨‍👩‍👧 ❤️", ["👨", "👩", "👧", "❤"]),
        ("שלום, עולם", ["שלום", ",", "עולם"]),
        ("\u202bمرحبا\u202c؟", ["مرحبا", "؟"]),
        ("می\u200cخواهم", ["میخواهم"]),
        ("co\u00adoperate", ["cooperate"]),
        ("İstanbul ΣΑΣ STRASSE", ["istanbul", "σασ", "strasse"]),
        ("“so” — she said…", ["“", "so", "”", "—", "she", "said", "…"]),
        ("\ufeffbom", ["bom"]),
        ("我用iPhone12，看2D电影。", [*"我用", "iphone12", "，", "看", "2d", *"电影。"]),
        ("データを見る々〇ｶﾞ か\u3099𠮷", [*"データを見る々〇", "ｶﾞ", "か\u3099", "𠮷"]),
        ("กินข้าว๒๕๖๗ ๆ", ["กิ", "น", "ข้", "า", "ว", "๒๕๖๗", "ๆ"]),
        ("ພາສາລາວ ភាសាខ្មែរ", ["ພ", "າ", "ສ", "າ", "ລ", "າ", "ວ", "ភា", "សា", "ខ្", "មែ", "រ"]),
        ("မြန်မာစာ", ["မြ", "န်", "မာ", "စာ"]),
        ("한국어 हिन्दी Ελληνικά", ["한국어", "हिन्दी", "ελληνικά"]),
        ("a\u3000b\u00a0c\u2028d", ["a", "b", "c", "d"]),
    ],
)
def test_rule(text, tokens):
    assert tokenize(text) == tokens


@pytest.mark.slow
def test_the_table_is_what_its_tool_writes():
    text = CHARACTERS_FILE.read_text("utf-8")
    if f"Unicode {unicodedata.unidata_version}." not in text:
        pytest.skip("the table was written with the Unicode data of another Python")
    tool = Path(__file__).parents[2] / "tools" / "characters.py"
    assert runpy.run_path(str(tool))["characters_text"]() == text


def test_the_first_version_is_the_second_without_the_flags_of_unspaced_scripts():
    """Models of the first version keep their tokens."""
    first, second = symbol_table(1), symbol_table(CHARACTERS_VERSION)
    has_flag = second >= MARK
    differs = first != second
    assert (first[differs] == second[differs] & ~(MARK | UNSPACED)).all()
    assert has_flag[differs].all()
    assert tokenize("我用iPhone，กินข้าว", version=1) == ["我用iphone", "，", "กินข้าว"]
