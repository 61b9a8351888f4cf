"""The person at the terminal: how to call the program again, questions, and pages that a browser shows."""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from rich.console import Console

from doc2vecc.console import paused

Answer = TypeVar("Answer", bound=str)


def program() -> str:
    """Return how to call this program again: its name, or its path if the shell would not find it by name."""
    started = Path(sys.argv[0])
    if started.parts[-2:] == ("doc2vecc", "__main__.py"):
        return f"{shlex.quote(sys.executable)} -m doc2vecc"
    found = shutil.which("doc2vecc")
    is_found = found is not None and Path(found).absolute() == started.absolute()
    return "doc2vecc" if is_found or started.name != "doc2vecc" else shlex.quote(sys.argv[0])


def can_ask() -> bool:
    """Return whether a person can read a question and answer it."""
    return sys.stdin is not None and sys.stdin.isatty() and Console(stderr=True).is_terminal


def ask(question: str, answers: Mapping[Answer, str]) -> Answer | None:
    """Ask at the terminal until one of the answers, known by their first letters, is chosen -> it, None at the end."""
    lines = [question, *(f"  {name[0]}  {name}: {meaning}" for name, meaning in answers.items())]
    with paused():
        sys.stderr.write("".join(f"{line}\n" for line in lines))
        while True:
            sys.stderr.write(f"{'/'.join(name[0] for name in answers)}? ")
            sys.stderr.flush()
            line = sys.stdin.readline()
            if not line:
                return None
            chosen = next((name for name in answers if line.strip().lower() in {name, name[0]}), None)
            if chosen is not None:
                return chosen


def open_page(path: Path) -> bool:
    """Open a page in a browser if a person with a screen is there -> whether it was opened."""
    import webbrowser

    has_person = sys.stdout.isatty() and not any(name in os.environ for name in ("CI", "SSH_CONNECTION"))
    has_screen = sys.platform in ("darwin", "win32") or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    try:
        return has_person and has_screen and webbrowser.open(path.absolute().as_uri())
    except webbrowser.Error:
        return False
