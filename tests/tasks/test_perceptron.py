from __future__ import annotations

from assay.tasks.perceptron import AveragedPerceptron


def test_two_examples_by_hand() -> None:
    """One feature each: whatever the order, every label ends above the other on its own feature.

    Without a margin the first pass moves one weight, and the second example is right or moves its own.
    """
    perceptron = AveragedPerceptron()
    perceptron.train([["a"], ["b"]], ["x", "y"], passes=3, margin=0.5)
    assert perceptron.predict(["a"]) == "x" and perceptron.predict(["b"]) == "y"


def test_only_allowed_labels() -> None:
    perceptron = AveragedPerceptron()
    perceptron.train([["a"], ["b"]], ["x", "y"], passes=2)
    assert perceptron.predict(["a"], {"y"}) == "y"


def test_the_unknown_is_answered_by_the_first_label() -> None:
    perceptron = AveragedPerceptron()
    perceptron.train([["a"], ["b"]], ["x", "y"])
    assert perceptron.predict(["never seen"]) == "x"


def test_the_same_seed_learns_the_same() -> None:
    rows = [[f"f{i % 7}", f"g{i % 5}"] for i in range(60)]
    labels = [str(i % 3) for i in range(60)]
    first, second = AveragedPerceptron(), AveragedPerceptron()
    first.train(rows, labels)
    second.train(rows, labels)
    assert (first._weights == second._weights).all()
