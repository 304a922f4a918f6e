"""The guide to clusters names the version of Ray that the tests use."""

from __future__ import annotations

from pathlib import Path

import yaml

from tests.docs.examples import blocks

ROOT = Path(__file__).resolve().parents[2]


def test_the_manifest_is_a_ray_job_of_the_version_we_lock() -> None:
    page = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
    (manifest,) = [yaml.safe_load(block.text) for block in blocks(page) if block.language == "yaml"]
    assert (manifest["apiVersion"], manifest["kind"]) == ("ray.io/v1", "RayJob")
    lock = (ROOT / "requirements" / "test.txt").read_text(encoding="utf-8")
    assert f"\nray=={manifest['spec']['rayClusterSpec']['rayVersion']} " in lock
