"""Readers of training data, checkpoints, spools, assay-mini's weights, and of the data sets behind tasks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from assay.io.table.bad_rows import BadRows
from tests.fuzz.target import Read, Target, drain, jsonl, tsv


def tasks() -> list[Target]:
    """The user's own copies of data sets behind downstream tasks."""
    from assay.tasks import multiatis, multiwoz, xquad

    paragraph = {
        "context": "A dog barks. It is loud.",
        "qas": [{"id": "q1", "question": "Who barks?", "answers": [{"answer_start": 0, "text": "A dog"}]}],
    }
    squad = json.dumps({"data": [{"title": "t", "paragraphs": [paragraph]}] * 2}).encode()
    turn = {"system_transcript": "", "transcript": "a hotel", "belief_state": [{"slots": [["hotel-area", "centre"]]}]}
    dialogues = json.dumps([{"dialogue_idx": "MUL1", "dialogue": [turn, turn]}]).encode()
    ontology = json.dumps({"hotel-area": ["centre", "north"]}).encode()
    atis = [
        ["id", "utterance", "slot_labels", "intent"],
        ["1", "fly to Boston", "O O B-toloc", "flight"],
        ["2", "hi", "O", "x"],
    ]
    whole = (
        ("woz/dev_dials.json", dialogues),
        ("woz/test_dials.json", dialogues),
        ("woz/test_dials-de.json", dialogues),
    )
    return [
        Target("xquad", "xquad/xquad.en.json", squad, lambda path: xquad.examples(path.parent)),
        Target(
            "xquad.de",
            "xquad/xquad.de.json",
            squad,
            lambda path: xquad.examples(path.parent),
            (("xquad/xquad.en.json", squad),),
        ),
        Target("multiwoz", "woz/dev_dials.json", dialogues, lambda path: multiwoz.examples(path.parent), whole[1:]),
        Target(
            "multiwoz.de", "woz/test_dials-de.json", dialogues, lambda path: multiwoz.examples(path.parent), whole[:2]
        ),
        Target("multiwoz.ontology", "woz/ontology.json", ontology, lambda path: multiwoz.ontology(path.parent)),
        Target("multiatis", "atis/test_EN.tsv", tsv(atis), lambda path: multiatis.examples(path.parent)),
        Target(
            "multiatis.de",
            "atis/test_DE.tsv",
            tsv(atis),
            lambda path: multiatis.examples(path.parent),
            (("atis/test_EN.tsv", tsv(atis)),),
        ),
    ]


def training() -> list[Target]:
    """Training configurations and data; none of them needs torch."""
    from assay.models.training import sources
    from assay.models.training.config import load_config
    from assay.models.training.toy import CONFIG

    group = {
        "ds": "mqm20",
        "kind": "mqm",
        "lp": "en-de",
        "doc": "d",
        "seg": 1,
        "grp": "g",
        "split": "train",
        "src": "A dog.",
        "refs": ["Ein Hund."],
        "hyps": [{"sys": "A", "text": "Eine Katze.", "score": -5.0, "spans": [[5, 10, 5.0, 1]]}],
    }
    marked = {
        "src": "A dog.",
        "mt": "Eine Katze.",
        "ref": "Ein Hund.",
        "lp": "en-de",
        "errors": [
            {"start": 0, "end": 4, "severity": "minor"},
            {"startIndex": 5, "endIndex": 9, "term": "Katze", "severity": "Major"},
        ],
        "source_errors": [{"severity": "minor"}],
    }
    mlqe = [
        ["index", "original", "translation", "scores", "mean", "z_scores", "z_mean"],
        ["0", "A dog", "Ein Hund", "[90, 100]", "95", "[1]", "0.5"],
    ]
    assessed = [
        ["src", "mt", "ref", "z", "raw", "n"],
        ["a", "b", "c", "0.5", "100", "3"],
        ["d", "e", "f", "-1.5", "0", "2"],
    ]

    def reading(read: Callable[..., Iterable[object]], folder: bool = False) -> Read:
        def both(path: Path) -> None:
            place = path.parent if folder else path
            drain(read(place, BadRows(skip=True)))
            drain(read(place, BadRows()))

        return both

    return [
        Target("train.yaml", "a.yaml", CONFIG.encode(), load_config, (("toy.jsonl", b""),), weight=0.1),
        Target("train.jsonl", "a.jsonl", jsonl([group, group]), reading(sources.read_corpus)),
        Target(
            "train.spans",
            "a.jsonl",
            jsonl([marked, {"mt": "x", "spans": [], "score": 0.5}]),
            reading(sources.read_span_json),
        ),
        Target("train.da", "a.tsv", tsv(assessed), reading(sources.read_assessments)),
        Target("train.mlqe", "en-de/train.da.tsv", tsv(mlqe), reading(sources.read_mlqe, folder=True)),
    ]


def weights(folder: Path) -> list[Target]:
    """Files of tensors, and assay-mini's weights with a manifest that always fits, so that more than a hash stands in the way."""
    from assay.io.files.tensors import read_tensors
    from assay.io.resources.mini import FILES, MANIFEST, load_mini
    from tests.mini_weights import fitted, small, written

    place = written(folder / "mini", small())

    def read(path: Path) -> object:
        return load_mini(path.parent if path.name == MANIFEST else fitted(path.parent))

    whole = [(f"mini/{name}", (place / name).read_bytes()) for name in (*FILES, MANIFEST)]
    targets = [
        Target(f"mini.{Path(name).stem}", name, seed, read, tuple(one for one in whole if one[0] != name))
        for name, seed in whole
    ]
    return [Target("tensors", "a.safetensors", whole[0][1], read_tensors), *targets]


