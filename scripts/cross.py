"""Cross-compile and link the kernels for other systems with Zig's clang. Nothing is run.

    pip install ziglang                             # 80 MB, 400 MB unpacked; not part of the tests' requirements
    python scripts/cross.py                         # every target; minutes for each the first time
    python scripts/cross.py aarch64-linux-gnu       # one target; its library is in build/cross/aarch64-linux-gnu
    python scripts/cross.py --only mini/ops_generic.cpp      # one kernel for every target

The script uses Python's headers of this machine, with toolchain/pyconfig.h for other systems. Windows links against Python's
library, so the script makes an import library of the names in the headers.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGETS = ("x86_64-windows-gnu", "aarch64-macos", "x86_64-macos", "aarch64-linux-gnu")
"""Targets of the wheels in addition to x86-64 Linux, in Zig's names."""
OURS = "cpython-{v.major}{v.minor}-aarch64-linux-gnu"
EXPORTED = re.compile(r"PyAPI_(?:FUNC|DATA)\([^)]*\)\s*(\w+)")
ZIG = [sys.executable, "-m", "ziglang"]


def missing() -> list[str]:
    """A requirement of the build that this machine lacks."""
    wanted = ("ziglang", "nanobind", "cmake", "ninja")
    return [f"{name} (pip install {name})" for name in wanted if importlib.util.find_spec(name) is None]


def run(command: list[str]) -> None:
    """Run a build tool; print its output only if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout[-6000:]}{done.stderr[-6000:]}")


def headers(target: str, folder: Path) -> Path:
    """Write Python's headers as they are on the target."""
    own = Path(sysconfig.get_path("include"))
    if sys.platform == "linux" and "-linux" in target:
        return own
    shutil.copytree(own, folder / "include", dirs_exist_ok=True)
    shutil.copy2(ROOT / "toolchain" / "pyconfig.h", folder / "include")
    return folder / "include"


def library(folder: Path, include: Path) -> Path:
    """Write Python's import library for Windows from its headers, and empty libraries for those that this machine's Python
    requires.
    """
    name = f"python{sys.version_info.major}{sys.version_info.minor}"
    texts = [path.read_text(encoding="utf-8") for path in include.rglob("*.h")]
    names = sorted({found for text in texts for found in EXPORTED.findall(text)})
    (folder / f"{name}.def").write_text("\n".join([f"LIBRARY {name}.dll", "EXPORTS", *names, ""]))
    made = folder / f"lib{name}.dll.a"
    run([*ZIG, "dlltool", "-m", "i386:x86-64", "-d", str(folder / f"{name}.def"), "-l", str(made)])
    for absent in ("dl", "util", "pthread"):
        (folder / f"lib{absent}.a").write_bytes(b"!<arch>\n")
    return made


def build(target: str, only: str = "", folder: Path | None = None) -> Path:
    """Compile and link the kernels for a target, or compile one of them; return the path of the result."""
    folder = folder or ROOT / "build" / "cross" / target
    folder.mkdir(parents=True, exist_ok=True)
    nanobind = Path(subprocess.check_output([sys.executable, "-m", "nanobind", "--cmake_dir"], text=True).strip())
    include = headers(target, folder)
    options = {
        "CMAKE_TOOLCHAIN_FILE": ROOT / "toolchain" / "zig.cmake",
        "ASSAY_ZIG_TARGET": target,
        "ASSAY_ZIG_PYTHON": sys.executable,
        "Python_EXECUTABLE": sys.executable,
        "Python_INCLUDE_DIR": include,
        "nanobind_DIR": nanobind,
    }
    if "-linux" in target:
        options["SKBUILD_SOABI"] = OURS.format(v=sys.version_info)
    if "-windows" in target:
        options["Python_LIBRARY"] = library(folder, include)
        options["CMAKE_MODULE_LINKER_FLAGS"] = f"-L{folder}"
    cmake = [sys.executable, "-m", "cmake"]
    run([*cmake, "-S", str(ROOT), "-B", str(folder), "-G", "Ninja", *(f"-D{k}={v}" for k, v in options.items())])
    suffix = ".obj" if "-windows" in target else ".o"
    made = f"CMakeFiles/_native.dir/src/assay/kernels/{only}{suffix}"
    run([*cmake, "--build", str(folder), "--target", made if only else "_native"])
    return folder / made if only else next(path for path in folder.glob("_native.*") if path.suffix in (".so", ".pyd"))


def main() -> int:
    """Build the requested targets and print one line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", default=TARGETS, metavar="TARGET", help=f"of {', '.join(TARGETS)}")
    parser.add_argument("--only", default="", metavar="KERNEL", help="compile this one file of src/assay/kernels")
    given = parser.parse_args()
    if lacking := missing():
        sys.exit(f"A build for other systems needs {', '.join(lacking)}.")
    for target in given.targets:
        made = build(target, given.only)
        print(f"{target}: {made.relative_to(ROOT)}, {made.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
