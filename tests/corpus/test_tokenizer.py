import pytest

from doc2vecc.corpus.tokenizer import tokenize


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
        ("a\u3000b\u00a0c\u2028d", ["a", "b", "c", "d"]),
    ],
)
def test_rule(text, tokens):
    assert tokenize(text) == tokens
