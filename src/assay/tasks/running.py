"""Task runner on translated input: turns a Task and a Translator into outcomes.

See Moghe et al. (2023), Sections 3.1 and 4.4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.core.batch import Batch
from assay.core.errors import AssayError, InputError, count, listing, unknown
from assay.core.outcomes import NO_TYPE, TaskOutcomes
from assay.core.spec import create
from assay.core.task import ControlledError, Example, Task, TaskModel, Translator
from assay.tasks import TASKS


@dataclass(frozen=True)
class TaskRun:
    """Outcomes of a run, with counts of the examples that are left out."""

    outcomes: TaskOutcomes
    examples: int
    kept: int
    """Examples that the model answers correctly in the task language; all others are left out."""
    untranslated: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """For each language, the ids of examples that the translator could not translate; they are left out."""
    remarks: Sequence[str] = ()
    omitted: Mapping[str, int] = field(default_factory=dict)
    """Examples that the task leaves out in every language, by reason."""
    absent: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """For each language, counts of retained examples that have no usable text, by reason."""

    def notes(self) -> list[str]:
        """Return one sentence on the examples that take part, and one for each language and reason that leaves some out."""
        notes = [f"{self.kept:,} of {count(self.examples, 'example')} succeed in the task language and take part"]
        notes += [f"⚠ {count(n, 'example')} left out in every language: {reason}" for reason, n in self.omitted.items()]
        for language, reasons in self.absent.items():
            missing = sum(reasons.values())
            why = "; ".join(f"{n:,}: {reason}" for reason, n in reasons.items())
            notes.append(
                f"⚠ {language}: {self.kept - missing:,} of {self.kept:,} take part, {missing:,} left out ({why})"
            )
        for language, ids in self.untranslated.items():
            notes.append(f"⚠ {language}: {count(len(ids), 'example')} could not be translated ({listing(ids, 3)})")
        return [*notes, *self.remarks]


@dataclass
class _OutcomeRows:
    """Rows and examples of the outcomes, added example by example."""

    task: str
    rows: list[tuple[str, str, str, str | None, str, int]] = field(default_factory=list)
    """Translation, source, reference, back-translation, input part and example number of each row."""
    examples: list[tuple[str, bool, str, str, str]] = field(default_factory=list)
    """The id, success, language, split and error type of each example."""
    notes: list[str] = field(default_factory=list)

    def add(
        self,
        example: Example,
        language: str,
        success: bool,
        texts: Mapping[str, tuple[str, str, str | None]],
        *,
        error_type: str = NO_TYPE,
        suffix: str = "",
    ) -> None:
        """Add one example; `texts` maps a part to its source, translation and back-translation (or None)."""
        for part, (source, translation, back) in texts.items():
            self.rows.append((translation, source, example.inputs[part], back, part, len(self.examples)))
        self.examples.append((example.id + suffix, success, language, example.split, error_type))

    def outcomes(self, pseudo: bool) -> TaskOutcomes:
        import numpy as np

        translations, sources, references, back, parts, numbers = map(list, zip(*self.rows, strict=True))
        ids, success, languages, splits, types = map(list, zip(*self.examples, strict=True))
        return TaskOutcomes(
            batch=Batch(translations, sources, (references,)),
            success=np.array(success, bool),
            languages=languages,
            splits=splits,
            tasks=[self.task] * len(ids),
            ids=ids,
            error_types=types,
            controlled=np.array([kind != NO_TYPE for kind in types], bool),
            example=np.array(numbers, np.int64),
            parts=parts,
            back=back if pseudo else None,
        )


def find_task(name: str) -> Task:
    """Return a task by its registered name, with options after a colon."""
    task: Task = create(TASKS, name, Task)
    return task


def task_outcomes(
    task: Task,
    translator: Translator | None,
    langs: Sequence[str],
    *,
    pseudo: bool = False,
    errors: Sequence[ControlledError] = (),
    seed: int = 12345,
    model: TaskModel | None = None,
) -> TaskRun:
    """Translate the examples of a task, let the model answer, and compare its answers.

    Only examples that the model answers correctly in the task language take part (Section 3.1). A part of the input that is
    never translated (such as a dialogue's history) stays in the task language and is not scored. `pseudo` translates every
    translation back (Section 4.4). `errors` are inserted one at a time into the human text in the task language, part by part,
    and the model reads the result. This gives outcomes with a known type of error and needs no translator.
    """
    examples = list(task.examples())
    if not examples:
        raise InputError(f"task {task.name} has no examples.")
    if translator is None and not errors:
        raise InputError(
            f"task {task.name} needs a translator (--translator auto) or controlled errors (--error all; errors=[...] in Python)."
        )
    _check_languages(examples, langs, task)
    model = model or task.model()
    answers = _answers(model, [dict(example.inputs) for example in examples])
    solved = [e for e, answer in zip(examples, answers, strict=True) if task.succeeds(e, answer)]
    if not solved:
        raise InputError(
            f"task {task.name}: {model.name} answers none of {count(len(examples), 'example')} correctly in {task.language}."
        )
    rows = _OutcomeRows(task.name)
    untranslated: dict[str, list[str]] = {}
    for language in langs if translator is not None else ():
        assert translator is not None
        if missing := _add_translated(rows, task, model, translator, language, solved, pseudo):
            untranslated[language] = missing
    absent = {language: counts for language in langs if (counts := _count_absent(solved, language, task))}
    for language in (langs or [task.language]) if errors else ():
        _add_controlled(rows, task, model, errors, language, solved, seed)
    if not rows.examples:
        raise InputError(
            f"task {task.name}: {getattr(translator, 'name', 'nothing')} translated none of {count(len(solved), 'example')}."
        )
    outcomes = rows.outcomes(pseudo and translator is not None)
    return TaskRun(outcomes, len(examples), len(solved), untranslated, rows.notes, task.omitted(), absent)


def _check_languages(examples: Sequence[Example], langs: Sequence[str], task: Task) -> None:
    languages = list(dict.fromkeys(language for example in examples for language in example.translations))
    for language in langs:
        if language not in languages and language != task.language:
            raise unknown(f"language of task {task.name}", language, languages)


def _count_absent(solved: Sequence[Example], language: str, task: Task) -> dict[str, int]:
    """For one language, count the retained examples without a text, by reason; the most frequent reason comes first."""
    if language == task.language:
        return {}
    reasons = Counter(
        example.absent.get(language, "no human translation")
        for example in solved
        if not _parts_in(example, language, task)
    )
    return dict(reasons.most_common())


def _answers(model: TaskModel, inputs: Sequence[Mapping[str, str]]) -> list[Any]:
    if not inputs:
        return []
    answers = list(model.answer(inputs))
    if len(answers) != len(inputs):
        raise InputError(f"{model.name} returned {count(len(answers), 'answer')} for {count(len(inputs), 'input')}.")
    return answers


def _parts_in(example: Example, language: str, task: Task) -> Mapping[str, str]:
    """Return the parts of an example with a text in `language`; in the task language, the parts that are translated into any
    language.
    """
    if language == task.language:
        translated = {part for texts in example.translations.values() for part in texts}
        return {part: text for part, text in example.inputs.items() if part in translated or not translated}
    return {part: text for part, text in example.translations.get(language, {}).items() if part in example.inputs}


def translate_distinct(
    translator: Translator, texts: Sequence[str | None], source: str, target: str
) -> dict[str, str | None]:
    """Translate each distinct text once; the value is None if that failed. A call that crashes is retried text by text."""
    distinct = list(dict.fromkeys(text for text in texts if text is not None))
    if not distinct:
        return {}
    try:
        translations = list(translator.translate(distinct, source, target))
    except AssayError:
        raise
    except Exception as error:
        translations = [_translate_one(translator, text, source, target) for text in distinct]
        if all(text is None for text in translations):
            reason = f"{type(error).__name__}: {error}"
            raise InputError(f"translator {translator.name} failed on {source} to {target}: {reason}.") from error
    if len(translations) != len(distinct):
        raise InputError(
            f"translator {translator.name} returned {count(len(translations), 'translation')} for {count(len(distinct), 'text')}."
        )
    return dict(zip(distinct, translations, strict=True))


def _translate_one(translator: Translator, text: str, source: str, target: str) -> str | None:
    try:
        return translator.translate([text], source, target)[0]
    except Exception:
        return None


def _add_translated(
    rows: _OutcomeRows,
    task: Task,
    model: TaskModel,
    translator: Translator,
    language: str,
    solved: Sequence[Example],
    pseudo: bool,
) -> list[str]:
    """Add the outcomes of one language; return the ids of examples that were not translated."""
    available = [
        (example, _parts_in(example, language, task)) for example in solved if language in example.translations
    ]
    forward = translate_distinct(
        translator, [text for _, texts in available for text in texts.values()], language, task.language
    )
    complete = [
        (example, texts)
        for example, texts in available
        if texts and all(forward[text] is not None for text in texts.values())
    ]
    inputs = [
        {**example.inputs, **{part: str(forward[text]) for part, text in texts.items()}} for example, texts in complete
    ]
    back: dict[str, str | None] = {}
    if pseudo:
        used = [forward[text] for _, texts in complete for text in texts.values()]
        try:
            back = translate_distinct(translator, used, task.language, language)
        except AssayError as error:
            rows.notes.append(f"⚠ {language}: no pseudo-references ({error})")
    for (example, texts), answer in zip(complete, _answers(model, inputs), strict=True):
        parts = {part: (text, str(forward[text]), back.get(str(forward[text]))) for part, text in texts.items()}
        rows.add(example, language, task.succeeds(example, answer), parts)
    translated_ids = {example.id for example, _ in complete}
    return [example.id for example, _ in available if example.id not in translated_ids]


def _add_controlled(
    rows: _OutcomeRows,
    task: Task,
    model: TaskModel,
    errors: Sequence[ControlledError],
    language: str,
    solved: Sequence[Example],
    seed: int,
) -> None:
    """Add the outcomes for every error on every part of each example to which it applies."""
    import numpy as np

    changed: list[tuple[Example, str, str, str]] = []
    for number, error in enumerate(errors):
        # One generator per error: adding an error does not change the texts of the others.
        rng = np.random.default_rng([seed, number])
        for example in solved:
            for part in _parts_in(example, language, task):
                result = error(example.inputs[part], rng)
                if result is not None and result[0] != example.inputs[part]:
                    changed.append((example, part, *result))
    inputs = [{**example.inputs, part: text} for example, part, text, _ in changed]
    for (example, part, text, kind), answer in zip(changed, _answers(model, inputs), strict=True):
        parts = {
            name: (source, text if name == part else example.inputs[name], None)
            for name, source in _parts_in(example, language, task).items()
        }
        suffix = f"#{kind}" + (f"@{part}" if len(parts) > 1 else "")
        rows.add(example, language, task.succeeds(example, answer), parts, error_type=kind, suffix=suffix)
