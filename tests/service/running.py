"""Start a service as a user does, over a real socket."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx


class Running:
    """A service in a process of its own."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self.process = process
        self.address = address
        self.client = httpx.Client(base_url=address, timeout=30, trust_env=False)

    def signal(self, number: int) -> None:
        os.kill(self.process.pid, number)

    def workers(self) -> list[int]:
        """The processes that answer requests."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return [int(child) for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


@contextmanager
def running(*arguments: str | Path) -> Iterator[Running]:
    """Run ``doc2vecc serve`` on a free port until the block ends."""
    command = [sys.executable, "-m", "doc2vecc", "serve", *map(str, arguments), "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        lines = []
        for line in process.stderr:
            lines.append(line)
            if found := re.search(r"serving on (\S+?)[,;]", line):
                break
        else:
            raise AssertionError("".join(lines))
        service = Running(process, found[1])
        with service.client:
            wait_until_ready(service)
            yield service
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)


def wait_until_ready(service: Running) -> None:
    """Wait for the first worker that answers; the others may still be loading."""
    while service.process.poll() is None:
        try:
            service.client.get("/health").raise_for_status()
        except httpx.TransportError:
            continue
        return
    raise AssertionError("the service ended")
