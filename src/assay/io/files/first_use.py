"""Files that nobody published a checksum for: what came from an address first is what must come from it later.

The sha256 of such a file lies in the cache folder, one small JSON file an address.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from assay.core.errors import InputError
from assay.io.files.atomic import atomic_write
from assay.io.files.paths import cache_dir, check_file, check_folder, private_folder


def record_of(address: str) -> Path:
    """Where the sha256 of what came from an address is kept."""
    name = hashlib.blake2b(address.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return cache_dir() / "fetched" / f"{name}.json"


def same_as_first(address: str, found: str) -> bool:
    """True for the sha256 that came from this address first; another is an InputError, and False where none is known."""
    path = record_of(address)
    try:
        check_folder(path.parent)
        check_file(path)
        before = json.loads(path.read_text(encoding="utf-8"))["sha256"]
    except OSError:
        return False
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise InputError(f"{path} is damaged: it should hold the sha256 of {address}. Remove it.") from error
    if before != found:
        raise InputError(
            f"{address} is not the file that it was when it was first fetched: sha256 {found[:12]}…, then {str(before)[:12]}…. "
            f"If the change is meant, remove {path}."
        )
    return True


def keep_first(address: str, found: str) -> str:
    """Keep the sha256 of what came from an address for the next time; how that went, in a sentence."""
    path = record_of(address)
    try:
        private_folder(path.parent)
        check_file(path)
        with atomic_write(path, "w") as out:
            out.write(json.dumps({"address": address, "sha256": found}) + "\n")
    except OSError as error:
        return f"Its sha256 is {found}; it could not be kept for later ({error.strerror or error})."
    return f"Its sha256 ({found[:12]}…) is kept in {path}: a later fetch that brings another file is refused."
