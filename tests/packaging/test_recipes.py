"""What others install and run assay with: an action, a hook, workflows, a conda recipe, a container. They name what exists."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from assay.cli.main import VERBS, main
from assay.cli.parser import parser_for
from tests.pairs import write_pairs

yaml = pytest.importorskip("yaml", reason="pyyaml is not installed (pip install --group test)")
ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def scripts(of: Any) -> list[str]:
    """Every `run` of a workflow."""
    if isinstance(of, dict):
        own = [of["run"]] if isinstance(of.get("run"), str) else []
        return own + [script for value in of.values() for script in scripts(value)]
    return [script for value in of for script in scripts(value)] if isinstance(of, list) else []


def parsed(command: str) -> None:
    """Fail unless assay's command line takes the words of a command (a variable stands for any of them)."""
    import importlib

    verb, *arguments = shlex.split(command)[1:]
    assert verb in VERBS, command
    parser_for(verb, importlib.import_module(f"assay.cli.{verb}")).parse_args(arguments)


@pytest.fixture
def card(tmp_path: Path) -> Path:
    suite = write_pairs(tmp_path / "pairs.tsv")
    path = tmp_path / "card.json"
    assert main(["card", "chrf", "--suite", str(suite), "--samples", "9", "--format", "json", "--out", str(path)]) == 0
    return path


def worsened(card: Path) -> None:
    """The card now says that the metric was better than it is."""
    whole = json.loads(card.read_text())
    (tables,) = whole["results"].values()
    next(row for row in tables["phenomena"] if row["phenomenon"] == "omission")["accuracy"] = 1.0
    card.write_text(json.dumps(whole))


def environment(folder: Path) -> dict[str, str]:
    """A step's surroundings: assay and python on the path, as after pip install."""
    (folder / "bin").mkdir(exist_ok=True)
    for name, rest in (("python", ""), ("assay", " -m assay")):
        (folder / "bin" / name).write_text(f'#!/bin/sh\nexec "{sys.executable}"{rest} "$@"\n')
        (folder / "bin" / name).chmod(0o755)
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": os.pathsep.join(sys.path)}


def acted(folder: Path, **inputs: str) -> tuple[int, str, str]:
    """The action's last step as GitHub would run it: exit code, what it wrote to the run's page, what it said."""
    action = read("action.yml")
    given = {name: str(about.get("default", "")) for name, about in action["inputs"].items()} | inputs
    step = action["runs"]["steps"][-1]
    environ = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: given[match[1]], value)
        for name, value in step["env"].items()
    }
    files = {"GITHUB_STEP_SUMMARY": folder / "page.md", "GITHUB_OUTPUT": folder / "outputs"}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env={**environment(folder), **environ, **{k: str(v) for k, v in files.items()}, "RUNNER_TEMP": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    page = files["GITHUB_STEP_SUMMARY"]
    return done.returncode, page.read_text() if page.exists() else "", done.stderr


def test_the_action_passes_and_fails_and_says_so_on_the_runs_page(card: Path, tmp_path: Path) -> None:
    code, page, _ = acted(tmp_path, against="card.json")
    assert code == 0
    assert page.startswith("### ✅ assay check: chrf is as good as its card")
    assert (tmp_path / "outputs").read_text() == f"summary={tmp_path}/assay-check.md\n"
    (tmp_path / "page.md").unlink()
    worsened(card)
    code, page, said = acted(tmp_path, against="card.json")
    assert code == 1
    assert page.startswith("### ❌ assay check: chrf got worse on 1 phenomenon")
    assert "omission 1.000 → 0.750" in said
    assert acted(tmp_path, against="card.json", tolerance="0 omission=0.3")[0] == 0


def test_the_action_leaves_with_2_and_no_page_where_the_card_is_missing(tmp_path: Path) -> None:
    code, page, said = acted(tmp_path, against="no card; touch bad.json")
    assert (code, page) == (2, "")
    assert "no card; touch bad.json" in said
    assert not (tmp_path / "bad.json").exists()


def test_the_action_hands_inputs_over_as_variables_only() -> None:
    action = read("action.yml")
    assert action["runs"]["using"] == "composite"
    for step in action["runs"]["steps"]:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]
    named = set(re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text()))
    assert named == set(action["inputs"])


