"""Uvicorn's protocol with more limits: time and size of the head of a request, and time until an answer is read."""

import asyncio
from asyncio import TimerHandle
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_SECONDS = 10.0  # from the connection, or the first byte, to the end of the head
LARGEST_HEAD = 1 << 16  # bytes
UNREAD_SECONDS = 20.0  # without a byte of the answer being taken


class BoundedProtocol(HttpToolsProtocol):
    """Closes connections that send nothing, or the head of a request byte by byte, or without an end.

    So are those that do not read their answer, which would keep memory and a place among the concurrent requests.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401
        super().__init__(*arguments, **options)
        self._head_timer: TimerHandle | None = None
        self._head_bytes = 0
        self._unread_timer: TimerHandle | None = None
        self._unread = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        self._stop_watching()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Watch whether the client goes on reading: it is slower than the answer."""
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        """Stop watching: the client has read most of it."""
        self._stop_watching()
        super().resume_writing()

    def data_received(self, data: bytes) -> None:
        """Take in bytes; those that come before the head is complete are counted."""
        super().data_received(data)
        if self._head_timer is not None:
            self._head_bytes += len(data)
            if self._head_bytes > LARGEST_HEAD and not self.transport.is_closing():
                self.send_400_response("The head of the request is too large.")

    def on_message_begin(self) -> None:
        """Begin to wait for the rest of a head."""
        self._wait_for_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Stop waiting: the head is there; the body has limits of its own."""
        self._stop_waiting()
        super().on_headers_complete()

    def _wait_for_head(self) -> None:
        self._stop_waiting()
        self._head_bytes = 0
        self._head_timer = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _watch(self) -> None:
        self._stop_watching()
        self._unread = self.transport.get_write_buffer_size()
        self._unread_timer = self.loop.call_later(UNREAD_SECONDS, self._look_again)

    def _look_again(self) -> None:
        if self.transport.get_write_buffer_size() < self._unread:
            self._watch()
        else:
            self.transport.abort()

    def _stop_watching(self) -> None:
        if self._unread_timer is not None:
            self._unread_timer.cancel()
            self._unread_timer = None

    def _give_up(self) -> None:
        if self.transport is not None and not self.transport.is_closing():
            self.transport.close()
