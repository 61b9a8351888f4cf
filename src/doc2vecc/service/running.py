"""Run the service: in this process, or in worker processes that share one socket and are started again if they end."""

import asyncio
import contextlib
import errno
import multiprocessing
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from multiprocessing.synchronize import Event
from pathlib import Path

import uvicorn

from doc2vecc.console import notify_on_compile, say, say_notes
from doc2vecc.errors import Doc2VecCError, ParameterError
from doc2vecc.service.application import application
from doc2vecc.service.catalog import NAMES
from doc2vecc.service.loaded import Service, read_all
from doc2vecc.service.metrics import Metrics, make_table
from doc2vecc.service.protocol import BoundedProtocol
from doc2vecc.service.settings import DRAIN_SECONDS, ServeSettings

BACKLOG = 2048
LAST_PORT = 65535
KILL_SECONDS = 1.0  # after the time to drain, workers that are still there are killed
PAUSE_SECONDS = 1.0  # before a worker that ended at once is started again
POLL_SECONDS = 0.2
MOST_FAILED_STARTS = 3  # of each worker, before any of them was ever ready


def serve(settings: ServeSettings) -> None:
    """Run until SIGTERM or SIGINT. Mistakes in the settings, models and index are errors before anything is served."""
    listening = bound_socket(settings.host, settings.port)
    with listening:
        if settings.workers == 1:
            with notify_on_compile():
                service = Service(settings, Metrics(NAMES))
            say_notes(service.loaded.notes)
            run_worker(service, listening, lambda: _announce(settings, listening))
            return
        with notify_on_compile():
            notes = read_all(settings).notes  # finds mistakes, and compiles once what all workers need
        say_notes(notes)
        with tempfile.TemporaryDirectory(prefix="doc2vecc-serve-") as folder:
            table = Path(folder) / "metrics"
            make_table(table, len(NAMES), settings.workers)
            Supervisor(settings, listening, table).run()


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket that is bound; nothing is accepted before the models are ready."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind)
    except OSError as error:
        raise _cannot_listen(host, port, error) from error
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
    except OSError as error:
        listening.close()
        raise _cannot_listen(host, port, error) from error
    listening.set_inheritable(True)
    return listening


def _cannot_listen(host: str, port: int, error: OSError) -> ParameterError:
    remedy = "choose another --host or --port"
    if error.errno == errno.EADDRINUSE and port < LAST_PORT:
        remedy = f"choose another port, such as --port {port + 1}"
    return ParameterError(f"cannot listen on {host}, port {port}: {error.strerror or error}; {remedy}")


def run_worker(service: Service, listening: socket.socket, on_ready: Callable[[], None]) -> None:
    """Answer requests in this process until a signal ends it; requests under way are finished."""
    config = uvicorn.Config(
        application(service),
        http=BoundedProtocol,
        ws="none",
        lifespan="on",
        log_level="error",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=DRAIN_SECONDS,
        backlog=BACKLOG,
    )
    Server(config, service, on_ready).run(sockets=[listening])


