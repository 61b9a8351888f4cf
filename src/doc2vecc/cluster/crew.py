"""The workers of a Ray cluster: started, called all at once, and replaced when they die.

Ray does the work: processes on all nodes, calls of their methods, and its object store, which brings large arrays to
each node once.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from doc2vecc.config import available_cores, require
from doc2vecc.console import counted, say
from doc2vecc.errors import ClusterError, Doc2VecCError

EXCHANGE_EVERY = 5.0  # seconds
LOOK_EVERY = 0.5  # seconds between two looks at the progress of a call
MOST_DEATHS = 5  # of one worker during one call: then its pieces are to blame
LOCAL = "local"

_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # a warning about GPUs, of which there are none
}


@dataclass(frozen=True)
class Cluster:
    """A Ray cluster to train on.

    ``address`` is that of its head node, such as ``"10.0.0.1:6379"``; ``"auto"`` finds one that runs on this machine,
    ``"local"`` starts one for this call. ``workers`` are processes, by default one on each node. Each has the threads
    that the parameter ``workers`` of the model says, by default as many as its node has CPUs. They exchange what they
    have learned every ``exchange_every`` seconds, or more often.

    >>> Cluster("10.0.0.1:6379", workers=8)
    Cluster(address='10.0.0.1:6379', workers=8, exchange_every=5.0)
    """

    address: str = "auto"
    workers: int | None = None
    exchange_every: float = EXCHANGE_EVERY

    def __post_init__(self) -> None:
        if self.workers is not None:
            require("workers", self.workers, low=1, whole=True)
        require("exchange_every", self.exchange_every, low=0.01)


class Call(NamedTuple):
    """A method of the workers, and what its arguments are now."""

    method: str
    arguments: Callable[[], tuple[Any, ...]] = tuple


class Crew(Protocol):
    """Some workers that do the same at the same time."""

    size: int
    history: list[Call]  # what a new worker must do to stand where the others stand

    def run(self, method: str, *arguments: object, watch: Callable[[float], None] | None = None) -> list[Any]:
        """Call a method of all workers with the same arguments -> its results; ``watch`` gets their progress."""

    def share(self, value: object) -> Any:  # noqa: ANN401
        """Return what stands for a large value in the arguments of calls; it is sent to a node once."""


class Resources(NamedTuple):
    """How many workers there are, and how many threads each has."""

    workers: int
    threads: int


@contextmanager
def connected(cluster: Cluster, threads: int | None) -> Iterator[Resources]:
    """Connect to Ray, or start it on this machine; nothing of it is printed, and its usage statistics are off."""
    ray = import_ray()
    is_own = not ray.is_initialized()
    if is_own:
        quiet = {"logging_level": "ERROR", "log_to_driver": False, "configure_logging": True}
        local: dict[str, Any] = {}
        if cluster.address == LOCAL:
            cpus = max((cluster.workers or 1) * (threads or 1), available_cores())
            local = {"num_cpus": cpus, "include_dashboard": False}
        try:
            ray.init(address=cluster.address, **quiet, **local)
        except (ConnectionError, RuntimeError, ValueError) as error:
            reason = " ".join(str(error).split())[:200]
            raise ClusterError(
                f"there is no Ray cluster at {cluster.address!r} ({reason}); start one with "
                f"'ray start --head', or take {LOCAL!r} for this machine alone"
            ) from error
    try:
        yield resources_of(ray, cluster, threads)
    finally:
        if is_own:
            ray.shutdown()


def import_ray() -> Any:  # noqa: ANN401
    """Import Ray, which is an extra, with its usage statistics off."""
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError as error:
        raise ClusterError("Ray is not installed; run: pip install 'doc2vecc[ray]'") from error
    return ray


def resources_of(ray: Any, cluster: Cluster, threads: int | None) -> Resources:  # noqa: ANN401
    """Share the CPUs of the nodes among the workers."""
    cpus = [int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]]
    cpus = [count for count in cpus if count > 0]
    if not cpus:
        raise ClusterError(f"the Ray cluster at {cluster.address!r} has no CPU; add a node with 'ray start --address'")
    if threads is None:
        threads = min(cpus) if cluster.workers is None else max(1, sum(cpus) // cluster.workers)
        threads = min(threads, max(cpus))
    room = sum(count // threads for count in cpus)
    workers = cluster.workers or min(len(cpus), room)
    if workers > room or room == 0:
        raise ClusterError(
            f"{counted(workers, 'worker')} of {counted(threads, 'thread')} do not fit a Ray cluster of "
            f"{counted(sum(cpus), 'CPU')} on {counted(len(cpus), 'node')}, which has room for {room}; "
            "ask for fewer, or add nodes"
        )
    return Resources(workers, threads)


class RayCrew:
    """Workers as Ray actors, spread over the nodes."""

    def __init__(self, start: Callable[[int], tuple[Any, ...]], kind: type, resources: Resources) -> None:
        self._ray = import_ray()
        self._start = start  # the arguments of a worker by its number
        self._kind = self._ray.remote(concurrency_groups={"progress": 1}, max_concurrency=1)(kind)
        self._threads = resources.threads
        self.size = resources.workers
        self.history: list[Call] = []
        self._actors = [self._new(number, resources.threads) for number in range(self.size)]
        self._nodes = ["a node"] * self.size
        self._locate(range(self.size))

    def share(self, value: object) -> Any:  # noqa: ANN401
        """Put a value into the object store."""
        return self._ray.put(value)

    def run(self, method: str, *arguments: object, watch: Callable[[float], None] | None = None) -> list[Any]:
        """Call a method of all workers; those that die are replaced, and called again."""
        calls = [getattr(actor, method).remote(*arguments) for actor in self._actors]
        results: list[Any] = [None] * self.size
        deaths = [0] * self.size
        waiting = dict(zip(calls, range(self.size), strict=True))
        while waiting:
            done, _ = self._ray.wait(list(waiting), num_returns=1, timeout=LOOK_EVERY)
            for call in done:
                number = waiting.pop(call)
                try:
                    results[number] = self._result(call, number)
                except _lost(self._ray) as error:
                    deaths[number] += 1
                    if deaths[number] > MOST_DEATHS:
                        raise self._gave_up(number, error) from error
                    waiting[self._call_again(number, method, arguments, error)] = number
            if watch is not None and waiting:
                watch(self._progress())
        return results

    def _result(self, call: Any, number: int) -> Any:  # noqa: ANN401
        try:
            return self._ray.get(call)
        except self._ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, Doc2VecCError):
                error.cause.args = (f"node {self._nodes[number]}: {error.cause}",)
                raise error.cause from None
            raise

    def _call_again(self, number: int, method: str, arguments: tuple[object, ...], error: Exception) -> Any:  # noqa: ANN401
        """Replace a worker, bring the new one to where the others are, and let it do what the old one did not."""
        say(
            f"node {self._nodes[number]}: worker {number} has died ({_first_line(error)}); another one reads its pieces"
        )
        with suppress(self._ray.exceptions.RayError):
            self._ray.kill(self._actors[number])  # one that only cannot be reached would come back
        has_room = self._ray.available_resources().get("CPU", 0) >= self._threads
        self._actors[number] = actor = self._new(number, self._threads if has_room else 0)
        for call in self.history:  # in order, though nobody waits: an actor does one thing at a time
            getattr(actor, call.method).remote(*call.arguments())
        again = getattr(actor, method).remote(*arguments)
        with suppress(*_lost(self._ray)):  # the call tells it as well
            self._locate([number])
            say(f"node {self._nodes[number]}: worker {number} starts")
        return again

    def _progress(self) -> float:
        """Return the sum of the progress of the workers; one that does not answer counts as nothing."""
        asked = [actor.progress.options(concurrency_group="progress").remote() for actor in self._actors]
        done, _ = self._ray.wait(asked, num_returns=len(asked), timeout=LOOK_EVERY)
        total = 0.0
        for answer in done:
            try:
                total += self._ray.get(answer)
            except self._ray.exceptions.RayError:
                continue
        return total

    def _new(self, number: int, cpus: int) -> Any:  # noqa: ANN401
        return self._kind.options(num_cpus=cpus, scheduling_strategy="SPREAD").remote(*self._start(number))

    def _locate(self, numbers: Sequence[int]) -> None:
        asked = [self._actors[number].whereabouts.options(concurrency_group="progress").remote() for number in numbers]
        for number, (node, _) in zip(numbers, self._ray.get(asked), strict=True):
            self._nodes[number] = node

    def _gave_up(self, number: int, error: Exception) -> ClusterError:
        return ClusterError(
            f"worker {number} has died {MOST_DEATHS + 1} times, last on node {self._nodes[number]} "
            f"({_first_line(error)}); give the nodes more memory, or name fewer inputs"
        )


def _lost(ray: Any) -> tuple[type[Exception], ...]:  # noqa: ANN401
    """Return the errors that mean that a worker, or what it has returned, is lost."""
    found = ray.exceptions
    return found.RayActorError, found.ObjectLostError, found.WorkerCrashedError, found.NodeDiedError


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__)[:120].rstrip(".")


def whereabouts() -> tuple[str, int]:
    """Return the node and the process that this runs in."""
    ray = import_ray()
    context = ray.get_runtime_context()
    return f"{ray.util.get_node_ip_address()} ({context.get_node_id()[:6]})", os.getpid()


class Clock:
    """The seconds of the phases of a training."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Count the time of a block for this phase."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started
