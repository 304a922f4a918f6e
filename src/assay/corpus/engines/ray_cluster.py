"""Ray cluster management for a broker: connecting or starting, worker layout, and error messages."""

from __future__ import annotations

import os
from typing import Any

from assay.core.context import cores
from assay.corpus.engines.ray import WantedWorkers


def connect(wanted: WantedWorkers) -> Any:
    """Connect Ray to the requested cluster, or start one in a folder that is removed with it."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_LOG_TO_STDERR", "0")
    own: dict[str, Any] = {}
    if wanted.address is None:
        import secrets

        os.environ.setdefault("RAY_worker_niceness", "0")  # by default, Ray's workers run at nice 15
        os.environ.setdefault("RAY_AUTH_MODE", "token")
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
        # Without this, Ray replaces 127.0.0.1 with the machine's address and listens on all addresses.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"

        assert wanted.folder is not None
        os.environ["TMPDIR"] = os.path.join(wanted.folder, "scratch")  # workers' temporary files are removed with it
        os.makedirs(os.environ["TMPDIR"])
        folder = os.path.join(
            wanted.folder, "r"
        )  # Ray makes its folder readable for all users; the one around it is private
        cpus = max(cores(), wanted.workers or 1)
        own = {
            "num_cpus": cpus, "include_dashboard": False, "_temp_dir": folder, "_node_ip_address": "127.0.0.1",
            "object_store_memory": 80 * 2**20,
        }  # fmt: skip
    import ray

    ray.init(address=wanted.address or "local", log_to_driver=False, namespace="assay", **own)
    return ray


def laid_out(wanted: WantedWorkers, nodes: list[dict[str, float]]) -> tuple[int, int, float]:
    """Return the number of workers, and the threads and GPUs per worker, for the nodes' CPUs and GPUs.

    A neural metric gets one GPU per worker, or without GPUs all cores of a node. Other metrics get one core per worker.
    """
    gpus = wanted.gpus_per_worker
    if gpus is None:
        gpus = 1.0 if wanted.neural and any(node.get("GPU", 0) >= 1 for node in nodes) else 0.0
    cpus = [int(node.get("CPU", 0)) for node in nodes if node.get("CPU", 0) >= 1]
    total, least = sum(cpus) or 1, min(cpus, default=1)
    if gpus:
        there = sum(int(node.get("GPU", 0) / gpus) for node in nodes)
        workers = wanted.workers or there or 1
    else:
        workers = wanted.workers or (len(cpus) or 1 if wanted.neural else total)
    return workers, max(1, min(least, total // workers)), gpus


def too_few_gpus(wanted: WantedWorkers, gpus: float, nodes: list[dict[str, float]]) -> str:
    """Return the reason that no worker can ever start in a cluster on this machine; empty if one can."""
    most = max((node.get("GPU", 0.0) for node in nodes), default=0.0)
    if wanted.address is not None or gpus <= most:
        return ""
    return (
        f"--gpus-per-worker {gpus:g}: Ray sees only {most:g} GPUs on this machine. Request fewer, or specify the "
        "address of a cluster: --address HOST:PORT."
    )


def why_not(wanted: WantedWorkers, error: Exception) -> str:
    """Return the message for a cluster that did not start or connect."""
    if wanted.address == "auto" and isinstance(error, ConnectionError):
        return "no Ray cluster runs on this machine. Start one (ray start --head), or specify --address HOST:PORT."
    token = " If it requires a token, set RAY_AUTH_TOKEN and RAY_AUTH_MODE=token." if wanted.address else ""
    return f"Ray did not start or connect: {last_line(error)}.{token}"


def no_place(ray: Any, seconds: float) -> str:
    """Return the message for workers that could not be scheduled."""
    there = ray.cluster_resources()
    return (
        f"no worker could be scheduled in the Ray cluster within {seconds:.0f} seconds. It has {there.get('CPU', 0):g} CPUs and "
        f"{there.get('GPU', 0):g} GPUs, which may be in use (ray status). Request fewer with --workers or --gpus-per-worker."
    )


def last_line(error: BaseException | None) -> str:
    """Return the last line of an error from Ray: the original exception."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__).rstrip(".")