class Server(uvicorn.Server):
    """Uvicorn's server with our signals: SIGTERM and SIGINT drain, SIGHUP loads the models again."""

    def __init__(self, config: uvicorn.Config, service: Service, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._service = service
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept connections, and tell so."""
        await super().startup(sockets)
        self._on_ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle the signals in the event loop while the server runs."""
        loop = asyncio.get_running_loop()
        if sys.platform == "win32":
            with super().capture_signals():
                yield
            return
        handled = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
        for one in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(one, self._drain)
        loop.add_signal_handler(signal.SIGHUP, lambda: loop.run_in_executor(None, self._reload))
        if self._service.missed:
            loop.run_in_executor(None, self._reload)
        try:
            yield
        finally:
            for one, before in handled.items():
                loop.remove_signal_handler(one)
                signal.signal(one, before)

    async def on_tick(self, counter: int) -> bool:
        """End when the supervisor is gone, as if it had said so."""
        if self._service.supervisor not in (None, os.getppid()):
            self._drain()
        return await super().on_tick(counter)

    def _drain(self) -> None:
        self._service.is_draining = True
        self.should_exit = True

    def _reload(self) -> None:
        try:
            self._service.reload()
        except Doc2VecCError as error:
            say(f"error: not loaded again, the old models stay in use: {error}")
        else:
            say(f"loaded again: {', '.join(self._service.loaded.models)}")
            say_notes(self._service.loaded.notes)


class Supervisor:
    """Starts the workers, forwards signals to them, and starts again those that end."""

    def __init__(self, settings: ServeSettings, listening: socket.socket, table: Path) -> None:
        self._settings = settings
        self._listening = listening
        self._table = table
        self._spawn = multiprocessing.get_context("spawn")
        self._workers: list[SpawnProcess] = []
        self._started = [0.0] * settings.workers
        self._is_ending = False
        self._failed_starts = 0
        self._ready = self._spawn.Event()

    def run(self) -> None:
        """Supervise until SIGTERM or SIGINT."""
        before = {one: signal.signal(one, self._end) for one in (signal.SIGTERM, signal.SIGINT)}
        before[signal.SIGHUP] = signal.signal(signal.SIGHUP, self._forward)
        try:
            self._workers = [self._start(number) for number in range(self._settings.workers)]
            is_announced = False
            while not self._is_ending:
                wait([worker.sentinel for worker in self._workers], POLL_SECONDS)
                self._replace_ended()
                if not is_announced and self._ready.is_set():
                    is_announced = True
                    _announce(self._settings, self._listening)
        finally:
            self._stop()
            for one, handler in before.items():
                signal.signal(one, handler)

    def _start(self, number: int) -> SpawnProcess:
        worker = self._spawn.Process(
            target=worker_main, args=(self._settings, self._listening, self._table, number, self._ready), daemon=True
        )
        self._started[number] = time.monotonic()
        worker.start()
        return worker

    def _replace_ended(self) -> None:
        for number, worker in enumerate(self._workers):
            if worker.is_alive() or self._is_ending:
                continue
            self._failed_starts += not self._ready.is_set()
            if self._failed_starts > MOST_FAILED_STARTS * len(self._workers):
                raise Doc2VecCError(
                    f"no worker can start, the last one ended with code {worker.exitcode}; try --workers 1"
                )
            say(f"worker {worker.pid} ended with code {worker.exitcode}; it is started again")
            if time.monotonic() - self._started[number] < PAUSE_SECONDS:
                time.sleep(PAUSE_SECONDS)
            self._workers[number] = self._start(number)

    def _stop(self) -> None:
        self._listening.close()  # what comes now is refused, instead of waiting for a worker that is ending
        until = time.monotonic() + DRAIN_SECONDS + KILL_SECONDS
        self._send(signal.SIGTERM)
        for worker in self._workers:
            worker.join(max(0.0, until - time.monotonic()))
            if worker.is_alive():
                worker.kill()
                worker.join()

    def _end(self, *_: object) -> None:
        self._is_ending = True

    def _forward(self, number: int, _: object) -> None:
        self._send(number)

    def _send(self, number: int) -> None:
        for worker in self._workers:
            if worker.is_alive() and worker.pid is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker.pid, number)


def worker_main(settings: ServeSettings, listening: socket.socket, table: Path, number: int, ready: Event) -> None:
    """Run one worker process; it accepts connections when its models are ready, and ends with its supervisor."""
    told: list[int] = []  # signals to load again that came during the first loading
    signal.signal(signal.SIGHUP, lambda number, _: told.append(number))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the supervisor too, which ends the workers
    service = Service(settings, Metrics(NAMES, file=table, workers=settings.workers, worker=number))
    service.supervisor = os.getppid()
    service.missed = told
    run_worker(service, listening, ready.set)


def _announce(settings: ServeSettings, listening: socket.socket) -> None:
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    keys = "" if settings.api_key_file else ", without keys"
    say(f"serving on http://{shown}:{port}{keys}; the page is at /, the interface at /docs; Ctrl-C ends it")
