"""Corpora on a real Ray cluster: a head and a second node as processes of this machine, with a worker each."""

from __future__ import annotations

import os
import random
import secrets
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import assay
from assay.core.errors import InputError, MissingPart
from assay.corpus.engines.ray import make_folder, remove_folder
from assay.corpus.engines.ray_broker import kill
from assay.verbs.score import score
from tests.corpus.clusters import Cluster
from tests.corpus.corpora import contents, corpus, write
from tests.corpus.test_faults import ODD, begun, command

pytest.importorskip("ray", reason="needs the extra ray")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("ray"),
    pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks for processes in /proc"),
]
METRICS = ("-m", f"{ODD}:Slow", "-m", "chrf")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Two nodes with a processor each."""
    made, before = Cluster(), dict(os.environ)
    os.environ.update({name: value for name, value in made.environment.items() if name.startswith("RAY_")})
    try:
        made.start(1)
        made.add(1)
        yield made
    finally:
        made.stop()
        os.environ.clear()
        os.environ.update(before)
    assert not made.workers()


def test_200_shards_are_the_bytes_of_the_local_engine(tmp_path: Path, cluster: Cluster) -> None:
    corpus(tmp_path / "in", 200)
    packed = (tmp_path / "in" / "part-0005.jsonl.gz").read_bytes()
    (tmp_path / "in" / "part-0005.jsonl.gz").write_bytes(packed[: len(packed) // 2])  # one breaks off half way
    given = {"metrics": ["chrf", "bleu"], "workers": 2, "on_error": "skip"}
    local = score(data=tmp_path / "in", out=tmp_path / "local", **given)  # type: ignore[arg-type]
    ray = score(
        data=tmp_path / "in",
        out=tmp_path / "ray",
        engine="ray",
        address=cluster.address,
        **given,  # type: ignore[arg-type]
    )
    assert list(ray.failed) == ["part-0005.jsonl.gz"] and ray.counts["shards"] == 199
    assert contents(tmp_path / "ray") == contents(tmp_path / "local")
    assert ray.systems == local.systems


def test_labels_items_and_pairs_are_the_bytes_of_the_local_engine(tmp_path: Path, cluster: Cluster) -> None:
    rows = corpus(tmp_path / "in", 12, 20)
    outcomes = [{**row, "success": int(len(row["mt"]) > 0.7 * len(row["ref"]))} for row in rows]
    write(tmp_path / "outcomes.jsonl", outcomes)
    rule = assay.fit_rule(tmp_path / "outcomes.jsonl", ["chrf"], "at most 50% bad")
    ray = {"engine": "ray", "address": cluster.address, "workers": 2}
    for name, how in (("ray", ray), ("local", {"engine": "inline"})):
        out = tmp_path / name
        assay.apply_rule(rule, data=tmp_path / "in", out=out / "labels", **how)  # type: ignore[arg-type]
        assay.make(["word-swap"], tmp_path / "in", out=out / "set", langpair="en-de", n=5, **how)  # type: ignore[arg-type]
        result = assay.run(out / "set", ["chrf"], out=out / "pairs", **how)  # type: ignore[arg-type]
        assert len(result) == 60
    for folder in ("labels", "set"):
        assert contents(tmp_path / "ray" / folder) == contents(tmp_path / "local" / folder)
    for found in (ours := contents(tmp_path / "ray" / "pairs"), theirs := contents(tmp_path / "local" / "pairs")):
        del found["_manifest.json"]  # it names the input
    assert ours == theirs


def test_killed_workers_and_drivers_lose_nothing(tmp_path: Path, cluster: Cluster) -> None:
    corpus(tmp_path / "in", 60)
    whole, out = tmp_path / "whole", tmp_path / "out"
    assert command(tmp_path / "in", whole, *METRICS).wait() == 0
    words = (*METRICS, "--engine", "ray", "--address", cluster.address)
    first = command(tmp_path / "in", out, *words)
    begun(first, out)
    os.kill(random.choice(cluster.workers()), signal.SIGKILL)
    begun(first, out, 12)
    assert first.poll() is None
    first.send_signal(signal.SIGKILL)
    first.wait()
    wanted, before = contents(whole), contents(out)
    finished = {name for name in before if name[0] not in "_."}
    assert 12 <= len(finished) < 60 and all(before[name] == wanted[name] for name in finished)
    second = command(tmp_path / "in", out, *words)
    _, said = second.communicate()
    assert (second.returncode, said) == (0, ""), "Ray is heard"
    assert contents(out) == wanted
    end = time.monotonic() + 20
    while cluster.workers() and time.monotonic() < end:
        time.sleep(0.1)
    assert not cluster.workers(), "workers outlive their driver"


def test_a_row_that_kills_is_found(tmp_path: Path, cluster: Cluster) -> None:
    (tmp_path / "in").mkdir()
    rows = [{"id": str(i), "src": "s", "mt": "POISON" if i == 2 else f"m {i}"} for i in range(4)]
    write(tmp_path / "in" / "a.jsonl", rows)
    result = score(
        data=tmp_path / "in",
        out=tmp_path / "out",
        metrics=[f"{ODD}:Lethal"],
        engine="ray",
        address=cluster.address,
        workers=1,
    )
    assert result.counts["rejected"] == 1 and result.counts["kept"] == 3


def test_a_network_gives_the_same_bits_on_one_worker_and_on_two(tmp_path: Path, cluster: Cluster) -> None:
    pytest.importorskip("torch")
    from tests.models.official import unpack

    model = unpack("regression", tmp_path / "model")
    corpus(tmp_path / "in", 8, 30)
    metric = f"{model}:precision=fp32"
    for name, workers in (("one", 1), ("two", 2)):
        score(
            data=tmp_path / "in",
            out=tmp_path / name,
            metrics=[metric],
            engine="ray",
            address=cluster.address,
            workers=workers,
        )
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_another_version_of_assay_is_refused(tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    from assay._version import __version__

    corpus(tmp_path / "in", 1)
    monkeypatch.setattr("assay.verbs.shared.corpora.__version__", "9.9")
    with pytest.raises(InputError, match=rf"a worker runs assay {__version__}, but the driver runs 9\.9"):
        score(data=tmp_path / "in", out=tmp_path / "out", metrics=["chrf"], engine="ray", address=cluster.address)


def test_a_node_that_dies_takes_its_shard_alone(tmp_path: Path, cluster: Cluster) -> None:
    """The last test of this cluster: one of its two nodes is gone afterwards."""
    corpus(tmp_path / "in", 60)
    process = command(tmp_path / "in", tmp_path / "out", *METRICS, "--engine", "ray", "--address", cluster.address)
    begun(process, tmp_path / "out", 6)
    assert len(cluster.workers()) == 2 and process.poll() is None
    cluster.kill(cluster.nodes[-1])
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (0, "")
    score(data=tmp_path / "in", out=tmp_path / "local", metrics=[f"{ODD}:Slow", "chrf"], engine="inline")
    assert contents(tmp_path / "out") == contents(tmp_path / "local")


def listening(mark: str) -> set[str]:
    """The addresses on which processes listen that have the mark in their environment."""
    sockets = {}
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A":
                address = bytes.fromhex(words[1].partition(":")[0][-8:])
                sockets[f"socket:[{words[9]}]"] = ".".join(map(str, address[::-1]))
    found = set()
    for process in marked(mark):
        with suppress(OSError):
            links = [os.readlink(descriptor) for descriptor in (process / "fd").iterdir()]
            found |= {sockets[link] for link in links if link in sockets}
    return found


def marked(mark: str) -> list[Path]:
    """The processes that have the mark in their environment, as folders of /proc."""
    return [process for process in Path("/proc").glob("[0-9]*") if mark.encode() in environment(process)]


def environment(process: Path) -> bytes:
    """The environment with which a process was started; empty if it is gone."""
    with suppress(OSError):
        return (process / "environ").read_bytes()
    return b""


def cluster_folders(mark: str) -> set[Path]:
    """The folders of clusters that processes with the mark have started: other runs on this machine have theirs."""
    found = set()
    for process in marked(mark):
        for line in environment(process).split(b"\0"):
            if line.startswith(b"TMPDIR=") and b"/assay-ray-" in line:
                found.add(Path(os.fsdecode(line[7:])).parent)
    return found


def test_a_cluster_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an address Ray is started for the run, and goes with it."""
    for name in [name for name in os.environ if name.startswith("RAY_")]:
        monkeypatch.delenv(name)
    corpus(tmp_path / "in", 8)
    monkeypatch.setenv("ASSAY_TEST_MARK", mark := secrets.token_hex(8))
    process = command(tmp_path / "in", tmp_path / "out", "-m", "chrf", "--engine", "ray")
    addresses, modes, folders = set[str](), set[int](), set[Path]()
    while process.poll() is None:
        addresses |= listening(mark)
        folders |= cluster_folders(mark)
        with suppress(FileNotFoundError):
            modes |= {stat.S_IMODE(folder.stat().st_mode) for folder in folders}
        time.sleep(0.2)
    _, said = process.communicate()
    assert (process.returncode, said) == (0, "")
    assert addresses == {"127.0.0.1"} and modes == {0o700}, "other machines and other users reach it"
    assert len(folders) == 1 and not any(folder.exists() for folder in folders)
    assert not [process for process in marked(mark) if (process / "cmdline").read_bytes()], "its processes outlive it"
    score(data=tmp_path / "in", out=tmp_path / "local", metrics=["chrf"], engine="inline")
    assert contents(tmp_path / "out") == contents(tmp_path / "local")


