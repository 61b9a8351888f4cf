"""The application: every endpoint with its route, from bytes to bytes."""

import asyncio
import sys
import time
import traceback
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

import orjson
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from doc2vecc.config import available_cores
from doc2vecc.errors import Doc2VecCError
from doc2vecc.service.catalog import ENDPOINTS, OTHER
from doc2vecc.service.endpoint import Answer, Call, Endpoint
from doc2vecc.service.failures import STATUSES, RequestError, as_request_error
from doc2vecc.service.guard import ClientGoneError, Guard, read_body
from doc2vecc.service.loaded import Service
from doc2vecc.service.metrics import ABORTED
from doc2vecc.service.validation import check, check_names

SMALL = 1 << 15  # bytes of a body that is answered at once; handing it to a thread would take longer than the answer
RETRY_SECONDS = b"1"

_ALWAYS = [(b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer")]


class Handler:
    """Answers the requests of one endpoint."""

    def __init__(self, endpoint: Endpoint, guard: Guard, pool: ThreadPoolExecutor) -> None:
        self._endpoint = endpoint
        self._guard = guard
        self._service = guard.service
        self._pool = pool

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; a client that went away gets none."""
        started = time.perf_counter()
        metrics, status = self._service.metrics, ABORTED
        self._guard.in_flight += 1
        metrics.add("in_flight")
        try:
            status, content, headers = await self._answer(scope, receive)
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": content})
        except ClientGoneError:
            status = ABORTED
        finally:
            self._guard.in_flight -= 1
            metrics.add("in_flight", -1)
            metrics.finish(self._endpoint.name, status, time.perf_counter() - started)

    async def _answer(self, scope: Scope, receive: Receive) -> tuple[int, bytes, list[tuple[bytes, bytes]]]:
        headers = list(_ALWAYS)
        try:
            answer = await self._run(scope, receive)
            status, content, media_type = 200, answer.content, answer.media_type
            headers += self._endpoint.headers
        except Doc2VecCError as error:
            refusal = as_request_error(error)
            status, content, media_type = refusal.status, encoded(refusal.content()), "application/json"
            if refusal.retry:
                headers.append((b"retry-after", RETRY_SECONDS))
            if status == 401:
                headers.append((b"www-authenticate", b"Bearer"))
            if status in (408, 413) and b"content-length" not in dict(scope["headers"]):
                headers.append((b"connection", b"close"))  # a body without an announced end is not waited for
        headers.append((b"content-type", media_type.encode()))
        headers.append((b"content-length", b"%d" % len(content)))
        return status, content, headers

    async def _run(self, scope: Scope, receive: Receive) -> Answer:
        """Admit, read, compute."""
        settings = self._service.settings
        self._guard.admit(self._endpoint, scope)
        body = b""
        if self._endpoint.body is not None:
            body = await read_body(scope, receive, settings.max_body, settings.timeout)
        if self._endpoint.is_quick and len(body) <= SMALL:
            answer = self._compute(body, scope["path_params"])
        else:
            work = asyncio.get_running_loop().run_in_executor(self._pool, self._compute, body, scope["path_params"])
            try:
                async with asyncio.timeout(settings.timeout):
                    answer = await work
            except TimeoutError:
                raise RequestError(503, "the answer took too long; send fewer texts at a time", retry=True) from None
        if answer.documents:
            self._service.metrics.add("documents", answer.documents)
        return answer

    def _compute(self, body: bytes, path: dict[str, Any]) -> Answer:
        """Parse, check, compute and encode; in a thread, unless the request is small."""
        fields = dict(path)
        if self._endpoint.body is not None:
            try:
                parsed = orjson.loads(body)
            except orjson.JSONDecodeError as error:
                raise RequestError(400, f"the body is not valid JSON ({error}); send an object", code="json") from None
            if isinstance(parsed, dict) and self._endpoint.before_check is not None:
                self._endpoint.before_check(parsed)
            check(parsed, self._endpoint.body)
            check_names(parsed, self._endpoint.body)
            fields |= {name: value for name, value in parsed.items() if value is not None}
        try:
            answer = self._endpoint.run(Call(fields, self._service.loaded, self._service))
        except Doc2VecCError:
            raise
        except Exception:  # noqa: BLE001
            # A defect of ours: the operator reads what happened, the client does not.
            traceback.print_exc(file=sys.stderr)
            raise RequestError(500, "the request failed inside the service; its log tells why") from None
        content = answer.content if isinstance(answer.content, bytes) else encoded(answer.content)
        return answer._replace(content=content)


class Methods:
    """Answers the requests of one path, by method."""

    def __init__(self, handlers: dict[str, Handler]) -> None:
        self._handlers = handlers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        await self._handlers[method](scope, receive, send)


def application(service: Service) -> Starlette:
    """Return the application of one worker."""
    guard = Guard(service)
    pool = ThreadPoolExecutor(max(2, available_cores()), thread_name_prefix="embed")
    paths: dict[str, dict[str, Handler]] = {}
    for one in ENDPOINTS:
        paths.setdefault(one.path, {})[one.method] = Handler(one, guard, pool)
    routes = [Route(path, Methods(handlers), methods=list(handlers)) for path, handlers in paths.items()]

    async def refuse(_: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        status = status if status in STATUSES else 400
        words = {404: "there is nothing at this path; see /docs", 405: "this path has other methods; see /docs"}
        refusal = RequestError(status, words.get(status, "the request is not valid; see /docs"))
        service.metrics.finish(OTHER, status, 0.0)
        headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
        return Response(encoded(refusal.content()), status, headers, "application/json")

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        pool.shutdown(wait=False, cancel_futures=True)

    return Starlette(routes=routes, exception_handlers={HTTPException: refuse}, lifespan=lifespan)


def encoded(content: Any) -> bytes:  # noqa: ANN401
    """Write JSON; arrays are lists of numbers, and what JSON has no form for is text."""
    return orjson.dumps(content, default=str, option=orjson.OPT_SERIALIZE_NUMPY)