def bundles() -> list[Target]:
    """TensorFlow's checkpoints; blocks and compressed bytes by themselves too, since a checksum stands before them in a file."""
    from assay.core.errors import InputError
    from assay.io.files import tensor_bundle
    from assay.io.files.snappy import decompress
    from tests.models.bleurt_folders import FIXTURES

    def whole(path: Path) -> None:
        for array in tensor_bundle.read_bundle(path.parent / "variables").values():
            array.sum()

    def refusing(read: Callable[[bytes], object]) -> Read:
        def both(path: Path) -> None:
            try:
                read(path.read_bytes())
            except ValueError as error:
                raise InputError(str(error)) from error

        return both

    def block(data: bytes) -> None:
        for _, value in tensor_bundle._pairs(data):
            tensor_bundle._entry(value)

    names = ("variables.index", "variables.data-00000-of-00001")
    index, data = ((FIXTURES / "rembert" / "variables" / name).read_bytes() for name in names)
    entries = b"\0\x05\x0cbert/" + b"\x08\x01\x12\x04\x12\x02\x08\x04\x20\x00\x28\x10"
    entries += b"\x05\x01\x06a" + b"\x08\x09\x20\x10\x28\x08"
    plain = entries + b"\0\0\0\0\x01\0\0\0"
    packed = bytes([11, 4 << 2]) + b"bert/" + bytes([1 | 1 << 2 | 0 << 5, 5, (1 - 1) << 2]) + b"x"
    return [
        Target("bundle.index", f"tf/{names[0]}", index, whole, ((f"tf/{names[1]}", data),)),
        Target("bundle.data", f"tf/{names[1]}", data, whole, ((f"tf/{names[0]}", index),)),
        Target("bundle.block", "tf/block", plain, refusing(block)),
        Target("bundle.snappy", "tf/snappy", packed, refusing(lambda data: decompress(data, 1 << 20))),
    ]


def checkpoints(folder: Path) -> list[Target]:
    """A tiny checkpoint's files, an encoder's, and an unfinished run's state; only where torch is installed."""
    try:
        import torch
        import yaml  # noqa: F401
        from safetensors.torch import save
    except ImportError:
        return []
    from assay.models.encoders.config import ModelConfig
    from assay.models.files.comet import locate, read_config, read_hparams
    from assay.models.heads.checkpoint import load, read_weights
    from assay.models.training.encoders import encoder_of_folder
    from assay.models.training.state import STATE, TrainingProgress, load_state, save_state
    from tests.models.official import unpack

    place = unpack("regression", folder)
    names = ("checkpoints/model.ckpt", "hparams.yaml", "config.json", "tokenizer.json")
    whole = {name: (place / name).read_bytes() for name in names}
    save_state(folder, TrainingProgress(), {"seed": 1}, {"a": torch.zeros(2)}, {"b": torch.ones(1)})
    state = (folder / STATE).read_bytes()

    def fast(path: Path) -> None:
        files = locate(path.parent)
        read_config(files, ModelConfig.from_hparams(read_hparams(files)))

    def slow(path: Path) -> None:
        root = path.parent.parent if path.suffix == ".ckpt" else path.parent
        load(root).tokenizer.encode(["a b", ""], 20)

    def encoder(path: Path) -> None:
        encoder_of_folder(path.parent)

    head = "encoder.model."
    stored = read_weights(place / "checkpoints/model.ckpt")["state_dict"]
    tensors = save({name.removeprefix(head): value.clone() for name, value in stored.items() if name.startswith(head)})
    found = []
    for name, content in whole.items():
        beside = tuple((f"ck/{other}", text) for other, text in whole.items() if other != name)
        quick = name in ("hparams.yaml", "config.json")
        if quick:
            found.append(Target(f"checkpoint.{name}", f"ck/{name}", content, fast, beside, weight=0.1))
        found.append(Target(f"checkpoint.load.{name}", f"ck/{name}", content, slow, beside, weight=0.005))
    beside = tuple((f"enc/{name}", whole[name]) for name in ("config.json", "tokenizer.json"))
    return [
        *found,
        Target("encoder.safetensors", "enc/model.safetensors", tensors, encoder, beside, weight=0.01),
        Target(
            "encoder.config",
            "enc/config.json",
            whole["config.json"],
            encoder,
            (*beside[1:], ("enc/model.safetensors", tensors)),
            weight=0.02,
        ),
        Target("state", f"run/{STATE}", state, lambda path: load_state(path.parent), weight=0.3),
    ]


def spools(folder: Path) -> list[Target]:
    """A finished chunk in the spool of a run."""
    import numpy as np

    from assay.engine.progress_file import ProgressFile, _read

    with ProgressFile.open("fuzz", folder) as spool:
        spool.put(0, b"hash", {"values": np.arange(3.0), "codes": np.arange(3)})
        found = spool._path(0).read_bytes()
    return [Target("spool", "a.chunk", found, lambda path: _read(path, b"hash"))]
