"""What is decided before Ray does anything, and the options that do not go with it."""

import sys
from types import SimpleNamespace

import pytest

from doc2vecc.cli import main
from doc2vecc.cluster.crew import Cluster, Resources, resources_of
from doc2vecc.errors import ClusterError, ParameterError


def nodes(*cpus):
    """A Ray with nodes of so many CPUs; a dead one has 99."""
    alive = [{"Alive": True, "Resources": {"CPU": float(count)} if count else {}} for count in cpus]
    return SimpleNamespace(nodes=lambda: [*alive, {"Alive": False, "Resources": {"CPU": 99.0}}])


@pytest.mark.parametrize(
    ("cpus", "workers", "threads", "expected"),
    [
        ((8, 8, 0), None, None, Resources(2, 8)),
        ((4, 8), None, None, Resources(2, 4)),
        ((8, 8), 4, None, Resources(4, 4)),
        ((2,), 2, 1, Resources(2, 1)),
        ((8, 8), None, 3, Resources(2, 3)),
    ],
)
def test_cpus_are_shared_among_the_workers(cpus, workers, threads, expected):
    assert resources_of(nodes(*cpus), Cluster(workers=workers), threads) == expected


def test_what_does_not_fit_is_refused():
    with pytest.raises(ClusterError, match="3 workers of 2 threads do not fit a Ray cluster of 4 CPUs on 1 node"):
        resources_of(nodes(4), Cluster(workers=3), 2)
    with pytest.raises(ClusterError, match=r"1 worker of 9 threads do not fit .* has room for 0"):
        resources_of(nodes(4), Cluster(workers=1), 9)
    with pytest.raises(ClusterError, match="has no CPU"):
        resources_of(nodes(0), Cluster(), None)
    with pytest.raises(ParameterError, match="workers=0"):
        Cluster(workers=0)
    with pytest.raises(ParameterError, match="exchange_every"):
        Cluster(exchange_every=0)


def test_without_ray_the_error_says_what_to_install(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "ray", None)
    (tmp_path / "a.txt").write_text("a text\n")
    assert main(["train", str(tmp_path / "a.txt"), "-o", str(tmp_path / "m"), "--ray", "local"]) == 2
    assert "Ray is not installed; run: pip install 'doc2vecc[ray]'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "a.txt", "-o", "m", "--start", "other"], "a cluster trains new models and keeps no texts"),
        (["train", "a.txt", "-o", "m", "--limit", "5"], "--limit is 5, but a cluster reads everything"),
        (["train", "a.txt", "-o", "m", "--reproducible"], "reproducible=True does not fit a cluster"),
        (
            ["embed", "m", "a.txt", "-o", "v", "--shard", "0/2"],
            "--shard is 0/2, but a cluster distributes the work itself",
        ),
        (["embed", "m", "a.txt", "-o", "v", "--output-format", "csv"], "but a cluster writes parquet"),
    ],
)
def test_options_that_do_not_go_with_a_cluster_are_refused(arguments, message, capsys):
    assert main([*arguments, "--ray", "local"]) == 2
    assert message in " ".join(capsys.readouterr().err.split())
