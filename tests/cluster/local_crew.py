"""Workers in this process, in place of Ray's: the same calls, one worker after the other, and deaths at will."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from doc2vecc.cluster.crew import Call
from doc2vecc.cluster.inputs import ReadingPlan, assign, find_pieces
from doc2vecc.cluster.worker import Worker
from doc2vecc.config import TrainingConfig
from doc2vecc.corpus.numbering import Tokenizer


class LocalCrew:
    """Runs the workers in turn; ``deaths`` are (method, its n-th call, worker) at which one dies, before or after."""

    def __init__(
        self,
        paths: Sequence[Path],
        workers: int,
        config: TrainingConfig,
        plan: ReadingPlan | None = None,
        tokenizer: Tokenizer | None = None,
        deaths: Collection[tuple[str, int, int]] = (),
    ) -> None:
        plan = plan or ReadingPlan()
        self.pieces = find_pieces([str(path) for path in paths], workers, plan)
        shares = assign(self.pieces, workers)
        self.size = workers
        self.history: list[Call] = []
        self.new: Callable[[int], Worker] = lambda number: Worker(number, shares[number], plan, config, tokenizer)
        self.workers = [self.new(number) for number in range(workers)]
        self.deaths = set(deaths)
        self.n_replaced = 0
        self.calls: dict[str, int] = {}

    def share(self, value: object) -> object:
        return value

    def run(self, method: str, *arguments: object, watch: Callable[[float], None] | None = None) -> list[Any]:
        number_of_call = self.calls[method] = self.calls.get(method, -1) + 1
        results = []
        for number in range(self.size):
            if (method, number_of_call, number) in self.deaths:
                getattr(self.workers[number], method)(*arguments)  # its work is lost
                self.replace(number)
            results.append(getattr(self.workers[number], method)(*arguments))
        if watch is not None:
            watch(sum(worker.progress() for worker in self.workers))
        return results

    def replace(self, number: int) -> None:
        self.n_replaced += 1
        self.workers[number] = self.new(number)
        for call in self.history:
            getattr(self.workers[number], call.method)(*call.arguments())
