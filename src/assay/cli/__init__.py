"""Command-line interface: one module per verb, and shared modules."""

GROUPS = {
    "Score and compare": {
        "score": "score translations with one or more metrics",
        "compare": "compare systems, with confidence intervals and significance tests",
        "lint": "find wrong numbers, broken placeholders, untranslated text and other certain errors",
        "filter": "keep the rows that satisfy an expression over scores and flags",
    },
    "Find blind spots": {
        "run": "run metrics on challenge sets and show where they are blind",
        "make": "make a challenge set from your own sentences",
        "dfki": "judge, review and build the DFKI test suite",
        "card": "show all results of a metric on one page",
        "check": "fail if a metric became worse than its card",
    },
    "Use human judgements": {
        "meta": "measure agreement with human judgements: the official WMT tables",
        "spans": "evaluate predicted error spans against human ones",
        "campaign": "evaluate human judgements: scores, agreement, ranking",
        "reproduce": "recompute published tables and compare every cell",
    },
    "Decide": {
        "breakdown": "judge metrics by a downstream task",
        "decide": "learn when to use, review or reject a translation; label translations",
    },
    "Look": {
        "view": "view runs in the browser",
        "list": "list metrics, suites, perturbations, tasks …",
        "cite": "print what to cite for metrics, suites and runs",
    },
    "Train": {
        "train": "train a metric on human judgements",
    },
    "Maintain": {
        "fetch": "download a challenge set or a checkpoint",
        "doctor": "show what is installed: packages, GPUs, caches, data",
        "selfcheck": "verify the scores of this installation",
        "rerun": "repeat a run and compare the numbers",
        "cache": "show or empty the score store",
        "completion": "print a completion script for your shell",
    },
}
"""Verbs under the headings of ``assay --help``, each with its line. A verb is also the name of a module."""
VERBS = {verb: line for verbs in GROUPS.values() for verb, line in verbs.items()}