def test_a_cluster_of_its_own_that_will_not_do_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("RAY_")]:
        monkeypatch.delenv(name)
    corpus(tmp_path / "in", 1)
    folders: list[str] = []
    monkeypatch.setattr("assay.corpus.engines.ray.make_folder", lambda: folders.append(make_folder()) or folders[-1])
    with pytest.raises(InputError, match=r"--gpus-per-worker 1000: Ray sees only \d+ GPUs on this machine"):
        score(data=tmp_path / "in", out=tmp_path / "out", metrics=["chrf"], engine="ray", gpus_per_worker=1000)
    assert len(folders) == 1 and not Path(folders[0]).exists() and not (tmp_path / "out").exists()


def test_a_folder_that_an_exiting_process_fills_again_is_removed(tmp_path: Path) -> None:
    import psutil  # on the path once Ray is imported

    folder = make_folder()
    fill = f"import os\nwhile True: os.makedirs({folder!r} + '/r/logs', exist_ok=True)"
    with subprocess.Popen([sys.executable, "-c", fill]) as process:
        while not Path(folder, "r").exists():
            time.sleep(0.01)
        kill([psutil.Process(process.pid)])
        remove_folder(folder)
        assert process.wait() == -signal.SIGKILL and not Path(folder).exists()


def test_an_address_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus(tmp_path / "in", 1)
    given = {"out": tmp_path / "out", "metrics": ["chrf"]}
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(InputError, match=rf"no Ray cluster answers at {address}: Connection refused"):
            score(data=tmp_path / "in", engine="ray", address=address, **given)  # type: ignore[arg-type]
        silent.listen(5)
        monkeypatch.setattr("assay.corpus.engines.ray.CONNECT_SECONDS", 2.0)
        with pytest.raises(InputError, match=rf"the Ray cluster {address} did not answer in 2 s\. Try: ray status"):
            score(data=tmp_path / "in", engine="ray", address=address, **given)  # type: ignore[arg-type]
    for address in ("ray://head:10001", "head", "head:six"):
        with pytest.raises(InputError, match="--address must be HOST:PORT of the cluster's head"):
            score(data=tmp_path / "in", engine="ray", address=address, **given)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="--address requires --engine ray"):
        score(data=tmp_path / "in", address="head:6379", **given)  # type: ignore[arg-type]
    assert not (tmp_path / "out").exists()


