"""How sound data are damaged: bytes, numbers in arrays, and values in JSON. All randomness is an argument."""

import copy
import json
import random
import struct
from typing import Any

import numpy as np

NUMBERS = [0, 1, -1, 2, 7, 8, 127, 128, 255, 256, 65_535, 1 << 20, (1 << 31) - 1, -(1 << 31), 1 << 31, (1 << 32) - 1,
           1 << 32, (1 << 62), (1 << 63) - 1, -(1 << 63), -2, 3, 4]  # fmt: skip
FLOATS = [0.0, -0.0, 1.5, -1e30, 1e38, float("inf"), float("-inf"), float("nan"), 1e-45]
ODD_VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 4.0, 1e400, float("nan"), 1 << 70, -(1 << 70), "", "a", "\ud800", "x" * 5000, [], {},
    [[]], [1, 2], [[1, 2, 3]], [[1.0, "2", 3]], {"a": 1}, {"": None},
]  # fmt: skip


def bytes_of(draw: random.Random, data: bytes, other: bytes = b"") -> bytes:
    """Damage some places of a file: bits, bytes, numbers, pieces left out, repeated, exchanged or cut off."""
    damaged = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 3, 8))):
        size = len(damaged)
        place = draw.randrange(size) if size else 0
        kind = draw.randrange(9)
        if kind == 0 and size:
            damaged[place] ^= 1 << draw.randrange(8)
        elif kind == 1 and size:
            damaged[place] = draw.randrange(256)
        elif kind == 2 and size >= 8:
            place = draw.randrange(0, size - 7, draw.choice((1, 4, 8)))
            form = draw.choice(("<B", "<H", "<I", "<Q", ">I", ">Q"))
            bits = 8 * struct.calcsize(form)
            number = draw.choice(NUMBERS) % (1 << bits)
            damaged[place : place + bits // 8] = struct.pack(form, number)
        elif kind == 3:
            del damaged[place:]
        elif kind == 4:
            del damaged[place : place + draw.choice((1, 4, 8, 64))]
        elif kind == 5:
            length = draw.choice((1, 4, 8, 64, 1000))
            start = draw.randrange(size) if size else 0
            damaged[place:place] = damaged[start : start + length]
        elif kind == 6:
            damaged[place : place + 16] = draw.randbytes(16)
        elif kind == 7 and other:
            start = draw.randrange(len(other))
            damaged[place:] = other[start:]
        elif kind == 8:
            damaged[place:place] = bytes([draw.randrange(256)]) * draw.choice((1, 10, 3000))
    return bytes(damaged)


def array_of(draw: random.Random, array: np.ndarray) -> np.ndarray:
    """Damage some values of an array; its shape and type stay."""
    damaged = array.copy()
    flat = damaged.reshape(-1)
    for _ in range(draw.choice((1, 1, 2, 5)) if flat.size else 0):
        place = draw.choice((0, flat.size - 1, draw.randrange(flat.size)))
        if flat.dtype.kind == "f":
            flat[place] = draw.choice(FLOATS)
        else:
            info = np.iinfo(flat.dtype)
            near = int(flat[draw.randrange(flat.size)]) + draw.choice((-1, 0, 1, 2))
            number = draw.choice((near, draw.choice(NUMBERS)))
            flat[place] = min(max(number, info.min), info.max)
    return damaged


def json_of(draw: random.Random, value: Any) -> bytes:
    """Damage a JSON object: values, keys, nesting, or its text."""
    text = json.dumps(value).encode()
    kind = draw.randrange(10)
    if kind == 0:
        return bytes_of(draw, text)
    if kind == 1:
        depth = draw.choice((50, 5000, 200_000))
        return b'{"format": ' + b"[" * depth + b"]" * draw.choice((0, depth)) + b"}"
    damaged = json.loads(text)
    for _ in range(draw.choice((1, 1, 2))):
        inside = damaged
        while isinstance(inside, dict | list) and inside:
            key = draw.choice(list(inside)) if isinstance(inside, dict) else draw.randrange(len(inside))
            if isinstance(inside[key], dict | list) and inside[key] and draw.random() < 0.7:
                inside = inside[key]
                continue
            if draw.random() < 0.2:
                del inside[key]
            else:
                inside[key] = copy.deepcopy(draw.choice(ODD_VALUES))
            break
    return json.dumps(damaged, ensure_ascii=True).encode()


PIECES = [
    "good film", "A well-made (film)?", "don't", "<br />", "<br/", "…", "“q”", "手机", "東京です", "ไทย", "မြန်မာ",
    "\u0301", "\u200d", "👩\u200d👩\u200d👧", "\x00", "\x1b[2J", "\u2028", "\ufeff", "İ", "ß", "ﬁ", "Ǆ", "\U0010ffff",
    "a" * 300, "-", "+", "--", "'", "''", "\t", "\r", "\x85", "\xa0", "1,234.5", "e-mail@example.com",
    "http://x.y/z?q=1", "नमस्ते", "שלום", "العربية", "𝒳", "\u0000a", "_", "#tag",
]  # fmt: skip


def text_of(draw: random.Random, pieces: int = 8) -> str:
    """Make a text of odd pieces and random characters, without lone surrogates."""
    parts = []
    for _ in range(draw.randrange(pieces + 1)):
        kind = draw.random()
        if kind < 0.6:
            parts.append(draw.choice(PIECES))
        elif kind < 0.8:
            parts.append(chr(draw.choice((draw.randrange(0xD800), draw.randrange(0xE000, 0x110000)))))
        else:
            parts.append("".join(chr(draw.randrange(32, 127)) for _ in range(draw.randrange(12))))
    return draw.choice(("", " ", "  ")).join(parts)
