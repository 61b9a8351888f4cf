"""How fast ``doc2vecc serve`` answers, on this machine, client and server side by side; loopback only.

python -m benchmarks.serve --model reviews.d2v --texts reviews.parquet [--index reviews.index] [--rounds 3]
python -m benchmarks.serve --model reviews.d2v --texts reviews.parquet --soak 600

Processor time is given beside the rates: on a shared machine it says more than the clock. Of several rounds the one
with the most requests counts, and at a steady rate the one with the lowest p99.
"""

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import uvloop

WORDS = 200
BATCH = 1000
CONNECTIONS = 32
BATCH_CONNECTIONS = 4
STEADY = 3000  # requests a second, less than the service can
ENCODER_BATCH = 32  # a transformer takes seconds for as many


@dataclass
class Service:
    """A running service."""

    process: subprocess.Popen[str]
    host: str
    port: int
    errors: list[str] = field(default_factory=list)

    def processes(self) -> list[int]:
        """The service and its workers."""
        found, waiting = [], [self.process.pid]
        while waiting:
            pid = waiting.pop()
            found.append(pid)
            children = Path(f"/proc/{pid}/task/{pid}/children")
            waiting += [int(child) for child in children.read_text().split()] if children.exists() else []
        return found

    def workers(self) -> list[int]:
        """The processes that answer requests."""
        return [pid for pid in self.processes() if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]

    def processor_seconds(self) -> float:
        """Processor time of all of them so far."""
        ticks = 0
        for pid in self.processes():
            parts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(parts[11]) + int(parts[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def resident_mb(self) -> float:
        """Memory of all of them; what they share is counted once for each."""
        pages = sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in self.processes())
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@contextmanager
def running(command: list[str]) -> Iterator[Service]:
    process = subprocess.Popen([*command, "--port", "0"], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if found := re.search(r"serving on http://([\d.]+):(\d+)", line):
                yield Service(process, found[1], int(found[2]))
                break
        else:
            raise SystemExit(f"the service did not start: {' '.join(command)}")
    finally:
        process.terminate()
        process.communicate(timeout=20)


class Client(asyncio.Protocol):
    """One connection that sends the next request as soon as the answer is there, or when it is due.

    The time of an answer is counted from when its request was due, even if it was sent later.
    """

    def __init__(self, requests: list[bytes], until: float, took: list[float], start: int, pause: float) -> None:
        self._requests, self._until, self._took, self._next, self._pause = requests, until, took, start, pause
        self._buffer = bytearray()
        self.done = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the first request."""
        self._transport = transport
        now = time.perf_counter()
        self._due = now - self._pause * random.random()  # not all connections at once
        self._send_next(now)

    def _send_next(self, now: float) -> None:
        self._due = self._due + self._pause if self._pause else now
        if self._due > now:
            asyncio.get_running_loop().call_later(self._due - now, self._send)
        else:
            self._send()

    def _send(self) -> None:
        self._transport.write(self._requests[self._next % len(self._requests)])  # type: ignore[attr-defined]
        self._next += 1

    def data_received(self, data: bytes) -> None:
        """Take in an answer."""
        self._buffer += data
        head = self._buffer.find(b"\r\n\r\n")
        if head < 0:
            return
        length = int(self._buffer[self._buffer.find(b"content-length: ") + 16 : head].split(b"\r\n")[0])
        if len(self._buffer) < head + 4 + length:
            return
        if not self._buffer.startswith(b"HTTP/1.1 200"):
            self.done.set_exception(SystemExit(f"refused: {bytes(self._buffer[:300])!r}"))
            return
        self._buffer.clear()
        now = time.perf_counter()
        self._took.append(now - self._due)
        if now < self._until:
            self._send_next(now)
        elif not self.done.done():
            self.done.set_result(None)
            self._transport.close()


def request(path: str, fields: dict[str, object]) -> bytes:
    body = json.dumps(fields).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    )
    return head.encode() + b"\r\n" + body


async def load(
    service: Service, requests: list[bytes], connections: int, seconds: float, rate: float = 0.0
) -> list[float]:
    loop, took = asyncio.get_running_loop(), list[float]()
    until = time.perf_counter() + seconds
    clients = []
    for number in range(connections):
        make = partial(Client, requests, until, took, number * 7, connections / rate if rate else 0.0)
        _, client = await loop.create_connection(make, service.host, service.port)
        clients.append(client)
    await asyncio.gather(*(client.done for client in clients))
    return took


@dataclass
class Meter:
    """Measures one service, for some seconds in some rounds."""

    service: Service
    seconds: float
    rounds: int

    def measure(self, name: str, requests: list[bytes], connections: int, each: int = 1, rate: float = 0.0) -> None:
        """Send requests one after another on every connection, or at a rate, and print the best round."""
        uvloop.run(load(self.service, requests, connections, min(1.0, self.seconds)))  # not counted
        lines: list[tuple[float, str]] = []
        for _ in range(self.rounds):
            before, started = self.service.processor_seconds(), time.perf_counter()
            took = uvloop.run(load(self.service, requests, connections, self.seconds, rate))
            elapsed, processor = time.perf_counter() - started, self.service.processor_seconds() - before
            documents = len(took) * each
            middle, late = np.percentile(took, [50, 99]) * 1e3
            reached = len(took) / elapsed
            line = (
                f"{name:<24} {reached:>9,.1f} requests/s {documents / elapsed:>10,.0f} documents/s  "
                f"p50 {middle:>7.2f} ms  p99 {late:>7.2f} ms  processor {processor / documents * 1e6:>9.1f} us/document"
            )
            lines.append((-float(late) if rate else reached, line))
        print(max(lines)[1] + f"  load {os.getloadavg()[0]:.1f}", flush=True)


def texts_of(path: Path, number: int = BATCH) -> list[str]:
    """Return documents of 200 words."""
    batch = next(pq.ParquetFile(path).iter_batches(batch_size=20 * number, columns=["text"]))
    words = [text.split()[:WORDS] for text in batch.column(0).to_pylist()]
    return [" ".join(one) for one in words if len(one) == WORDS][:number]


def speed(arguments: argparse.Namespace, texts: list[str]) -> None:
    command = [sys.executable, "-m", "doc2vecc", "serve", str(arguments.model)]
    command += ["--workers", str(arguments.workers), "--max-concurrent", "1000"]
    command += ["--index", str(arguments.index)] if arguments.index else []
    singles = [request("/v1/embeddings", {"input": text}) for text in texts]
    services = {"doc2vecc": command}
    peer = [sys.executable, "-m", "benchmarks.serve_peer", str(arguments.model), "--workers", str(arguments.workers)]
    if arguments.model2vec:
        services["model2vec"] = peer
    if arguments.encoder:
        services["encoder"] = [*peer, "--encoder", str(arguments.encoder)]
    for name, one in services.items():
        with running(one) as service:
            time.sleep(2)  # for the other workers
            meter = Meter(service, arguments.seconds, arguments.rounds)
            meter.measure(f"{name}, one text", singles, CONNECTIONS)
            if name == "doc2vecc":
                meter.measure(f"{name}, steady", singles, CONNECTIONS, rate=STEADY)
            size = ENCODER_BATCH if name == "encoder" else BATCH
            batch = request("/v1/embeddings", {"input": texts[:size], "encoding_format": "base64"})
            meter.measure(f"{name}, {size:,} texts", [batch], BATCH_CONNECTIONS, size)
            if arguments.index and name == "doc2vecc":
                queries = [request("/v1/search", {"query": " ".join(text.split()[:6])}) for text in texts]
                meter.measure(f"{name}, search", queries, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--texts", type=Path, required=True, help="parquet with a column text")
    parser.add_argument("--index", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--model2vec", action="store_true", help="also model2vec behind the same application")
    parser.add_argument("--encoder", type=Path, help="also a folder of sentence-transformers behind it")
    parser.add_argument("--soak", type=float, metavar="SECONDS", help="mixed requests, every vector compared")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--kill", action="store_true", help="kill -9 one worker half-way")
    parser.add_argument("--picture", type=Path, help="memory over time, as png or svg")
    arguments = parser.parse_args()
    texts = texts_of(arguments.texts)
    print(f"{len(texts):,} documents of {WORDS} words; load of the machine before: {os.getloadavg()[0]:.1f}")
    if arguments.soak:
        from benchmarks.serve_soak import soak

        soak(arguments, texts)
    else:
        speed(arguments, texts)


if __name__ == "__main__":
    main()
