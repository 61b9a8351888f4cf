"""Who may ask, and how much at once: keys, names of this host, concurrent requests, size and time of a body."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from doc2vecc.service.endpoint import Endpoint
from doc2vecc.service.failures import RequestError
from doc2vecc.service.loaded import Service

Receive = Callable[[], Awaitable[Any]]


class ClientGoneError(Exception):
    """The client closed the connection before its request was complete."""


class Guard:
    """Admits requests to one worker."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._hosts = service.settings.allowed_hosts
        self.in_flight = 0

    def admit(self, endpoint: Endpoint, scope: Any) -> None:  # noqa: ANN401
        """Refuse a request that may not be answered; what is cheap to find out comes first."""
        headers = dict(scope["headers"])
        if self._hosts is not None:
            _check_host(headers, self._hosts)
        # Other sites may link to what is only read; a browser does not show it to their pages.
        if not self.service.loaded.keys and endpoint.method != "GET":
            _check_site(headers)
        if not endpoint.is_open:
            self._check_key(headers)
        most = self.service.settings.max_concurrent
        if self.in_flight > most and not endpoint.is_open:
            raise RequestError(
                429, f"more than {most:,} requests at once; send it again in a second", code="too_many", retry=True
            )

    def _check_key(self, headers: dict[bytes, bytes]) -> None:
        keys = self.service.loaded.keys
        if not keys:
            return
        scheme, _, key = headers.get(b"authorization", b"").partition(b" ")
        if scheme.lower() != b"bearer" or not keys.accept(key.strip()):
            raise RequestError(
                401, "no valid key; send one of the service's keys as Authorization: Bearer KEY", code="invalid_api_key"
            )


def _check_host(headers: dict[bytes, bytes], allowed: frozenset[str]) -> None:
    """Refuse a page of another site that has given its own name our address, so that it may read what we answer."""
    host = headers.get(b"host", b"").decode("latin-1")
    if _name_of(host) not in allowed:
        raise RequestError(
            403,
            f"the host {host!r} is not this machine; a service for others needs --api-key-file or --no-auth",
            code="wrong_host",
        )


def _check_site(headers: dict[bytes, bytes]) -> None:
    """Refuse what a page of another site sends through the user's browser, if no key protects the service.

    Browsers say where a request comes from, over HTTPS and to this machine; elsewhere they only name the origin.
    """
    site, origin = headers.get(b"sec-fetch-site"), headers.get(b"origin")
    if site is not None:
        is_own = site in (b"same-origin", b"none")
    else:
        is_own = origin is None or origin.partition(b"://")[2] == headers.get(b"host", b"")
    if not is_own:
        raise RequestError(
            403, "a page of another site sent this; use a service with keys for that", code="wrong_origin"
        )


def _name_of(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


async def read_body(scope: Any, receive: Receive, limit: int, seconds: float) -> bytes:  # noqa: ANN401
    """Read the body of a request, within the limits."""
    length = dict(scope["headers"]).get(b"content-length", b"0")
    if int(length) > limit:
        raise _too_large(limit)
    message = await _next(receive, seconds)
    if not message.get("more_body"):
        return bytes(message.get("body", b""))
    parts, size = [message["body"]], len(message["body"])
    until = asyncio.get_running_loop().time() + seconds
    while message.get("more_body"):
        message = await _next(receive, until - asyncio.get_running_loop().time())
        size += len(message.get("body", b""))
        if size > limit:
            raise _too_large(limit)
        parts.append(message.get("body", b""))
    return b"".join(parts)


async def _next(receive: Receive, seconds: float) -> Any:  # noqa: ANN401
    try:
        async with asyncio.timeout(seconds):
            message = await receive()
    except TimeoutError:
        raise RequestError(408, "the body did not arrive in time; send it at once, or raise --timeout") from None
    if message["type"] == "http.disconnect":
        raise ClientGoneError
    return message


def _too_large(limit: int) -> RequestError:
    return RequestError(
        413, f"the body has more than {limit >> 20} MB; send fewer texts at a time, or raise --max-body-mb"
    )
