"""What a page in one file holds."""

from __future__ import annotations

import base64
import gzip
import json
import re
from typing import Any


def embedded(page: str) -> dict[str, Any]:
    """The data out of the HTML of a page."""
    found = re.search(r'id="assay-data">([^<]*)<', page)
    assert found is not None
    whole: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(found[1])))
    return whole