def test_without_ray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus(tmp_path / "in", 1)
    monkeypatch.setattr("assay.corpus.engines.ray.find_spec", lambda name: None)
    with pytest.raises(MissingPart, match=r"--engine ray requires the extra 'ray': pip install 'mt-assay\[ray\]'"):
        score(data=tmp_path / "in", out=tmp_path / "out", metrics=["chrf"], engine="ray")


@pytest.mark.parametrize(
    ("workers", "gpus", "neural", "nodes", "wanted"),
    [
        (None, None, False, [{"CPU": 8.0}, {"CPU": 4.0}], (12, 1, 0.0)),  # one a core
        (
            None,
            None,
            True,
            [{"CPU": 8.0}, {"CPU": 4.0}],
            (2, 4, 0.0),
        ),  # a network on CPUs: one a node, as wide as the smallest
        (
            None,
            None,
            True,
            [{"CPU": 16.0, "GPU": 4.0}, {"CPU": 2.0}],
            (4, 2, 1.0),
        ),  # one a GPU; 18 CPUs among 4, but 2 are the least
        (None, 0.5, True, [{"CPU": 16.0, "GPU": 4.0}], (8, 2, 0.5)),
        (3, None, False, [{"CPU": 8.0}], (3, 2, 0.0)),
        (None, 1.0, True, [{"CPU": 2.0}], (1, 2, 1.0)),  # no GPU yet: a worker waits for one
    ],
)
def test_how_workers_are_laid_out(
    workers: int | None, gpus: float | None, neural: bool, nodes: list[dict[str, float]], wanted: tuple[int, int, float]
) -> None:
    from assay.corpus.engines.ray import WantedWorkers
    from assay.corpus.engines.ray_cluster import laid_out

    assert laid_out(WantedWorkers("auto", workers, gpus, neural, 1), nodes) == wanted


