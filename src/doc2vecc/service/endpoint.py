"""An endpoint: a function from the fields of a request to an answer, with the schemas of both.

The list of endpoints decides what is routed, checked, counted and described.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from doc2vecc.service.loaded import Loaded, Service
from doc2vecc.service.validation import Schema

Fields = dict[str, Any]


class Answer(NamedTuple):
    """What is sent back: something for JSON, or bytes of another kind; and how many documents were embedded."""

    content: Any
    documents: int = 0
    media_type: str = "application/json"


class Call(NamedTuple):
    """A request whose body was read and checked."""

    fields: Fields  # of the body and of the path; null is as good as absent
    loaded: Loaded  # what was loaded when the request began
    service: Service


@dataclass(frozen=True)
class Endpoint:
    """One method of one path."""

    method: str
    path: str
    run: Callable[[Call], Answer]
    summary: str
    answer: Schema
    body: Schema | None = None
    group: str = "doc2vecc"
    is_quick: bool = False  # a small request is answered at once, not in a thread: that would take longer
    is_open: bool = False  # no key is needed
    before_check: Callable[[Fields], None] | None = None  # refuses with a better message than the schema's
    media_type: str = "application/json"
    headers: tuple[tuple[bytes, bytes], ...] = ()
    statuses: tuple[int, ...] = field(default=())  # besides those that every endpoint with a body has

    @property
    def name(self) -> str:
        """The name in the metrics."""
        return f"{self.method} {self.path}"
