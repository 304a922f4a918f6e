"""Tasks of one's own."""

import numpy as np
import pytest

from assay.analyses.meta.custom_tasks import TaskChoice, check_patterns, match_names, recipe_of, tasks_of
from assay.analyses.meta.recipes import task_set
from assay.analyses.meta.tasks import judged_systems
from assay.core.errors import AssayError, InputError, UnknownName
from assay.core.judged_systems import JudgedSystems, LevelScores
from assay.suites.wmt import facts


def judged(pair: str, *domains: str) -> JudgedSystems:
    scores = LevelScores(np.ones((5, len(domains))), np.ones(5), np.ones((5, len(set(domains)))))
    return JudgedSystems(
        pair, ["A", "ONLINE-A", "ONLINE-B", "refA", "refB"], len(domains), {"mqm": scores}, {}, "refA", ["refA", "refB"],
        domains=domains, standard_gold={"sys": "mqm", "seg": "mqm", "domain": "mqm"},
    )  # fmt: skip


SETS = {
    "en-de": judged("en-de", "news", "social"),
    "he-en": judged("he-en", "news", "news"),
    "zh-en": judged("zh-en", "manuals", "news"),
}


def official():
    return task_set(facts("wmt23").recipe)


def test_patterns_take_and_leave_out():
    names = ["ONLINE-A", "ONLINE-B", "GPT4", "refA"]
    assert match_names([], names) == names
    assert match_names(["ONLINE-*"], names) == ["ONLINE-A", "ONLINE-B"]
    assert match_names(["!ONLINE-*"], names) == ["GPT4", "refA"]
    assert match_names(["*", "!refA", "!*-B"], names) == ["ONLINE-A", "GPT4"]
    with pytest.raises(UnknownName, match=r"unknown system 'GPT5'. Did you mean GPT4"):
        check_patterns(["!GPT5"], names, "system")


def test_levels_and_groups_keep_a_part_of_the_official_tasks():
    assert [task.number for task in TaskChoice(levels=["seg"]).apply(official(), SETS).tasks] == [3, 4, 6, 7, 9, 10]
    kept = TaskChoice(groups=["item"], gold="da-sqm", humans=False).apply(official(), SETS)
    assert [task.number for task in kept.tasks] == [4, 7, 10]
    assert {(task.gold, task.human) for task in kept.tasks} == {("da-sqm", False)}
    assert sum(task.weight for task in kept.tasks) == pytest.approx(1)
    with pytest.raises(InputError, match=r"no task matches sys, item\. Available: sys pairwise_accuracy, sys pearson"):
        TaskChoice(levels=["sys"], groups=["item"]).apply(official(), SETS)


def test_each_task_once_for_each_domain_of_its_pairs():
    """The pooled task has all three domains, news with three pairs; nine tasks of one pair have 2, 1 and 2 domains."""
    tasks = TaskChoice(domains=["*"]).apply(official(), SETS).tasks
    assert [task.number for task in tasks] == list(range(1, 3 + 3 * (2 + 1 + 2) + 1))
    assert {task.domain: task.langpairs for task in tasks[:3]} == {
        "manuals": ("zh-en",), "news": ("en-de", "he-en", "zh-en"), "social": ("en-de",),
    }  # fmt: skip
    assert tasks[0].weight == pytest.approx(3 / 12 / 3)
    assert {task.langpair for task in TaskChoice(domains=["social"]).apply(official(), SETS).tasks} == {"en-de"}
    with pytest.raises(UnknownName, match="unknown domain 'sports'"):
        TaskChoice(domains=["sports"]).apply(official(), SETS)


def test_systems_that_take_part():
    task = TaskChoice(systems=["!ONLINE-*"], humans=True).apply(official(), SETS).tasks[1]
    assert judged_systems(task, SETS["en-de"]) == ["A", "refB"]
    task = TaskChoice(systems=["*LINE*", "A"], humans=False).apply(official(), SETS).tasks[1]
    assert judged_systems(task, SETS["en-de"]) == ["A", "ONLINE-A", "ONLINE-B"]


def made(**settings) -> list[tuple[str, str, str, bool]]:
    tasks = tasks_of(TaskChoice(**settings), ["en-de", "he-en"], {"en-de": False})
    return [(task.langpair, task.level, task.label, task.human) for task in tasks.tasks]


def test_tasks_of_statistics():
    assert made(statistics=["pairwise_accuracy", "acc_t"]) == [
        ("en-de+he-en", "sys", "pairwise_accuracy", True),
        ("en-de", "seg", "acc_t_item", False),
        ("he-en", "seg", "acc_t_item", True),
    ]
    assert [row[1:3] for row in made(statistics=["spearman"])] == [("sys", "spearman")] * 2 + [("seg", "spearman")] * 2
    grouped = made(statistics=["kendall", "soft_pairwise_accuracy"], groups=["item", "system"])
    assert [row[1:3] for row in grouped] == [
        *[("seg", "kendall_item")] * 2, *[("seg", "kendall_system")] * 2, *[("sys", "soft_pairwise_accuracy")] * 2,
    ]  # fmt: skip
    with pytest.raises(InputError, match=r"soft_pairwise_accuracy compares systems\. Set its level to sys"):
        made(statistics=["soft_pairwise_accuracy"], levels=["seg"])
    with pytest.raises(InputError, match="system scores cannot be grouped by item"):
        made(statistics=["pearson"], levels=["sys"], groups=["item"])
    with pytest.raises(UnknownName, match=r"unknown statistic 'kendal'. Did you mean kendall"):
        made(statistics=["kendal"])
    with pytest.raises(UnknownName, match="unknown level 'doc'"):
        made(statistics=["kendall"], levels=["doc"])


def test_a_document_of_tasks():
    document = {
        "tasks": [
            {"statistic": "pairwise_accuracy", "level": "sys", "weight": 2},
            {"statistic": "kendall", "level": "seg", "grouping": "item", "langpairs": ["a-b", "c-d"], "gold": "esa"},
            {"statistic": "pearson", "level": "seg", "langpairs": ["a-b"], "systems": ["!X"], "outliers": True},
        ]
    }
    tasks = task_set(recipe_of(document, "mine.yaml", ["a-b", "c-d", "e-f"])).tasks
    assert [task.langpair for task in tasks] == ["a-b+c-d+e-f", "a-b", "c-d", "a-b"]
    assert [task.weight for task in tasks] == [2 / 5, 1 / 5, 1 / 5, 1 / 5]
    assert (tasks[1].gold, tasks[3].systems, tasks[3].outliers) == ("esa", ("!X",), True)
    for wrong, said in (
        ({"tasks": [{"level": "sys"}]}, r"mine.yaml: tasks\[1\]"),
        ({"tasks": [{"statistic": "pearson", "level": "sys", "gould": "x"}]}, "gould"),
        ({"tasks": [{"statistic": "pearsn", "level": "sys"}]}, "pearsn"),
        ({"tasks": []}, "mine.yaml contains no task"),
        ([], "mine.yaml"),
    ):
        with pytest.raises(AssayError, match=said):
            recipe_of(wrong, "mine.yaml", ["a-b"])
    with pytest.raises(InputError, match="all tasks have weight 0"):
        task_set(recipe_of({"tasks": [{"statistic": "pearson", "level": "sys", "weight": 0}]}, "mine.yaml", ["a-b"]))
