"""Training and embedding on a real Ray cluster: several nodes on this machine, whose processes are killed."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from doc2vecc import Doc2VecC, storage
from doc2vecc.cluster import Cluster
from doc2vecc.cluster.crew import RayCrew, Resources
from doc2vecc.cluster.driver import learn_with
from doc2vecc.cluster.embedding import MANIFEST, Output, embed_on_cluster
from doc2vecc.cluster.inputs import ReadingPlan, assign, find_pieces
from doc2vecc.cluster.worker import Worker
from doc2vecc.console import ProgressListener
from doc2vecc.corpus.sources import read_files
from doc2vecc.errors import ClusterError, InputError, OutputError
from doc2vecc.training.learning import learn
from tests.cluster.test_driver import config, files, separation  # noqa: F401 - a fixture

REASON = "ray is not installed; make test-peers installs it"
pytestmark = [pytest.mark.peers, pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def nodes():
    """A cluster of three nodes with two CPUs each; tests may remove the last one."""
    ray = pytest.importorskip("ray", reason=REASON)
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
    cluster_utils = pytest.importorskip("ray.cluster_utils", reason=REASON)
    cluster = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
    others = [cluster.add_node(num_cpus=2) for _ in range(2)]
    ray.init(address=cluster.address, logging_level="ERROR", log_to_driver=False)
    yield cluster, others
    ray.shutdown()
    cluster.shutdown()


class Kills(ProgressListener):
    """Does harm in the middle of a round, once for each share of the training."""

    def __init__(self, harm):
        self.harm = harm  # {share: what to do}

    def training(self, share, *_):
        for limit in [limit for limit in self.harm if share > limit]:
            threading.Timer(0.1, self.harm.pop(limit)).start()


def learn_with_harm(files, setting, workers, harm_of):  # noqa: F811
    plan = ReadingPlan()
    pieces = find_pieces([str(path) for path in files], workers, plan)
    shares = assign(pieces, workers)
    crew = RayCrew(lambda number: (number, shares[number], plan, setting, None), Worker, Resources(workers, 1))
    listener = Kills(harm_of(crew))
    learned = learn_with(crew, pieces, setting, Cluster(exchange_every=0.3), progress=listener)
    assert not listener.harm
    return learned.model


def test_killed_workers_and_nodes_are_replaced_and_no_document_is_lost_or_counted_twice(nodes, files, capsys):  # noqa: F811
    setting = config(epochs=200)
    alone = learn(read_files(files), setting).model
    cluster, others = nodes

    def harm_of(crew):
        import ray

        found = ray.get([actor.whereabouts.remote() for actor in crew._actors])
        assert len({node for node, _ in found}) == 3
        return {0.2: lambda: os.kill(found[1][1], signal.SIGKILL), 0.5: lambda: cluster.remove_node(others.pop())}

    model = learn_with_harm(files, setting, 4, harm_of)
    assert model.vocabulary == alone.vocabulary
    assert model.record.report == alone.record.report
    assert [epoch.words for epoch in model.record.history] == [epoch.words for epoch in alone.record.history]
    assert separation(model) > 0.9 * separation(alone) > 0.3
    said = capsys.readouterr().err
    assert said.count("has died") >= 2
    assert all(line.startswith("node ") for line in said.splitlines())


def test_fit_on_a_cluster(nodes, files):  # noqa: F811
    estimator = Doc2VecC(vector_size=8, epochs=5, workers=1)
    estimator.fit([str(path) for path in files], cluster=Cluster("auto", workers=2))
    assert estimator.report_["documents"] == 603
    assert estimator.transform(["sea1 sea2", "war3"]).shape == (2, 8)
    with pytest.raises(ClusterError, match="99 workers of 1 thread do not fit"):
        estimator.fit([str(path) for path in files], cluster=Cluster("auto", workers=99))


def test_an_error_names_the_node(nodes, tmp_path):
    (tmp_path / "bad.jsonl").write_text('{"text": "a"}\n' + "no json\n" * 9)
    with pytest.raises(InputError, match=r"node .*bad.jsonl: 9 of 10 lines cannot be read"):
        Doc2VecC(workers=1).fit(tmp_path / "bad.jsonl", cluster="auto")


def test_embedding_gives_one_row_for_each_document_and_does_only_what_is_missing(nodes, files, tmp_path):  # noqa: F811
    model = learn(read_files(files), config()).model
    inputs, folder = [str(path) for path in files], tmp_path / "vectors"
    options = {"cluster": Cluster("auto", workers=2), "threads": 1}
    first = embed_on_cluster(model, inputs, Output(str(folder)), **options)
    assert (first.documents, first.done_before, first.reading.messages()) == (603, 0, [])
    parts = sorted((tmp_path / "vectors").glob("part-*.parquet"))
    before = {part: part.stat().st_mtime_ns for part in parts}
    parts[1].unlink()
    second = embed_on_cluster(model, inputs, Output(str(folder)), **options)
    assert (second.documents, second.done_before) == (603, len(parts) - 1)
    assert [part for part in parts if part.stat().st_mtime_ns != before[part]] == [parts[1]]
    written = pa.parquet.read_table(folder)
    expected = [text for path in files for text in pa.parquet.read_table(path)["text"].to_pylist()]
    assert sorted(written["text"].to_pylist()) == sorted(expected)
    vectors = np.stack(written["vector"].to_numpy())
    again = np.concatenate([model.embed(batch).vectors for batch in read_files([folder], text_column="text").texts()])
    np.testing.assert_allclose(vectors, again, rtol=1e-6)
    assert (tmp_path / "vectors" / MANIFEST).exists()
    with pytest.raises(OutputError, match="holds vectors of other files"):
        embed_on_cluster(model, inputs[:1], Output(str(folder)), **options)


def test_a_killed_driver_resumes(files, tmp_path):  # noqa: F811
    pytest.importorskip("ray", reason=REASON)
    environment = os.environ | {"RAY_worker_niceness": "0"}
    pattern, model = str(files[0].parent / "*.parquet"), tmp_path / "m.d2v"
    command = [sys.executable, "-m", "doc2vecc", "train", pattern, "-o", str(model), "--ray", "local"]
    command += ["--ray-workers", "2", "--workers", "1", "--epochs", "300", "--vector-size", "8"]
    with subprocess.Popen([*command, "--checkpoint-every", "0.2s"], env=environment) as driver:
        while not (tmp_path / "m.d2v.checkpoint").exists() and driver.poll() is None:
            time.sleep(0.05)
        driver.kill()
    assert not model.exists()
    subprocess.run([*command, "--resume"], env=environment, check=True)
    record = storage.load(model).record
    assert len({epoch.words for epoch in record.history}) == 1
    assert len(record.history) == 300
    assert record.report["documents"] == 603
