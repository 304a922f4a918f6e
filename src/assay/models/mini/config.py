"""Configuration of an assay-mini training run: data, text preparation, and stages.

A stage trains one model. A stage with `teachers` also learns from their predictions for the training rows. The last stage
is packed. Defaults are the recipe of docs/train_mini.md.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from assay.core.errors import InputError, unknown
from assay.core.schema import Bounds, Count, Place, Share, typed
from assay.models.training.config import Precision

Positive = Annotated[float, Bounds(0)]
Sized = Annotated[int, Bounds(1, 10**9)]


@dataclass(frozen=True)
class MiniData:
    """One file of judged translations: groups in corpus format, or a table of direct assessments."""

    path: str
    format: Literal["corpus", "da"] = "corpus"
    name: str = ""
    """Name under which a table's collection appears in `mix`; by default the file name."""
    origins: tuple[str, ...] = ()
    """The collections of a corpus file to use; by default all."""
    limit: Count = 0
    """Maximum number of groups, sampled with the seed; 0 means all."""
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class EncoderSection:
    """Encoder to start from: ``e5-small``, ``tiny`` (random, for trials), or a folder."""

    name: str = "e5-small"
    least_uses: Sized = 1
    """Minimum number of uses in the training texts for a subword to be kept (single characters always are); then texts are
    tokenized again.
    """
    tiny_hidden: Sized = 64
    tiny_layers: Sized = 4
    tiny_heads: Sized = 4
    tiny_vocabulary: Sized = 2000


@dataclass(frozen=True)
class StageConfig:
    """One model: length of training, its rows, and loss weights."""

    name: str
    steps: Sized
    seed: int | None = None
    """Seed for batches and dropout; by default that of the run plus the number of the stage."""
    teachers: tuple[str, ...] = ()
    """Earlier stages whose predictions this one also learns from."""
    mix: Mapping[str, Positive] = field(default_factory=dict)
    """Changes to the run's `mix`."""
    batch_tokens: Sized = 32768
    hypotheses: Sized = 8
    """Maximum number of translations per source in one batch."""
    without_reference: Share = 0.35
    without_source: Share = 0.2
    learning_rate: Positive = 1.5e-4
    head_learning_rate: Positive = 6e-4
    layerwise_decay: Share = 0.92
    warm_up: Share = 0.06
    weight_decay: Positive = 0.01
    gradient_clip: Positive = 1.0
    dropout: Share = 0.1
    round_embeddings_at: Share = 0.8
    """Share of the steps after which embeddings are rounded to 4 bits and frozen."""
    ranking: Positive = 1.0
    """Weight of pairs of translations of the same source, ranked by the expected MQM."""
    ranking_head: Positive = 0.3
    """Weight of the same pairs, ranked by a separate head."""
    between: Positive = 0.5
    """Weight of pairs of translations of different sources, for direct assessments."""
    side_heads: Positive = 0.5
    tags: Positive = 0.4
    distil: Positive = 2.0
    distil_differences: Positive = 1.0
    distil_heads: Positive = 0.6
    distil_tags: Positive = 0.5


@dataclass(frozen=True)
class MiniConfig:
    """Configuration of a complete run."""

    output: str
    data: tuple[MiniData, ...]
    stages: tuple[StageConfig, ...]
    architecture: Literal["mini"] = "mini"
    name: str = "assay-mini"
    licence: str = ""
    seed: int = 1
    prepared: str = ""
    """Folder for the prepared data, which several runs may share; by default ``prepared`` in the output folder."""
    encoder: EncoderSection = field(default_factory=EncoderSection)
    mix: Mapping[str, Positive] = field(default_factory=dict)
    """Number of times that a collection's groups occur in an epoch, by default 1. ``syn`` stands for all of ``syn-…``."""
    documents: Count = 0
    """Number of groups of two to eight consecutive segments to add, with summed MQM scores."""
    errors: Mapping[str, Share] = field(default_factory=dict)
    """Share of a collection's groups for which a group of synthetic errors is created from the best translation."""
    held_out: Share = 0.0
    """Share of the documents with MQM or ESA scores to hold out, in addition to those marked ``dev`` in the files."""
    width: Sized = 256
    device: str = "auto"
    precision: Precision = "auto"
    checkpoint_every: Sized = 500
    workers: Annotated[int, Bounds(0, 256)] = 0
    """Number of processes that prepare batches in parallel with training; with 0, the training process prepares them."""
    skip_bad: bool = False

    @property
    def prepared_folder(self) -> Path:
        """Folder of the prepared data."""
        return Path(self.prepared) if self.prepared else Path(self.output) / "prepared"

    def share_of(self, collection: str, stage: StageConfig) -> float:
        """Return the number of times that a collection's group occurs in an epoch of a stage."""
        for mix in (stage.mix, self.mix):
            for key in (collection, collection.partition("-")[0]):
                if key in mix:
                    return mix[key]
        return 1.0

    def seed_of(self, number: int) -> int:
        """Return the seed of stage `number`, counted from 0."""
        own = self.stages[number].seed
        return self.seed + number if own is None else own


def is_mini(data: Any) -> bool:
    """Return whether a configuration's plain values request this architecture."""
    return isinstance(data, dict) and data.get("architecture") == "mini"


def parse_mini(data: Any, where: str = "the configuration", folder: Path | None = None) -> MiniConfig:
    """Convert plain mappings and lists to a checked `MiniConfig`; paths are relative to `folder`."""
    config = typed(MiniConfig, data, Place(where))
    if not config.stages:
        raise InputError(f"{where} has no stages.")
    earlier: list[str] = []
    for stage in config.stages:
        if not stage.name or stage.name in earlier or "/" in stage.name or stage.name.startswith("."):
            raise InputError(f"{where}: stage names must be unique and usable as folder names, unlike {stage.name!r}.")
        for teacher in stage.teachers:
            if teacher not in earlier:
                raise unknown(f"earlier stage of {where}", teacher, earlier)
        earlier.append(stage.name)
    base = folder or Path()
    located = tuple(dataclasses.replace(one, path=str(base / Path(one.path).expanduser())) for one in config.data)
    encoder = config.encoder
    if (base / encoder.name).is_dir():
        encoder = dataclasses.replace(encoder, name=str(base / encoder.name))
    return dataclasses.replace(
        config,
        data=located,
        encoder=encoder,
        output=str(base / config.output),
        prepared=str(base / config.prepared) if config.prepared else "",
    )


def plain_stage(config: MiniConfig, number: int) -> dict[str, Any]:
    """Return everything that determines a stage's result, as JSON values. A run can be moved and then resumed."""
    plain: dict[str, Any] = json.loads(json.dumps(asdict(config)))
    stage = plain["stages"][number]
    names = {one.name: i for i, one in enumerate(config.stages)}
    teachers = [plain_stage(config, names[teacher]) for teacher in config.stages[number].teachers]
    settings = {key: plain[key] for key in ("seed", "mix", "width")}
    return {**settings, "stage": {**stage, "seed": config.seed_of(number)}, "teachers": teachers}


def plain_preparation(config: MiniConfig) -> dict[str, Any]:
    """Return everything that determines the prepared data, as JSON values."""
    plain: dict[str, Any] = json.loads(json.dumps(asdict(config)))
    settings = {key: plain[key] for key in ("data", "encoder", "documents", "errors", "held_out", "seed", "skip_bad")}
    for one in settings["data"]:
        one["path"] = Path(one["path"]).name
    settings["encoder"]["name"] = Path(settings["encoder"]["name"]).name
    return settings
