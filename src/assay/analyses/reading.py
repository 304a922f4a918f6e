"""How to read each table: one or two sentences for people who have not read the paper, shown in reports.

A table's line stands under its analysis and its name; an analysis from elsewhere may have none.
"""

from __future__ import annotations

_FIRST = "A star marks the metrics that share the first place."

READING: dict[str, dict[str, str]] = {
    "demetr": {
        "summary": "The share of pairs in which a metric scores the translation above its damaged copy, in percent; a tie "
        "earns nothing and a coin would have 50. The last column names the damage it notices least.",
        "severity": "Each number is the plain mean of the accuracies of the perturbations of that severity, so a rare "
        "perturbation counts as much as a frequent one.",
        "perturbations": "One line a kind of damage. Below 50 the metric prefers the damaged text, or cannot tell it from "
        "the other. " + _FIRST,
    },
    "aces": {
        "aces_score": "The ten categories summed with the paper's weights: most accuracy errors count five times, "
        "punctuation a tenth.",
        "categories": "Tau runs from -1 (the wrong translation always wins or ties) to 1 (the good one always wins); a coin "
        "has 0. A category is the plain mean of its phenomena.",
        "sublevels": "The largest category, mistranslation, cut into its three kinds.",
        "language_groups": "Tau over all pairs of a direction. A metric that is worse outside its trained pairs does not "
        "carry over to new languages.",
        "phenomena": "One line a phenomenon. Read those below 0 first: there the metric rewards the error.",
        "other_phenomena": "Names in the file that the paper does not have; they enter no mean.",
        "source_sensitivity": "Only the source tells here which translation is right: a metric without it can at best guess.",
        "correlation_gain": "What a metric gains when the source explains an ambiguity; near 0 it does not read the source.",
        "unseen_pairs": "Difference between language pairs of WMT and pairs no metric was trained on.",
        "untranslated_sentence": "Whether a metric notices that the source was copied instead of translated.",
        "levels": "From level 1 to level 3 the wrong text comes closer to the reference; a metric that falls relies on "
        "surface overlap.",
        "level_groups": "The same, averaged over the metrics with and without a reference.",
        "reference_copied": "How much tau a metric loses when the good translation uses a synonym rather than the "
        "reference's own word: near 0 is best.",
        "reference_copied_groups": "The same, averaged over the metrics with and without a reference.",
    },
    "dfki": {
        "phenomena": "The share of items in which a metric scores the correct output above the incorrect one, in percent.",
        "categories": "The same over all items of a category. "
        + _FIRST
        + " A ring marks the first places among metrics of "
        "the same class.",
        "averages": "Micro counts every item once; the macro-averages count every category or phenomenon once, so frequent "
        "ones do not drown the others.",
    },
    "hallucinations": {
        "detection": "The metric's low scores are taken as alarms. The area is the chance that a hallucination scores below "
        "another segment, in percent: 50 is a coin, 100 finds them all. P@90R is the share of true alarms "
        "when nine in ten hallucinations are found.",
        "distribution": "Raw scores on the metric's own scale. The further a row lies from the correct translations, the "
        "better the metric tells it apart.",
    },
    "breakdown": {
        "summary": "Each metric calls a translation good or bad by a threshold chosen on the development part; the figures say "
        "how well that foretells, on the test part, whether the next step succeeds. An MCC of 0 is a coin, below 0.3 next to "
        "nothing, 1 is perfect; macro-F1 gives both classes the same weight.",
        "languages": "The same, language by language.",
        "balance": "How many translations the task survives (good) and how many break it (bad).",
        "thresholds": "A threshold that differs much from language to language cannot be carried over to a new one.",
        "pseudo": "Without references: the translation is translated back and compared with the source. The difference is what "
        "that costs.",
        "cases": "A metric that knew would have successes on one side of the threshold and breakdowns on the other.",
        "errors": "What the metric overlooks (false positives) and what it makes too much of (false negatives).",
        "matrix": "The share of translations with this error on which the task fails. Errors with a low rate do not matter to "
        "the task, however ugly they are.",
    },
    "contrastive": {
        "summary": "The share of pairs in which a metric scores the good translation above the incorrect one, in percent; "
        "a tie earns nothing and a coin would have 50.",
        "categories": "The plain mean of the accuracies of a category's phenomena.",
        "severities": "The plain mean of the accuracies of the phenomena of a severity.",
        "langpairs": "All pairs of a language pair together. A metric whose card does not cover the pair is marked.",
        "phenomena": "One line a phenomenon. Below 50 the metric prefers the error, or cannot tell the two apart.",
    },
}
