"""The Ray cluster of a broker: reached or started, how workers are laid out in it, and what is said where it cannot be used."""

from __future__ import annotations

import os
from typing import Any

from assay.core.context import cores
from assay.corpus.engines.ray import WantedWorkers


def connect(wanted: WantedWorkers) -> Any:
    """Ray, connected to the cluster that was asked for, or to one of our own in a folder that goes with us."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_LOG_TO_STDERR", "0")
    own: dict[str, Any] = {}
    if wanted.address is None:
        import secrets

        os.environ.setdefault("RAY_worker_niceness", "0")  # Ray's 15 leaves the machine to whatever else runs there
        os.environ.setdefault("RAY_AUTH_MODE", "token")
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
        # Without this, Ray replaces 127.0.0.1 by the machine's address and listens on all of them.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"

        assert wanted.folder is not None
        os.environ["TMPDIR"] = os.path.join(wanted.folder, "scratch")  # temporary files of workers go with it
        os.makedirs(os.environ["TMPDIR"])
        folder = os.path.join(wanted.folder, "r")  # Ray opens its folder to every user: the one around it is ours alone
        cpus = max(cores(), wanted.workers or 1)
        own = {
            "num_cpus": cpus, "include_dashboard": False, "_temp_dir": folder, "_node_ip_address": "127.0.0.1",
            "object_store_memory": 80 * 2**20,
        }  # fmt: skip
    import ray

    ray.init(address=wanted.address or "local", log_to_driver=False, namespace="assay", **own)
    return ray


def laid_out(wanted: WantedWorkers, nodes: list[dict[str, float]]) -> tuple[int, int, float]:
    """Workers, the threads of each, and its GPUs, for the nodes that there are (their CPUs and GPUs).

    A network gets a GPU a worker where there are any, else the cores of a node together; all else one worker a core.
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
    """Why no worker can ever start in a cluster of our own, which no machine joins; empty where one can."""
    most = max((node.get("GPU", 0.0) for node in nodes), default=0.0)
    if wanted.address is not None or gpus <= most:
        return ""
    return (
        f"--gpus-per-worker {gpus:g}: this machine has {most:g} GPUs that Ray sees. Ask for fewer, or give the cluster that has "
        "them: --address HOST:PORT."
    )


def why_not(wanted: WantedWorkers, error: Exception) -> str:
    """What is said of a cluster that did not start or connect."""
    if wanted.address == "auto" and isinstance(error, ConnectionError):
        return "no Ray cluster runs on this machine: start one (ray start --head), or give its --address HOST:PORT."
    token = " If it wants a token, give it in RAY_AUTH_TOKEN, with RAY_AUTH_MODE=token." if wanted.address else ""
    return f"Ray did not start or connect: {last_line(error)}.{token}"


def no_place(ray: Any, seconds: float) -> str:
    """What is said where no worker could start."""
    there = ray.cluster_resources()
    return (
        f"no worker found a place in the Ray cluster in {seconds:.0f} seconds: it has {there.get('CPU', 0):g} CPUs and "
        f"{there.get('GPU', 0):g} GPUs in all, perhaps taken by others (ray status). Ask for less: --workers, --gpus-per-worker."
    )


def last_line(error: BaseException | None) -> str:
    """The end of what an error of Ray says: the exception where it was raised."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__).rstrip(".")