def test_what_cannot_start_is_told_at_once() -> None:
    from assay.corpus.engines.ray import WantedWorkers
    from assay.corpus.engines.ray_cluster import too_few_gpus, why_not

    here, there = (WantedWorkers(address, None, 2.0, True, 1) for address in (None, "head:6379"))
    assert "Ray sees only 1 GPUs on this machine" in too_few_gpus(here, 2.0, [{"CPU": 2.0, "GPU": 1.0}])
    assert not too_few_gpus(here, 2.0, [{"GPU": 2.0}]), "there are enough"
    assert not too_few_gpus(here, 0.0, [{"CPU": 2.0}]), "none are asked for"
    assert not too_few_gpus(there, 2.0, [{"CPU": 2.0}]), "a machine that has them may join"
    auto = WantedWorkers("auto", None, None, False, 1)
    assert why_not(auto, ConnectionError("Could not find any")).startswith("no Ray cluster runs on this machine. Start")
    assert "RAY_AUTH_TOKEN" in why_not(auto, RuntimeError("no token")) and "TOKEN" not in why_not(here, OSError("x"))


def test_a_worker_that_does_not_see_the_results_is_refused(tmp_path: Path) -> None:
    """As on a machine without the shared folder."""
    from assay.corpus.engines.ray_broker import ShardWorker
    from assay.corpus.job import Job, Shard, ShardTask, Source

    job = Job(str(tmp_path / "nowhere"), ("chrf",), {}, "1")
    outcome = ShardWorker().work(job, ShardTask("shard", Shard("a", "tsv", (Source("a", 1, ""),))))
    assert outcome.fault is not None and outcome.fault.kind == "refused"
    assert "nowhere. The machines of a cluster need a shared folder" in outcome.fault.said
    assert not (tmp_path / "nowhere").exists()
