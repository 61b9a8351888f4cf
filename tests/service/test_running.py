"""Keys, limits, signals, reloads, workers: the service as an operator sees it."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import numpy as np
import pytest

from doc2vecc import Doc2VecC
from doc2vecc.cli import main
from doc2vecc.errors import Doc2VecCError, ParameterError
from doc2vecc.service import running as supervising
from doc2vecc.service.settings import ServeSettings
from tests.cli.commands import sentences
from tests.service.running import running, wait_until_ready

KEYS = ["0123456789abcdef0123", "another-key-of-a-client"]


def embed(client, text="the soup was cold", **options):
    return client.post("/embed", json={"inputs": text, "normalize": False}, **options)


@pytest.fixture(scope="module")
def guarded(folder, tmp_path_factory):
    file = tmp_path_factory.mktemp("keys") / "keys.txt"
    file.write_text("# keys of clients\n\n" + "\n".join(KEYS) + "\n")
    limits = ["--max-body-mb", "1", "--timeout", "1", "--max-concurrent", "3"]
    with running(folder / "reviews.d2v", "--api-key-file", file, "--host", "127.0.0.1", *limits) as service:
        yield service


def bearer(key):
    return {"Authorization": f"Bearer {key}"}


@pytest.mark.slow
def test_every_key_is_accepted_and_nothing_else(guarded):
    for key in KEYS:
        assert embed(guarded.client, headers=bearer(key)).status_code == 200
    for headers in (
        {},
        bearer(KEYS[0][:-1]),
        bearer(KEYS[0] + "x"),
        {"Authorization": f"Basic {KEYS[0]}"},
        bearer("é"),
    ):
        answer = embed(guarded.client, headers=[(k.encode(), v.encode()) for k, v in headers.items()])
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert KEYS[0] not in answer.text
    for path in ("/v1/models", "/metrics", "/info", "/page/map"):
        assert guarded.client.get(path).status_code == 401
    assert guarded.client.post("/admin/reload").status_code == 401
    for path in ("/health", "/", "/docs", "/openapi.json"):  # hold nothing of the user's
        assert guarded.client.get(path).status_code == 200


def test_large_bodies_are_refused_and_the_connection_goes_on(guarded):
    for content in (b"x" * ((1 << 20) + 1), iter([b"x" * 700_000] * 2)):
        answer = guarded.client.post("/embed", content=content, headers=bearer(KEYS[0]))
        assert answer.status_code == 413
        assert "1 MB" in answer.json()["error"]["message"]
    assert embed(guarded.client, headers=bearer(KEYS[0])).status_code == 200


def raw(service):
    address = httpx.URL(service.address)
    return socket.create_connection((address.host, address.port), timeout=10)


def head(length, path="/embed"):
    lines = [
        f"POST {path} HTTP/1.1",
        "Host: localhost",
        f"Authorization: Bearer {KEYS[0]}",
        f"Content-Length: {length}",
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


@pytest.mark.slow
def test_slow_bodies_are_given_up(guarded):
    with raw(guarded) as connection:
        connection.sendall(head(100) + b"{")
        assert connection.recv(4096).startswith(b"HTTP/1.1 408")


def refused_beside_waiting_requests(service):
    """The answer 429 to a request beside three that wait for their bodies; None if they were given up before."""
    waiting = [raw(service) for _ in range(3)]
    try:
        for connection in waiting:
            connection.sendall(head(100) + b"{")
        until = time.monotonic() + 0.9
        while time.monotonic() < until:
            answer = embed(service.client, headers=bearer(KEYS[0]))
            if answer.status_code == 429:
                return answer
        return None
    finally:
        for connection in waiting:
            connection.recv(4096)
            connection.close()


@pytest.mark.slow
def test_too_many_requests_at_once(guarded):
    # On a busy machine the second that a body may take can end before the fourth request is read.
    answers = (refused_beside_waiting_requests(guarded) for _ in range(20))
    refused = next(answer for answer in answers if answer is not None)
    assert refused.headers["retry-after"] == "1"
    assert embed(guarded.client, headers=bearer(KEYS[0])).status_code == 200


@pytest.mark.parametrize(
    "request_bytes", [b"\x00\x01\x02\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\nA: " + b"x" * 70_000]
)
def test_what_is_no_http_is_refused(guarded, request_bytes):
    with raw(guarded) as connection:
        connection.sendall(request_bytes)
        assert connection.recv(4096).startswith(b"HTTP/1.1 400")


def test_aborted_requests_leave_nothing_behind(guarded):
    for part in (b"POST /emb", head(100), head(100) + b"{"):
        with raw(guarded) as connection:
            connection.sendall(part)
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        if "doc2vecc_requests_in_flight 1\n" in guarded.client.get("/metrics", headers=bearer(KEYS[0])).text:
            return
    raise AssertionError("requests are still in flight")


def test_pages_of_other_sites_are_refused(service):
    assert embed(service.client, headers={"Host": "evil.example"}).status_code == 403
    assert embed(service.client, headers={"Origin": "https://evil.example"}).status_code == 403
    assert embed(service.client, headers={"Origin": "http://["}).status_code == 403
    assert embed(service.client, headers={"Origin": service.address}).status_code == 200
    assert embed(service.client, headers={"Host": "localhost:1"}).status_code == 200


@pytest.mark.slow
def test_pages_of_other_sites_change_nothing_in_a_service_without_keys(folder):
    """A browser sends a text or a form of another site without asking first, and follows its links."""
    with running(folder / "reviews.d2v", "--no-auth") as open_to_all:
        client, behind_proxy = open_to_all.client, {"Host": "texts.example", "X-Forwarded-For": "10.0.0.1"}
        for headers, status in (
            ({"Sec-Fetch-Site": "cross-site"}, 403),
            ({"Sec-Fetch-Site": "same-site"}, 403),
            ({"Origin": "https://evil.example"}, 403),  # over plain HTTP browsers say nothing else
            ({"Origin": "https://texts.example", "Sec-Fetch-Site": "same-origin"}, 200),  # the proxy sends another Host
            ({"Origin": "http://texts.example", **behind_proxy}, 200),
            (behind_proxy, 200),
        ):
            assert embed(client, headers=headers).status_code == status, headers
        refused = client.post("/admin/reload", headers={"Content-Type": "text/plain", "Sec-Fetch-Site": "cross-site"})
        assert refused.status_code == 403
        assert refused.json()["error"]["code"] == "wrong_origin"
        assert client.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["reviews.d2v", "--host", "0.0.0.0"], ["--api-key-file", "--no-auth"]),
        (["none.d2v"], ["none.d2v", "does not exist"]),
        (["reviews.d2v", "reviews.d2v"], ["two models", "reviews"]),
        (["reviews.d2v", "--index", "reviews.d2v"], ["index"]),
        (["reviews.d2v", "--api-key-file", "none.txt"], ["no file 'none.txt' with keys; check the path"]),
        (["none.d2v", "--api-key-file", "none.txt"], ["no file 'none.txt' with keys"]),  # before models are loaded
        (["reviews.d2v", "--api-key-file", "short.txt"], ["key 1", "16"]),
        (["reviews.d2v", "--port", "70000"], ["port=70000"]),
        (["reviews.d2v", "--workers", "0"], ["workers=0"]),
    ],
)
def test_mistakes_are_one_line(folder, tmp_path, monkeypatch, capsys, arguments, words):
    (folder / "short.txt").write_text("secret\n")
    monkeypatch.chdir(folder)
    assert main(["serve", *arguments]) == 2
    message = capsys.readouterr().err
    assert message.startswith("error: ")
    assert message.count("\n") == 1
    assert "secret" not in message
    for word in words:
        assert word in message


def test_a_taken_port_is_one_line(folder, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["serve", str(folder / "reviews.d2v"), "--port", str(taken.getsockname()[1])]) == 2
    assert "--port" in capsys.readouterr().err


def test_a_missing_extra_is_named(folder):
    script = "import sys; sys.modules['uvicorn'] = None; from doc2vecc.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", script, "serve", str(folder / "reviews.d2v")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'doc2vecc[serve]'" in done.stderr


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="Windows has no SIGHUP")
@pytest.mark.parametrize("how", ["signal", "request"])
@pytest.mark.slow
def test_a_new_model_is_loaded_without_a_dropped_request(folder, tmp_path, how):
    """Requests go on during a reload; each answer is of the old or of the new model, and the new one comes."""
    shutil.copytree(folder / "reviews.d2v", tmp_path / "own.d2v")
    old = Doc2VecC.load(tmp_path / "own.d2v")
    new = Doc2VecC(vector_size=16, epochs=1, init="random", workers=1, random_state=7).fit(
        [text for _, text in sentences(400)]
    )
    vectors = [one.transform(["the soup was cold"])[0] for one in (old, new)]
    seen, problems, done = set(), [], threading.Event()
    with running(tmp_path / "own.d2v", "--workers", "2") as service:

        def ask():
            with httpx.Client(base_url=service.address, trust_env=False) as client:
                while not done.is_set():
                    try:
                        answer = np.float32(embed(client).json()[0])
                    except (httpx.HTTPError, KeyError) as error:
                        problems.append(error)
                        return
                    match = [number for number, one in enumerate(vectors) if np.array_equal(answer, one)]
                    (seen.update if match else problems.append)(match)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        while 0 not in seen and not problems:
            time.sleep(0.01)
        new.save(tmp_path / "own.d2v")
        if how == "signal":
            service.signal(signal.SIGHUP)
        else:
            assert service.client.post("/admin/reload").json() == {"status": "reloaded", "models": ["own"]}
        deadline = time.monotonic() + 20
        fresh = 0
        while fresh < 10 and time.monotonic() < deadline:  # ten connections in a row: both workers have it
            with httpx.Client(base_url=service.address, trust_env=False) as client:
                fresh = fresh + 1 if np.array_equal(np.float32(embed(client).json()[0]), vectors[1]) else 0
        done.set()
        for thread in threads:
            thread.join()
        (tmp_path / "own.d2v" / "config.json").write_text("{")  # damaged: the models in use stay
        refused = service.client.post("/admin/reload")
        assert refused.status_code == 503
        assert refused.json()["error"]["code"] == "reload_failed"
        assert np.array_equal(np.float32(embed(service.client).json()[0]), vectors[1])
    assert fresh == 10
    assert problems == []
    assert seen == {0, 1}


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc to find the workers")
@pytest.mark.slow
def test_a_killed_worker_comes_back(folder):
    with running(folder / "reviews.d2v", "--workers", "2") as service:
        before = service.workers()
        assert len(before) == 2
        embed(service.client)
        os.kill(before[0], signal.SIGKILL)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with httpx.Client(base_url=service.address, trust_env=False) as client:
                try:
                    assert embed(client).status_code == 200  # the other one goes on
                except httpx.TransportError:  # it was accepted by the killed one
                    continue
            if len(set(service.workers()) - {before[0]}) == 2:
                break
        assert before[1] in service.workers()
        assert len(set(service.workers()) - {before[0]}) == 2
        wait_until_ready(service)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_sigterm_finishes_requests_and_ends(folder, workers):
    with running(folder / "reviews.d2v", "--workers", str(workers)) as service:
        body = b'{"inputs": "the soup was cold", "normalize": false}'
        with raw(service) as connection:
            connection.sendall(head(len(body)) + body[:10])
            time.sleep(0.3)  # the request has begun
            started = time.monotonic()
            service.signal(signal.SIGTERM)
            time.sleep(0.3)
            connection.sendall(body[10:])
            assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        service.process.wait(10)
        assert time.monotonic() - started < 10
        assert service.process.returncode == 0


def end_at_once(*_):
    os._exit(7)


@pytest.mark.slow
def test_workers_that_never_start_are_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(supervising, "worker_main", end_at_once)
    monkeypatch.setattr(supervising, "MOST_FAILED_STARTS", 0)
    settings = ServeSettings((tmp_path / "a.d2v",), port=0, workers=1)
    with (
        supervising.bound_socket("127.0.0.1", 0) as listening,
        pytest.raises(Doc2VecCError, match="no worker can start, the last one ended with code 7"),
    ):
        supervising.Supervisor(settings, listening, tmp_path / "metrics").run()


def test_a_port_in_use_suggests_the_next():
    with supervising.bound_socket("127.0.0.1", 0) as taken:
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ParameterError, match=f"in use; choose another port, such as --port {port + 1}"):
            supervising.bound_socket("127.0.0.1", port)
