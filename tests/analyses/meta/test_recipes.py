import pytest

from assay.analyses.meta.recipes import MetaTask, recipe_for, task_set
from assay.core.errors import InputError, UnknownName
from assay.core.judged_systems import JudgedSystems
from assay.suites.wmt import facts


def judged(pair: str, references: int, domains: tuple[str, ...] = ()) -> JudgedSystems:
    return JudgedSystems(
        pair, ["A"], len(domains), {}, {}, references=[f"ref{i}" for i in range(references)], domains=domains
    )


def test_wmt23_is_ten_tasks():
    tasks = task_set(facts("wmt23").recipe).tasks
    assert [task.label for task in tasks] == ["pairwise_accuracy", *["pearson", "pearson", "acc_t_item"] * 3]
    assert [task.langpair for task in tasks[:2]] == ["en-de+he-en+zh-en", "en-de"]
    assert [round(12 * task.weight, 9) for task in tasks] == [3, *[1] * 9]


def test_wmt24_is_six_tasks():
    tasks = task_set(facts("wmt24").recipe).tasks
    assert [task.label for task in tasks] == ["soft_pairwise_accuracy", "acc_t_item"] * 3
    assert {task.langpair for task in tasks if task.human} == {"en-de"}


def test_wmt25_is_two_tasks_for_each_of_sixteen_pairs():
    """By mt-metrics-eval's own facts: MQM for ja-zh and en-ko, ESA for the others."""
    official = facts("wmt25")
    tasks = task_set(official.recipe).tasks
    assert [task.label for task in tasks] == ["soft_pairwise_accuracy", "acc_t_item"] * 16
    assert {task.weight for task in tasks} == {1 / 32}
    gold = {pair: about.gold["seg"] for pair, about in official.langpairs.items()}
    assert [pair for pair, name in gold.items() if name == "mqm"] == ["en-ko_KR", "ja-zh_CN"]
    assert [official.kind(name) for name in ("chrF", "MetricX-25", "other")] == ["baseline", "primary", "contrastive"]


def test_wmt22_is_201_tasks():
    """201 tasks (Freitag et al. 2022, section 7): pooled accuracy, and 80 + 40 + 80 over four domains and all of them."""
    domains = ("conversation", "ecommerce", "news", "social")
    sets = {pair: judged(pair, n, domains) for pair, n in (("en-de", 2), ("en-ru", 1), ("zh-en", 2))}
    tasks = task_set(facts("wmt22").recipe, sets)
    assert len(tasks.tasks) == 201
    assert tasks.overall == "rank"
    assert sum(task.weight for task in tasks.tasks) == pytest.approx(1)
    # a quarter each for the pooled task and the three pairs; then domains, levels, human in and out, groupings, statistics
    assert tasks.tasks[0].weight == pytest.approx(1 / 4)
    segment = next(task for task in tasks.tasks if task.level == "seg" and task.langpair == "en-ru")
    assert segment.weight == pytest.approx(1 / 4 / 5 / 2 / 1 / 3 / 2)
    system = next(task for task in tasks.tasks if task.level == "sys" and task.langpair == "en-de")
    assert system.weight == pytest.approx(1 / 4 / 5 / 2 / 2 / 1 / 2)


def test_a_part_keeps_numbers_and_has_weights_of_one():
    tasks = task_set(facts("wmt23").recipe)
    part = tasks.for_langpairs(["he-en"])
    assert [task.number for task in part.tasks] == [1, 5, 6, 7]
    assert part.tasks[0].langpair == "he-en"
    assert [task.weight for task in part.tasks] == [0.25] * 4
    assert [task.number for task in tasks.only([3, 9]).tasks] == [3, 9]
    with pytest.raises(InputError, match=r"unknown task 11\. Tasks are numbered 1 to 10"):
        tasks.only([11])
    with pytest.raises(InputError, match="no task has the language pair en-fr"):
        tasks.for_langpairs(["en-fr"])


def test_a_recipe_for_other_pairs():
    tasks = task_set(recipe_for(["a-b", "c-d"]))
    assert tasks.langpairs == ["a-b", "c-d"]
    assert tasks.tasks[0].weight == pytest.approx(2 / 8)


def test_impossible_tasks_are_refused():
    with pytest.raises(InputError, match="pearson needs exactly one language pair, not 2"):
        MetaTask(1, ("a-b", "c-d"), "sys", "pearson")
    with pytest.raises(InputError, match="cannot be grouped by item"):
        MetaTask(1, ("a-b",), "sys", "pearson", "item")
    with pytest.raises(UnknownName, match=r"unknown statistic 'pearsn'. Did you mean pearson"):
        MetaTask(1, ("a-b",), "sys", "pearsn")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="contains no task"):
        task_set({})
