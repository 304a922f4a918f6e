"""Downstream task outcomes on translations, as columns, for breakdown detection and decisions.

A task succeeds or fails on an example; the example's texts are rows of a Batch. Most examples have one row. In question
answering, the question and the context are two rows, and the example's score is that of its worst row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from assay.core.batch import Batch
from assay.core.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]
    Integers = NDArray[np.int64]

DEV, TEST, BOTH = "dev", "test", "dev+test"
"""Parts of a data set. An example of `BOTH` helps to choose thresholds and is also reported (Moghe et al. 2023, XQuAD)."""
NO_TYPE = ""
TASK_MODEL = "task model"
"""Error type of an example that failed because of the task model, not the translation (Moghe et al. 2023, Table 2)."""


@dataclass(frozen=True, slots=True)
class TaskOutcomes:
    """Rows (`batch`, and `example`: the example number of each row) and columns with one value per example.

    `success` is whether the step that read the translation succeeded; False is a breakdown. If outcomes are graded, `grades`
    contains values from 0 to 1, and `success` means a grade of at least 0.5. `error_types` contains the MQM type of each
    error that a person or a perturbation named. `controlled` marks examples with an error made on purpose. `reviewed` marks
    examples whose error type was named in a review of wrongly judged translations; these types do not represent correctly
    judged ones. `back` contains translations back into the source language, for pseudo-references. `scores` contains row
    scores that came with the data.
    """

    batch: Batch
    success: Bools
    languages: Sequence[str]
    splits: Sequence[str]
    tasks: Sequence[str]
    ids: Sequence[str]
    error_types: Sequence[str]
    controlled: Bools
    example: Integers
    parts: Sequence[str] | None = None
    back: Sequence[str | None] | None = None
    scores: Mapping[str, Floats] = field(default_factory=dict)
    grades: Floats | None = None
    reviewed: Bools | None = None

    def __post_init__(self) -> None:
        n = len(self.success)
        for name in ("languages", "splits", "tasks", "ids", "error_types", "controlled", "grades", "reviewed"):
            if getattr(self, name) is not None and len(getattr(self, name)) != n:
                raise InputError(f"outcomes: {name} has {len(getattr(self, name)):,} values for {n:,} examples.")
        if len(self.example) != len(self.batch):
            raise InputError(f"outcomes: {len(self.example):,} example numbers for {len(self.batch):,} rows.")

    def __len__(self) -> int:
        return len(self.success)

    @classmethod
    def single(
        cls,
        batch: Batch,
        success: Bools,
        languages: Sequence[str],
        splits: Sequence[str],
        *,
        tasks: Sequence[str] | None = None,
        error_types: Sequence[str] | None = None,
        back: Sequence[str | None] | None = None,
        scores: Mapping[str, Floats] | None = None,
    ) -> TaskOutcomes:
        """Return outcomes with one row per example."""
        import numpy as np

        n = len(batch)
        return cls(
            batch=batch,
            success=np.asarray(success, bool),
            languages=languages,
            splits=splits,
            tasks=tasks if tasks is not None else [""] * n,
            ids=batch.ids or [str(i) for i in range(1, n + 1)],
            error_types=error_types if error_types is not None else [NO_TYPE] * n,
            controlled=np.zeros(n, bool),
            example=np.arange(n),
            back=back,
            scores=scores or {},
        )

    def fold(self, values: Floats, higher_is_better: bool) -> Floats:
        """Return one score per example, the worst of its rows; NaN if a row has no finite score."""
        import numpy as np

        if len(values) == len(self) == len(self.example) and bool((self.example == np.arange(len(self))).all()):
            return np.asarray(values, np.float64)
        folded = np.full(len(self), np.inf if higher_is_better else -np.inf)
        with np.errstate(invalid="ignore"):  # NaN propagates on purpose
            (np.minimum if higher_is_better else np.maximum).at(
                folded, self.example, np.where(np.isfinite(values), values, np.nan)
            )
        folded[np.isinf(folded)] = np.nan
        return folded

    @property
    def worth(self) -> Floats:
        """The downstream value of each example: its grade, or 1 for success and 0 for breakdown."""
        import numpy as np

        return self.success.astype(np.float64) if self.grades is None else self.grades

    def cut_at(self, grade: float | None) -> TaskOutcomes:
        """Turn grades into success or failure: a success has at least this grade. Outcomes without grades are returned
        unchanged.
        """
        if grade is None or self.grades is None:
            return self
        if not 0 < grade <= 1:
            raise InputError(f"the minimum grade of a success must be above 0 and at most 1, not {grade:g}.")
        return replace(self, success=self.grades >= grade - 1e-12, grades=None)

    @property
    def has_references(self) -> bool:
        """Whether any row has a reference."""
        return self.batch.references is not None and any(self.batch.references[0])

    def pseudo_batch(self) -> Batch | None:
        """Return the batch for scoring without references: the back-translation as hypothesis, the source as reference.

        See Moghe et al. 2023, Section 4.4. Returns None without back-translations or sources. A row that could not be
        translated back has an empty hypothesis; `pseudo_missing` marks these rows.
        """
        if self.back is None or self.batch.sources is None:
            return None
        return Batch(
            hypotheses=[text if text is not None else "" for text in self.back],
            sources=self.batch.hypotheses,
            references=(self.batch.sources,),
        )

    def pseudo_missing(self) -> Bools:
        """Return a mask of the rows without a back-translation."""
        import numpy as np

        return np.array([text is None for text in self.back or ()], bool)

    def select(self, examples: Any) -> TaskOutcomes:
        """Return the examples of a boolean mask, with their rows."""
        import numpy as np

        mask = np.asarray(examples, bool)
        examples_kept, rows = np.flatnonzero(mask).tolist(), np.flatnonzero(mask[self.example])
        renumbered = np.cumsum(mask) - 1
        at = rows.tolist()
        return TaskOutcomes(
            batch=self.batch.select(at),
            success=self.success[mask],
            languages=[self.languages[i] for i in examples_kept],
            splits=[self.splits[i] for i in examples_kept],
            tasks=[self.tasks[i] for i in examples_kept],
            ids=[self.ids[i] for i in examples_kept],
            error_types=[self.error_types[i] for i in examples_kept],
            controlled=self.controlled[mask],
            example=renumbered[self.example[rows]],
            parts=None if self.parts is None else [self.parts[i] for i in at],
            back=None if self.back is None else [self.back[i] for i in at],
            scores={name: values[rows] for name, values in self.scores.items()},
            grades=None if self.grades is None else self.grades[mask],
            reviewed=None if self.reviewed is None else self.reviewed[mask],
        )


def draw_development_part(outcomes: TaskOutcomes, share: float, seed: int) -> TaskOutcomes:
    """Draw a random share of each task and language as the development set; return the outcomes with this split.

    Successes and breakdowns are divided in the same proportion. Examples that differ only in a controlled error stay together.
    """
    import zlib

    import numpy as np

    if not 0 < share < 1:
        raise InputError(f"the share of the development set must be between 0 and 1, not {share}.")
    strata: dict[tuple[str, str, bool], dict[str, list[int]]] = {}
    first: dict[tuple[str, str, str], bool] = {}
    for i, name in enumerate(outcomes.ids):
        task, language, base = outcomes.tasks[i], outcomes.languages[i], name.partition("#")[0]
        good = first.setdefault((task, language, base), bool(outcomes.success[i]))
        strata.setdefault((task, language, good), {}).setdefault(base, []).append(i)
    parts = [TEST] * len(outcomes)
    for (task, language, good), members in strata.items():
        rng = np.random.default_rng([seed, zlib.crc32(f"{task}\t{language}".encode()), good])
        names = list(members)
        for at in rng.permutation(len(names))[: round(share * len(names))].tolist():
            for i in members[names[at]]:
                parts[i] = DEV
    return replace(outcomes, splits=parts)


def concat_outcomes(parts: Sequence[TaskOutcomes]) -> TaskOutcomes:
    """Join the outcomes of several tasks. Precomputed scores are kept if all tasks have them; if one task is graded, all
    become graded."""
    import numpy as np

    if len(parts) == 1:
        return parts[0]

    def joined(name: str) -> list[str]:
        return [value for part in parts for value in getattr(part, name)]

    shifts = np.cumsum([0, *(len(part) for part in parts[:-1])])
    some_back = any(part.back is not None for part in parts)
    scored = [name for name in parts[0].scores if all(name in part.scores for part in parts)]
    graded = any(part.grades is not None for part in parts)
    reviewed = [np.zeros(len(part), bool) if part.reviewed is None else part.reviewed for part in parts]
    return TaskOutcomes(
        batch=Batch(
            [text for part in parts for text in part.batch.hypotheses],
            [text for part in parts for text in part.batch.sources or [""] * len(part.batch)],
            ([text for part in parts for text in (part.batch.references or ([None] * len(part.batch),))[0]],),
        ),
        success=np.concatenate([part.success for part in parts]),
        languages=joined("languages"),
        splits=joined("splits"),
        tasks=joined("tasks"),
        ids=joined("ids"),
        error_types=joined("error_types"),
        controlled=np.concatenate([part.controlled for part in parts]),
        example=np.concatenate([part.example + shift for part, shift in zip(parts, shifts, strict=True)]),
        parts=[name for part in parts for name in part.parts or [""] * len(part.batch)],
        back=[text for part in parts for text in part.back or [None] * len(part.batch)] if some_back else None,
        scores={name: np.concatenate([part.scores[name] for part in parts]) for name in scored},
        grades=np.concatenate([part.worth for part in parts]) if graded else None,
        reviewed=np.concatenate(reviewed) if any(part.reviewed is not None for part in parts) else None,
    )
