"""A service under many clients at once, mixed with malformed, oversized, slow and aborted requests.

Every vector, and with an index every list of hits, is compared with the one that is computed here. The memory of the
service is read every two seconds.
"""

import argparse
import asyncio
import base64
import json
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from benchmarks.serve import Service, running
from doc2vecc import Doc2VecC
from doc2vecc.search import SearchIndex
from doc2vecc.similarity import normalized

SEARCHED = 200  # queries
EVERY = 2.0  # seconds between two looks at the memory
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Expected(NamedTuple):
    """What the service must answer: the bytes of every vector, and queries with their rows."""

    vectors: list[bytes]
    hits: list[tuple[str, list[int]]]


class Soak:
    """What the clients do and what they saw."""

    def __init__(self, service: Service, texts: list[str], expected: Expected, seconds: float) -> None:
        self.service, self.texts = service, texts
        self.expected, self.hits = expected.vectors, expected.hits
        self.until = time.monotonic() + seconds
        self.seen: Counter[str] = Counter()
        self.vectors = 0
        self.searches = 0
        self.wrong = 0
        self.memory: list[tuple[float, float]] = []
        self.load: list[float] = []

    async def client(self, seed: int) -> None:
        """Send one request after the other, each of a random kind."""
        draw, streams = random.Random(seed), None
        kinds = [self.embed] * 12 + [self.batch] * 2 + [self.malformed, self.oversized, self.slow, self.aborted]
        kinds += [self.search] if self.hits else []
        while time.monotonic() < self.until:
            kind: Callable[[Streams, random.Random], Awaitable[bool]] = draw.choice(kinds)
            try:
                streams = streams or await asyncio.open_connection(self.service.host, self.service.port)
                if not await kind(streams, draw):
                    streams[1].close()
                    streams = None
            except (OSError, asyncio.IncompleteReadError) as error:
                self.seen[f"{kind.__name__}: {type(error).__name__}"] += 1
                streams = None
                await asyncio.sleep(0.05)
        if streams:
            streams[1].close()

    async def embed(self, streams: Streams, draw: random.Random) -> bool:
        """Embed one text."""
        return await self._embed(streams, [draw.randrange(len(self.texts))])

    async def batch(self, streams: Streams, draw: random.Random) -> bool:
        """Embed 50 texts."""
        return await self._embed(streams, [draw.randrange(len(self.texts)) for _ in range(50)])

    async def _embed(self, streams: Streams, chosen: list[int], pause: float = 0.0) -> bool:
        body = json.dumps({"input": [self.texts[i] for i in chosen], "encoding_format": "base64"}).encode()
        half = len(body) // 2
        streams[1].write(_head(len(body)) + body[:half])
        await asyncio.sleep(pause)
        streams[1].write(body[half:])
        status, content = await _answer(streams[0])
        self.seen[f"embed: {status}"] += 1
        if status == 200:
            rows = [base64.b64decode(one["embedding"]) for one in json.loads(content)["data"]]
            self.vectors += len(rows)
            self.wrong += sum(row != self.expected[i] for row, i in zip(rows, chosen, strict=True))
        return True

    async def search(self, streams: Streams, draw: random.Random) -> bool:
        """Search in the index."""
        query, expected = draw.choice(self.hits)
        body = json.dumps({"query": query}).encode()
        streams[1].write(_head(len(body), b"/v1/search") + body)
        status, content = await _answer(streams[0])
        self.seen[f"search: {status}"] += 1
        if status == 200:
            self.searches += 1
            self.wrong += [hit["row"] for hit in json.loads(content)["hits"]] != expected
        return True

    async def slow(self, streams: Streams, draw: random.Random) -> bool:
        """Embed one text whose second half comes late."""
        return await self._embed(streams, [draw.randrange(len(self.texts))], pause=draw.uniform(0.2, 2.0))

    async def malformed(self, streams: Streams, draw: random.Random) -> bool:
        """Send what must be refused."""
        bodies = (
            b"{",
            b"\xff\xfe",
            b"[]",
            b"{}",
            b'{"input": 5}',
            b'{"input": [1, 2]}',
            b'{"input": "a", "model": "x"}',
        )
        body = draw.choice(bodies)
        streams[1].write(_head(len(body)) + body)
        status, _ = await _answer(streams[0])
        self.seen[f"malformed: {status}"] += 1
        return True

    async def oversized(self, streams: Streams, draw: random.Random) -> bool:
        """Announce more than is allowed."""
        streams[1].write(_head((33 << 20) + draw.randrange(1 << 20)) + bytes(100_000))
        status, _ = await _answer(streams[0])
        self.seen[f"oversized: {status}"] += 1
        return False

    async def aborted(self, streams: Streams, draw: random.Random) -> bool:
        """Go away in the middle."""
        streams[1].write(_head(10_000)[: draw.randrange(1, 120)] if draw.random() < 0.5 else _head(10_000) + b"{")
        await streams[1].drain()
        self.seen["aborted"] += 1
        return False

    async def watch(self, *, kill: bool) -> None:
        """Read the memory, and kill a worker half-way."""
        began = time.monotonic()
        middle = began + (self.until - began) / 2
        while time.monotonic() < self.until:
            self.memory.append((time.monotonic() - began, self.service.resident_mb()))
            self.load.append(os.getloadavg()[0])
            if kill and time.monotonic() > middle:
                kill, victim = False, self.service.workers()[0]
                os.kill(victim, signal.SIGKILL)
                print(f"worker {victim} killed after {time.monotonic() - began:.0f} s")
            await asyncio.sleep(EVERY)