def test_the_hook_runs(card: Path, tmp_path: Path) -> None:
    (hook,) = read(".pre-commit-hooks.yaml")
    assert {"id", "name", "entry", "language"} <= set(hook)
    assert shlex.split(hook["entry"])[0] in PROJECT["project"]["scripts"]

    def run() -> int:
        command = [*shlex.split(hook["entry"]), *hook["args"]]
        return subprocess.run(command, cwd=tmp_path, env=environment(tmp_path), check=False).returncode

    assert run() == 0
    worsened(card)
    assert run() == 1


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_names_files_and_commands_that_exist(path: Path) -> None:
    whole = read(f".github/workflows/{path.name}")
    assert True in whole or "on" in whole, "YAML takes the key on for true"
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    found = scripts(whole)
    assert found
    for line in (line.strip() for script in found for line in script.splitlines()):
        if line.startswith("assay "):
            parsed(line)
        elif line.startswith("make "):
            assert line.split()[1] in targets
        elif line.startswith("sudo "):
            assert os.access(ROOT / line.split()[1], os.X_OK)
        elif match := re.match(r"python -m (tests\.[\w.]+)", line):
            assert (ROOT / f"{match[1].replace('.', '/')}.py").is_file()
    for job in whole["jobs"].values():
        needed = job.get("needs", [])
        assert set([needed] if isinstance(needed, str) else needed) <= set(whole["jobs"])


def test_wheels_are_tried_by_commands_that_exist_on_every_python() -> None:
    wheels = PROJECT["tool"]["cibuildwheel"]
    for command in wheels["test-command"]:
        parsed(command)
    classifiers = PROJECT["project"]["classifiers"]
    pythons = {f"cp3{match[1]}-*" for c in classifiers if (match := re.search(r"Python :: 3\.(\d+)$", c))}
    assert set(wheels["build"].split()) == pythons
    (override,) = PROJECT["tool"]["scikit-build"]["overrides"]
    assert (ROOT / override["cmake"]["define"]["CMAKE_TOOLCHAIN_FILE"]).is_file()


def test_windows_gets_its_compiler_from_the_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = pytest.importorskip("scikit_build_core.settings.skbuild_read_settings")
    monkeypatch.chdir(ROOT)
    here = reader.SettingsReader.from_file("pyproject.toml", {}).settings
    assert here.build.requires == [] and "CMAKE_TOOLCHAIN_FILE" not in here.cmake.define
    monkeypatch.setattr(sys, "platform", "win32")
    there = reader.SettingsReader.from_file("pyproject.toml", {}).settings
    assert there.build.requires[0].startswith("ziglang==")
    assert there.cmake.define["CMAKE_TOOLCHAIN_FILE"] == "toolchain/zig.cmake"


def test_the_conda_recipe_holds_what_the_project_holds() -> None:
    jinja2 = pytest.importorskip("jinja2", reason="jinja2 is not installed (pip install --group test)")

    def load_file_data(name: str, from_recipe_dir: bool) -> Any:
        assert from_recipe_dir
        return tomllib.loads((ROOT / "conda" / name).read_text())

    text = (ROOT / "conda" / "meta.yaml").read_text()
    recipe = yaml.safe_load(
        jinja2.Environment(undefined=jinja2.StrictUndefined)
        .from_string(text)
        .render(
            load_file_data=load_file_data, compiler=lambda of: f"{of}-compiler", stdlib=lambda of: of, PYTHON="python"
        )
    )
    project = PROJECT["project"]
    assert (recipe["package"]["name"], str(recipe["package"]["version"])) == (project["name"], project["version"])
    assert len(recipe["requirements"]["run"]) == len(project["dependencies"]) + 1
    assert all(" " not in requirement for requirement in recipe["requirements"]["run"])
    assert (ROOT / "conda" / recipe["source"]["path"] / recipe["about"]["license_file"]).is_file()
    assert recipe["build"]["entry_points"] == ["assay = assay.cli.main:main"]
    for command in recipe["test"]["commands"]:
        parsed(command)


def test_the_container_copies_and_runs_what_exists() -> None:
    lines = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text()).splitlines()
    steps = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
    known = {"FROM", "RUN", "COPY", "ARG", "ENV", "USER", "WORKDIR", "ENTRYPOINT", "CMD"}
    assert {step for step, _ in steps} <= known
    (entry,) = (json.loads(rest) for step, rest in steps if step == "ENTRYPOINT")
    assert entry[0] in PROJECT["project"]["scripts"]
    stages = {rest.split(" AS ")[1] for step, rest in steps if step == "FROM" and " AS " in rest}
    assert {stage for _, rest in steps for stage in re.findall(r"--from=(\w+)", rest)} <= stages
    for folder in re.findall(r"/source/([\w/]+)", "\n".join(lines)):
        assert (ROOT / folder).is_dir()


def test_every_extra_that_is_named_exists() -> None:
    extras = set(PROJECT["project"]["optional-dependencies"])
    texts = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    for path in texts:
        for names in re.findall(r"mt-assay\[([a-z0-9,-]+)\]", path.read_text(encoding="utf-8")):  # EXTRA stands for any
            assert set(names.split(",")) <= extras, path
