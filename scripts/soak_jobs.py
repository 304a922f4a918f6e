"""Commands that `soak.py` kills, their texts, and the server that they download from."""

from __future__ import annotations

import http.server
import importlib.util
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

TRAINING = """
output: run
seed: 7
model: {tiny_hidden: 32, tiny_layers: 1, tiny_vocabulary: 200}
held_out: {fraction: 0.1, every: 7}
checkpoint_every: 5
phases:
  - {curriculum: 1, data: [{path: toy.jsonl, format: spans}], batch_size: 16, max_steps: 40, learning_rate: 1.0e-3}
  - {curriculum: 2, data: [{path: toy.jsonl, format: spans}], batch_size: 16, max_steps: 40, learning_rate: 1.0e-3}
"""


@dataclass(frozen=True)
class Job:
    """A command whose output is a folder, and the files it needs there."""

    name: str
    arguments: Callable[[Path], list[str]]
    prepare: Callable[[Path], object] = lambda out: None
    stored: bool = False
    """Whether it saves scores in the store."""
    spooled: bool = False
    """Whether it saves finished chunks in its progress file."""


def files_of(folder: Path) -> dict[str, bytes]:
    """Return everything a job has written under a final name, without parts, training state and times."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        passing = any(
            mark in name for mark in ("part", "log.jsonl", "state.safetensors", "manifest", "train.yaml", "toy.jsonl")
        )
        if path.is_file() and not passing:
            found[name] = path.read_bytes()
    return found


def jobs_in(folder: Path, small: bool) -> list[Job]:
    """Return every long verb, on texts made in `folder`, without those whose extra is not installed."""
    folder.mkdir(parents=True)
    rows = 41_000 if small else 110_000
    write_texts(folder, rows)
    texts = ["--mt", str(folder / "mt"), "--ref", str(folder / "ref"), "--quiet"]
    two = ["--mt", str(folder / "mt2"), *texts, "--samples", "100", "--trials", "100"]
    rule = ["--rule", str(folder / "rule.json"), *texts, "--lang", "es", "--format", "tsv"]
    wanted = [part for name in ("word-swap", "character-removed", "shuffled") for part in ("-p", name)]
    made = [*wanted, "--langpair", "de-en", "--n", "2000", "--quiet", "--data", str(folder / "corpus.tsv")]
    slow, items = "soak_parts:Slow", str(folder / "items.jsonl")
    jobs = [
        Job("score", lambda out: ["score", "-m", "chrf", "-m", "ter", *texts, *to(out, "jsonl")], spooled=True),
        Job("score stored", lambda out: ["score", "-m", slow, *texts, *to(out, "jsonl")], stored=True, spooled=True),
        Job("compare", lambda out: ["compare", "-m", "chrf", *two, *to(out, "json")], spooled=True),
        Job("decide apply", lambda out: ["decide", "apply", *rule, "--out", str(out / "out.tsv")], spooled=True),
        Job("run", lambda out: ["run", items, "-m", slow, "--quiet", *to(out, "json")], stored=True),
        Job("make", lambda out: ["make", *made, "--out", str(out / "set.jsonl")]),
        Job("fetch", lambda out: ["fetch", "soak_parts:Remote", "--quiet", "--data-dir", str(out)]),
    ]
    if all(importlib.util.find_spec(part) for part in ("torch", "tokenizers", "safetensors", "yaml")):
        jobs += learned_jobs(folder, 60 if small else 400)
    return jobs


def learned_jobs(folder: Path, rows: int) -> list[Job]:
    """Return spans by a tiny random checkpoint, and training on synthetic data."""
    from assay.models.training.toy import write_example
    from tests.models.official import unpack

    checkpoint = unpack("xcomet", folder)
    texts = ["--quiet"]
    for option, name in (("--src", "ref"), ("--mt", "mt"), ("--ref", "ref")):
        lines = (folder / name).read_text().splitlines()[:rows]
        (folder / f"short.{name}").write_text("\n".join(lines) + "\n")
        texts += [option, str(folder / f"short.{name}")]

    def prepare(out: Path) -> None:
        if not (out / "train.yaml").exists():
            write_example(out, 200)
            (out / "train.yaml").write_text(TRAINING)

    return [
        Job(
            "score --spans",
            lambda out: ["score", "-m", f"{checkpoint}:decoder=exact", "--spans", *texts, *to(out, "jsonl")],
            stored=True,
        ),
        Job("train", lambda out: ["train", str(out / "train.yaml"), "--resume", "--quiet"], prepare),
    ]


def to(out: Path, format: str) -> list[str]:
    """Return options that write a result to a file."""
    return ["--format", format, "--out", str(out / f"out.{format}")]


def write_texts(folder: Path, rows: int) -> None:
    """Write translations of two systems with their reference, a corpus, pairs, outcomes, and a rule learned from them."""
    rng = random.Random(1)
    words = [f"word{i}" for i in range(60)]
    references = [f"{i} " + " ".join(rng.choices(words, k=rng.randrange(3, 9))) for i in range(rows)]
    for name, share in (("mt", 0.2), ("mt2", 0.4)):
        lines = [" ".join("other" if rng.random() < share else word for word in line.split()) for line in references]
        (folder / name).write_text("\n".join(lines) + "\n")
    (folder / "ref").write_text("\n".join(references) + "\n")
    mt = (folder / "mt").read_text().splitlines()
    (folder / "corpus.tsv").write_text("src\tmt\n" + "".join(f"{line}\tThe {line}.\n" for line in references[:3000]))
    with (folder / "items.jsonl").open("w") as file:
        for i, line in enumerate(references[:8000]):
            item = {
                "id": str(i),
                "source": line,
                "reference": line,
                "good": line,
                "incorrect": mt[i],
                "phenomenon": "other",
            }
            file.write(json.dumps({**item, "langpair": "de-en"}) + "\n")
    with (folder / "outcomes.tsv").open("w") as file:
        file.write("source\ttranslation\treference\toutcome\tlanguage\n")
        for text, reference in zip(mt[:600], references, strict=False):
            outcome = "bad" if text.count("other") > 2 else "good"
            file.write(f"{text}\t{text}\t{reference}\t{outcome}\tes\n")
    fit = ["decide", "fit", "--data", str(folder / "outcomes.tsv"), "-m", "chrf", "--out", str(folder / "rule.json")]
    subprocess.run([sys.executable, "-m", "assay", *fit], check=True, capture_output=True, env=dict(os.environ))


@contextmanager
def serve() -> Iterator[str]:
    """Yield the address of a file on a slow server in this process that supports ranges."""
    sys.path.insert(0, str(ROOT / "scripts"))
    from soak_parts import BODY

    class Slowly(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            begins = int((self.headers.get("Range") or "bytes=0-")[6:-1])
            self.send_response(206 if begins else 200)
            self.send_header("Content-Length", str(len(BODY) - begins))
            self.send_header("ETag", '"soak"')
            if begins:
                self.send_header("Content-Range", f"bytes {begins}-{len(BODY) - 1}/{len(BODY)}")
            self.end_headers()
            try:
                for at in range(begins, len(BODY), 1 << 16):
                    self.wfile.write(BODY[at : at + (1 << 16)])
                    time.sleep(0.01)
            except OSError:
                pass  # the client was killed

        def log_message(self, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slowly) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/remote.bin"
        finally:
            server.shutdown()
            thread.join()
