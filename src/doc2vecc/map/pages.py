"""Pages that need no network: one HTML file with its style, its program and its data inside.

Texts of documents never become HTML. All data are JSON, compressed and written as base64, so no character of a text
stands in the page as it is; the program puts texts into the page as text. A content security policy allows this
style and this program, named by their hashes, and nothing else.
"""

import base64
import gzip
import hashlib
import json
from html import escape
from importlib.resources import files
from typing import Any

FOLDER = files("doc2vecc.map") / "page"
PROGRAMS = {"map": ["three.min.js", "scatter.js", "map.js"], "topics": ["topics.js"]}


def write_page(kind: str, title: str, data: dict[str, Any]) -> bytes:
    """Put the data into the page of this kind: "map" or "topics"."""
    body, style = (_read(f"{kind}.{ending}") for ending in ("html", "css"))
    program = "".join(_read(name) for name in PROGRAMS[kind])
    policy = (
        f"default-src 'none'; script-src {_hash(program)}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    content = json.dumps({**data, "title": title}, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # A text may hold half of a surrogate pair, which UTF-8 cannot.
    packed = base64.b64encode(gzip.compress(content.encode("utf-8", "replace"), 6, mtime=0)).decode()
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body>
{body}
<script type="application/octet-stream" id="data">{packed}</script>
<script>{program}</script>
</body>
</html>
""".encode()


def _read(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


def _hash(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"
