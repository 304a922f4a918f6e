"""Fetching a checkpoint from a server that answers as the hub does: redirects, checksums, ranges, tokens, broken lines."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.core.errors import InputError, MissingPart, OutputError
from assay.data.checkpoints import checkpoints
from assay.models.files import published
from assay.models.files.published import encoder_name, fetch_published, fetchable_name, find_encoder, find_published
from tests.models.hub_server import COMET, COMMIT, KIWI, TOKENIZER, Hub, serving
from tests.models.official import reference, tiny, unpack


@pytest.fixture
def hub(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Hub]]:
    """A running hub with two small checkpoints; the environment points to it, and to a fresh cache."""
    with serving(unpack("regression", place), (COMET, KIWI), monkeypatch) as running:
        monkeypatch.setenv("HF_HOME", str(tmp_path / "none"))
        monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
        yield running


def whole(hub: type[Hub], folder: Path, repository: str = COMET) -> bool:
    names = {"hparams.yaml": f"{repository}/hparams.yaml", "tokenizer.json": TOKENIZER}
    names["checkpoints/model.ckpt"] = f"{repository}/checkpoints/model.ckpt"
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    return found == set(names) and all((folder / ours).read_bytes() == hub.files[name] for ours, name in names.items())


def test_fetched_and_scored(hub: type[Hub], capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
    import assay
    from assay.cli.main import main

    assert main(["fetch", "comet-22"]) == 0
    folder = find_published("comet-22")
    assert str(folder) in capsys.readouterr().err
    assert whole(hub, folder)
    assert [(how, path) for how, path, _ in hub.asked if path.endswith("ckpt")] == [
        ("HEAD", f"/{COMET}/resolve/main/checkpoints/model.ckpt"),
        ("GET", f"/{COMET}/resolve/{COMMIT}/checkpoints/model.ckpt"),
        ("GET", f"/cdn/{COMET}/checkpoints/model.ckpt"),
    ]
    count = len(hub.asked)
    assert main(["fetch", "comet-22", "--quiet"]) == 0
    assert len(hub.asked) == count  # what is here is whole
    tiny().write_encoder(folder, "xlm-roberta")  # the tiny encoder's shape, which nobody published
    sources, hypotheses, references = zip(*tiny().OWN, strict=True)
    found = assay.score(hypotheses, sources=sources, references=references, metrics=["comet-22:precision=fp32"])
    (scores,) = found.segments.values()
    assert scores.tolist() == pytest.approx(reference()["regression"]["own"]["scores"], abs=1e-5)


def test_a_model_of_marian_is_fetched(hub: type[Hub]) -> None:
    for file in ("vocab.spm", "checkpoints/marian.model.bin"):
        hub.files[f"marian-nmt/cometoid22-wmt22/{file}"] = file.encode() * 100
    with pytest.raises(MissingPart, match=r"cometoid22-wmt22 is not on this machine\. Get it \(2\.3 GB\): assay fetch"):
        find_published("cometoid22-wmt22")
    folder = fetch_published("cometoid22-wmt22")
    assert find_published("cometoid22-wmt22") == folder
    assert {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} == {
        "vocab.spm",
        "checkpoints/marian.model.bin",
    }


def test_a_licence_must_be_accepted(hub: type[Hub], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingPart, match=r"accept its licence at http.*cometkiwi-da, set HF_TOKEN, then assay fetch"):
        fetch_published("cometkiwi-22")
    assert hub.asked == []
    monkeypatch.setenv("HF_TOKEN", "wrong")
    with pytest.raises(MissingPart, match=r"refuses cometkiwi-22 to the account of HF_TOKEN \(403 at .*accept its"):
        fetch_published("cometkiwi-22")
    monkeypatch.setenv("HF_TOKEN", "right")
    assert whole(hub, fetch_published("cometkiwi-22"), KIWI)


def test_a_repository_that_is_not_there(hub: type[Hub]) -> None:
    with pytest.raises(
        MissingPart, match=r"resolve/main/hparams.yaml: the server answered 404 Not Found. Try again, or"
    ):
        fetch_published("unite")
    hub.files.pop(TOKENIZER)
    with pytest.raises(MissingPart, match=r"resolve/main/tokenizer.json: the server answered 404"):
        fetch_published("comet-22")


def test_a_broken_line_goes_on_where_it_was(hub: type[Hub], tmp_path: Path) -> None:
    hub.cut_at = 20_000
    with pytest.raises(MissingPart, match=r"ended after 20,000 of [\d,]+ bytes; the same command resumes from there"):
        fetch_published("comet-22", str(tmp_path))
    folder = tmp_path / "comet-22" / "checkpoints"
    assert [path.name for path in folder.iterdir()] == ["model.ckpt.part"]
    assert whole(hub, fetch_published("comet-22", str(tmp_path)))
    assert hub.asked[-1][2] == "bytes=20000-"


def test_a_part_of_an_older_file_is_not_continued(hub: type[Hub], tmp_path: Path) -> None:
    folder = tmp_path / "comet-22" / "checkpoints"
    folder.mkdir(parents=True)
    (folder / "model.ckpt.part").write_bytes(b"older" * 100)
    assert whole(hub, fetch_published("comet-22", str(tmp_path)))
    assert [given for _, path, given in hub.asked if path.startswith("/cdn")] == ["bytes=500-", None]


def test_a_part_that_is_all_there_is_not_fetched_again(hub: type[Hub], tmp_path: Path) -> None:
    body = hub.files[f"{COMET}/checkpoints/model.ckpt"]
    folder = tmp_path / "comet-22" / "checkpoints"
    folder.mkdir(parents=True)
    (folder / "model.ckpt.part").write_bytes(body)
    assert whole(hub, fetch_published("comet-22", str(tmp_path)))
    assert [given for _, path, given in hub.asked if path.startswith("/cdn")] == [f"bytes={len(body)}-"]


def test_another_content_than_the_hub_says_is_not_kept(hub: type[Hub], tmp_path: Path) -> None:
    hub.tag = "0" * 64
    with pytest.raises(InputError, match=r"has changed.*expected 000000000000"):
        fetch_published("comet-22", str(tmp_path))
    assert list((tmp_path / "comet-22" / "checkpoints").iterdir()) == []


def test_a_full_disk(hub: type[Hub], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr("shutil.disk_usage", lambda path: usage._replace(free=1000))
    with pytest.raises(
        OutputError, match=r"too full for .*GB are needed, but only 0.0 GB are free. Free some space, or choose"
    ):
        fetch_published("comet-22", str(tmp_path))


def test_a_disk_that_fills_up_on_the_way(hub: type[Hub], tmp_path: Path) -> None:
    limited = (
        "import resource, signal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (30000, 30000))\n"
        "import sys\nfrom assay.cli.main import main\n"
        f"sys.exit(main(['fetch', 'comet-22', '--data-dir', {str(tmp_path)!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", limited], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "the disk is too full for" in done.stderr
    assert whole(hub, fetch_published("comet-22", str(tmp_path)))


def test_killed_in_the_middle_and_again(hub: type[Hub], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "assay", "fetch", "comet-22", "--data-dir", str(tmp_path)]
    for cut in (10_000, 30_000):
        hub.reached.clear(), hub.go_on.clear()
        hub.cut_at = cut
        running = subprocess.Popen(command, env=dict(os.environ), stderr=subprocess.DEVNULL)
        assert hub.reached.wait(60)
        with pytest.raises(OutputError, match=r"being downloaded by another process"):
            fetch_published("comet-22", str(tmp_path))
        running.send_signal(signal.SIGKILL)
        assert running.wait() == -signal.SIGKILL
        hub.go_on.set()
        assert not (tmp_path / "comet-22" / "checkpoints" / "model.ckpt").exists()
    assert whole(hub, fetch_published("comet-22", str(tmp_path)))


LABSE = "sentence-transformers/LaBSE"


def serve_encoder(hub: type[Hub], repository: str, **more: bytes) -> dict[str, bytes]:
    """A small encoder on the hub, its weights in torch's form only."""
    folder = Path(__file__).resolve().parents[2] / "fixtures" / "bertscore" / "bert"
    files = {name: (folder / name).read_bytes() for name in ("config.json", "tokenizer.json")}
    files |= {"pytorch_model.bin": (folder / "model.safetensors").read_bytes(), **more}
    hub.files |= {f"{repository}/{name}": content for name, content in files.items()}
    return files