def _head(length: int, path: bytes = b"/v1/embeddings") -> bytes:
    return b"POST %b HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % (path, length)


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = int(head.partition(b"content-length: ")[2].split(b"\r\n")[0])
    return int(head.split(b" ")[1]), await reader.readexactly(length)


async def _run(task: Soak, clients: int, *, kill: bool) -> None:
    await asyncio.gather(task.watch(kill=kill), *(task.client(seed) for seed in range(clients)))


def _searches(folder: Path, texts: list[str]) -> list[tuple[str, list[int]]]:
    index = SearchIndex.load(folder)
    queries = [" ".join(text.split()[:6]) for text in texts[:SEARCHED]]
    embedded = index.model.embed(pa.array(queries, pa.large_string()))
    found = [index.nearest(vector[None, :]).indices[0].tolist() for vector in embedded.vectors]
    known = embedded.known_words.tolist()
    return [(query, rows) for query, rows, words in zip(queries, found, known, strict=True) if words]


def soak(arguments: argparse.Namespace, texts: list[str]) -> None:
    vectors = normalized(Doc2VecC.load(arguments.model).transform(texts))
    rows = [row.astype("<f4").tobytes() for row in np.ascontiguousarray(vectors)]
    expected = Expected(rows, _searches(arguments.index, texts) if arguments.index else [])
    command = [sys.executable, "-m", "doc2vecc", "serve", str(arguments.model), "--workers", str(arguments.workers)]
    command += ["--index", str(arguments.index)] if arguments.index else []
    with running(command) as service:
        task = Soak(service, texts, expected, arguments.soak)
        asyncio.run(_run(task, arguments.clients, kill=arguments.kill))
        time.sleep(EVERY)
        workers = len(service.workers())
    for name, count in sorted(task.seen.items()):
        print(f"{name:<36} {count:>9,}")
    compared = f"{task.vectors:,} vectors and {task.searches:,} searches compared"
    print(f"{compared}, {task.wrong:,} wrong; {workers} workers at the end")
    print(f"load of the machine: {min(task.load):.1f} to {max(task.load):.1f}")
    shown = task.memory[:: max(1, len(task.memory) // 12)]
    print("memory of all processes, MB: " + ", ".join(f"{mb:.0f} at {second:.0f} s" for second, mb in shown))
    if arguments.picture:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(figsize=(7, 3))
        axes.plot(*zip(*task.memory, strict=True))
        most = max(mb for _, mb in task.memory)
        axes.set(xlabel="seconds", ylabel="resident memory, MB", ylim=(0, 1.15 * most))
        axes.set_title(f"{arguments.clients} clients, {workers} workers, load {np.mean(task.load):.0f}")
        figure.tight_layout()
        figure.savefig(arguments.picture, dpi=150)
