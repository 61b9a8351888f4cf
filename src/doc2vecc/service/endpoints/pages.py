"""The page to explore a corpus, and the page of the interface: files of the package, without any network."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from doc2vecc.service.endpoint import Answer, Call, Endpoint

GROUP = "page"
FOLDER = Path(__file__).parent.parent / "page"
MAP_FOLDER = Path(__file__).parents[2] / "map" / "page"  # what the page of a map uses, too
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
}
FILES = {
    "/": "explore.html",
    "/docs": "docs.html",
    "/page/explore.js": "explore.js",
    "/page/views.js": "views.js",
    "/page/map.js": "map.js",
    "/page/scatter.js": "scatter.js",
    "/page/three.min.js": "three.min.js",
    "/page/docs.js": "docs.js",
    "/page/style.css": "style.css",
}
SHARED = ("scatter.js", "three.min.js")
# Nothing but the files of this service runs or is shown; a text can never become a script.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)


@cache
def _content(name: str) -> bytes:
    folder = MAP_FOLDER if name in SHARED else FOLDER
    return (folder / name).read_bytes()


def _file(name: str) -> Callable[[Call], Answer]:
    return lambda _: Answer(_content(name), media_type=KINDS[Path(name).suffix])


ENDPOINTS = [
    Endpoint(
        "GET",
        path,
        _file(name),
        f"The file {name}",
        {"type": "string"},
        group=GROUP,
        is_quick=True,
        is_open=True,
        media_type=KINDS[Path(name).suffix],
        headers=((b"content-security-policy", POLICY.encode()), (b"cache-control", b"no-cache")),
    )
    for path, name in FILES.items()
]