def test_an_encoder_is_fetched_with_its_head(hub: type[Hub]) -> None:
    from assay.cli.main import main

    assert encoder_name("sentence-transformers/labse") == encoder_name("LaBSE") == "labse"
    head = {"modules.json": b"[]", "1_Pooling/config.json": b"{}", "2_Dense/config.json": b"{}"}
    files = serve_encoder(hub, LABSE, **head, **{"2_Dense/model.safetensors": b"weights"})
    with pytest.raises(
        MissingPart, match=r"the encoder labse is not on this machine. Get it \(1.9 GB\): assay fetch labse"
    ):
        find_encoder("labse")
    assert main(["fetch", "LaBSE", "--quiet"]) == 0
    folder = find_encoder("labse")
    found = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert found == files  # pytorch_model.bin, since the hub has no model.safetensors
    count = len(hub.asked)
    assert fetch_published("labse") == folder
    assert len(hub.asked) == count


def test_baselines_come_with_an_encoder(
    hub: type[Hub], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their sums are known: another file is refused, and a server without them is told of and costs nothing."""
    from assay.cli.main import main

    baseline = b"LAYER,P,R,F\n0,0.1,0.1,0.1\n"
    row = {
        "encoder": "mpnet-base",
        "language": "en",
        "path": "en/mpnet.tsv",
        "sha256": hashlib.sha256(baseline).hexdigest(),
    }
    real = published.rows
    monkeypatch.setattr(published, "rows", lambda name: [row] if name == "bertscore_baselines.csv" else real(name))
    serve_encoder(hub, "microsoft/mpnet-base")
    address = f"{os.environ['HF_ENDPOINT']}Tiiiger/resolve/main"
    monkeypatch.setenv("ASSAY_BASELINES", f"{address}/nowhere")
    assert main(["fetch", "mpnet-base"]) == 0
    assert "the baselines for bertscore:baseline=… were not downloaded" in capsys.readouterr().err
    hub.files["Tiiiger/en/mpnet.tsv"] = baseline
    monkeypatch.setenv("ASSAY_BASELINES", address)
    assert main(["fetch", "mpnet-base", "--quiet"]) == 0
    kept = find_encoder("mpnet-base") / "baselines" / "en.tsv"
    assert kept.read_bytes() == baseline
    kept.unlink()
    hub.files["Tiiiger/en/mpnet.tsv"] = b"LAYER,P,R,F\n0,0.9,0.9,0.9\n"
    with pytest.raises(InputError, match=r"has changed"):
        fetch_published("mpnet-base")
    assert not kept.exists()


def test_an_encoder_in_the_hubs_own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "none"))
    place = tmp_path / "hub" / "models--FacebookAI--xlm-roberta-large" / "snapshots" / COMMIT
    place.mkdir(parents=True)
    for name in ("config.json", "tokenizer.json"):
        (place / name).write_text("{}")
    with pytest.raises(MissingPart, match=r"xlm-roberta-large is not on this machine"):
        find_encoder("xlm-roberta-large")
    (place / "model.safetensors").write_text("")
    assert find_encoder("FacebookAI/xlm-roberta-large") == place


def test_offline_means_offline(hub: type[Hub], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(MissingPart, match=r"comet-22 is incomplete on this machine, and HF_HUB_OFFLINE is set"):
        fetch_published("comet-22")
    assert hub.asked == []
    monkeypatch.delenv("HF_HUB_OFFLINE")
    folder = fetch_published("comet-22")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert fetch_published("comet-22") == folder


def test_a_model_in_several_files_is_fetched_by_the_metrics_name(
    hub: type[Hub], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = "google/metricx-24-hybrid-xl-v2p6"
    index = b'{"weight_map": {"a": "pytorch_model-00001-of-00002.bin", "b": "pytorch_model-00002-of-00002.bin"}}'
    files = {"config.json": b"{}", "pytorch_model.bin.index.json": index}
    files |= {f"pytorch_model-0000{i}-of-00002.bin": b"%d" % i for i in (1, 2)}
    hub.files |= {f"{base}/{name}": content for name, content in files.items()}
    hub.files["google/mt5-xl/spiece.model"] = b"pieces"
    assert fetchable_name("metricx-24-qe-xl") == fetchable_name(base) == "metricx-24-xl"
    with pytest.raises(MissingPart, match="assay fetch metricx-24-xl"):
        find_published("metricx-24-xl")
    folder = fetch_published("metricx-24-xl")
    assert find_published("metricx-24-xl") == folder
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {**files, "spiece.model": b"pieces"}

    hub.files[f"{base}/pytorch_model.bin.index.json"] = b'{"weight_map": {"a": "../elsewhere.bin"}}'
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "another"))
    with pytest.raises(InputError, match="names no weight files in its folder"):
        fetch_published("metricx-24-xl")


def test_an_archive_gives_its_four_files_and_nothing_else(
    hub: type[Hub], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import io
    import tarfile
    from dataclasses import replace

    names = ("m39v1/checkpoint.pt", "m39v1/spm.model", "m39v1/dict.src.txt", "m39v1/dict.tgt.txt", "../outside.txt")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name in names:
            about = tarfile.TarInfo(name)
            about.size = len(name)
            archive.addfile(about, io.BytesIO(name.encode()))
    hub.files["prism/m39v1.tar"] = packed.getvalue()
    address = f"{os.environ['HF_ENDPOINT']}prism/resolve/main/m39v1.tar"
    there = {**checkpoints(), "m39v1": replace(checkpoints()["m39v1"], archive=address)}
    monkeypatch.setattr(published, "checkpoints", lambda: there)
    folder = fetch_published("m39v1", str(tmp_path / "here"))
    assert {path.name: path.read_text() for path in folder.iterdir()} == {Path(name).name: name for name in names[:4]}
    hub.files["prism/m39v1.tar"] = packed.getvalue()[:700]
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "another"))
    with pytest.raises(InputError, match=r"is incomplete|has no dict"):
        fetch_published("m39v1", str(tmp_path / "there"))
