"""The guide to clusters: its scripts can be read by those that they are for."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "cluster.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(found)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_the_job_script_is_a_script() -> None:
    done = subprocess.run(["bash", "-n"], input=block("bash"), text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert block("bash").startswith("#!/bin/bash\n#SBATCH ")


def test_the_manifest_is_a_ray_job_of_the_version_we_lock() -> None:
    yaml = pytest.importorskip("yaml")
    told = yaml.safe_load(block("yaml"))
    assert (told["apiVersion"], told["kind"]) == ("ray.io/v1", "RayJob")
    lock = (Path(__file__).resolve().parents[2] / "requirements" / "test.txt").read_text(encoding="utf-8")
    assert f"\nray=={told['spec']['rayClusterSpec']['rayVersion']} " in lock


@pytest.mark.parametrize("line", [line.strip() for line in PAGE.splitlines() if line.startswith("    assay score ")])
def test_the_commands_are_understood(line: str) -> None:
    """Every option of them exists."""
    import shlex

    from assay.cli import score
    from assay.cli.options import parser_for

    parsed = parser_for("score", score).parse_args(shlex.split(line, comments=True)[2:])
    assert parsed.engine == "ray" and parsed.out.endswith("/")
