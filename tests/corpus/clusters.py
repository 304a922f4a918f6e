"""A Ray cluster of the test's own: a head and nodes as processes, on a port and in a folder of their own."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NODE = """
import os, signal, sys, threading
from ray.scripts.scripts import main
threading.Thread(target=lambda: (sys.stdin.read(), os.killpg(0, signal.SIGKILL)), daemon=True).start()
main()
"""
"""``ray start``, and the end of everything that it started when the test has gone, however it went."""


class Cluster:
    """Started by `start`, one more node by `add`; ended by `stop`, with everything that it started."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="ar-", dir="/tmp"))  # the paths of its sockets must be short
        self.nodes: list[subprocess.Popen[bytes]] = []
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
        self.environment = {
            "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32), "RAY_USAGE_STATS_ENABLED": "0", "PYTHONPATH": paths,
            "RAY_worker_niceness": "0",
        }  # fmt: skip

    def start(self, cpus: int = 2) -> None:
        """The head, and wait until it answers."""
        self._node(["--head", f"--port={self.port}", "--include-dashboard=false", f"--temp-dir={self.folder}"], cpus)
        end = time.monotonic() + 90
        while time.monotonic() < end:
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            time.sleep(0.1)
        raise AssertionError(f"Ray did not start: {(self.folder / 'said').read_text()}")

    def add(self, cpus: int = 1) -> subprocess.Popen[bytes]:
        """One more node."""
        return self._node([f"--address={self.address}"], cpus)

    def _node(self, options: list[str], cpus: int) -> subprocess.Popen[bytes]:
        more = ["--node-ip-address=127.0.0.1", f"--num-cpus={cpus}", "--object-store-memory=80000000", "--block"]
        command = [sys.executable, "-c", NODE, "start", *options, *more]
        with (self.folder / "said").open("ab") as said:
            process = subprocess.Popen(
                command,
                env=os.environ | self.environment,
                stdin=subprocess.PIPE,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
        self.nodes.append(process)
        return process

    def kill(self, node: subprocess.Popen[bytes]) -> None:
        """A node as if its power failed: every process of it at once."""
        with suppress(ProcessLookupError):
            os.killpg(node.pid, signal.SIGKILL)
        node.wait()

    def workers(self) -> list[int]:
        """The processes that score."""
        found = []
        for line in Path("/proc").iterdir():
            with suppress(OSError):
                if line.name.isdigit() and (line / "cmdline").read_bytes().startswith(b"ray::ShardWorker"):
                    told = (line / "environ").read_bytes()
                    if self.environment["RAY_AUTH_TOKEN"].encode() in told:
                        found.append(int(line.name))
        return found

    def stop(self) -> None:
        """End everything, and remove the folder."""
        for node in reversed(self.nodes):
            self.kill(node)
        shutil.rmtree(self.folder, ignore_errors=True)
