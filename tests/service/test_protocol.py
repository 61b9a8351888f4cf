"""Clients that are slow on purpose: they do not keep a connection."""

import asyncio
import contextlib
import socket
import threading
import time

import pytest
import uvicorn

from doc2vecc.service import protocol
from doc2vecc.service.protocol import BoundedProtocol

SIZE = 30 << 20  # more than the buffers of the sockets hold
REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
SECONDS = 0.4


async def large_answer(scope, receive, send):
    length = (b"content-length", b"%d" % SIZE)
    await send({"type": "http.response.start", "status": 200, "headers": [length]})
    await send({"type": "http.response.body", "body": bytes(SIZE)})


@pytest.fixture
def address(monkeypatch):
    for name in ("HEAD_SECONDS", "UNREAD_SECONDS"):
        monkeypatch.setattr(protocol, name, SECONDS)
    server = uvicorn.Server(
        uvicorn.Config(large_answer, http=BoundedProtocol, ws="none", lifespan="off", log_level="error")
    )
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])))
        thread.start()
        yield listening.getsockname()
        server.should_exit = True
        thread.join()


def received(connection, pause=0.0):
    total = 0
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(1 << 20):
            total += len(part)
            time.sleep(pause)
            if total > SIZE:
                break
    return total


def connected(address):
    return socket.create_connection(address, timeout=20)


@pytest.mark.slow
def test_who_does_not_read_is_disconnected(address):
    with connected(address) as connection:
        connection.sendall(REQUEST)
        time.sleep(4 * SECONDS)
        assert received(connection) < SIZE


@pytest.mark.slow
def test_who_reads_slowly_gets_everything(address):
    with connected(address) as connection:
        connection.sendall(REQUEST)
        assert received(connection, pause=0.05) > SIZE


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHo"])
def test_who_does_not_finish_a_head_is_disconnected(address, sent):
    with connected(address) as connection:
        connection.sendall(sent)
        assert received(connection) == 0


def test_who_sends_a_head_byte_by_byte_is_disconnected(address):
    with connected(address) as connection, pytest.raises(OSError, match=r"Broken pipe|reset"):
        for byte in REQUEST:
            connection.sendall(bytes([byte]))
            time.sleep(SECONDS / 4)
