"""The version, which is written once: in the public header of the library."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any


def dynamic_metadata(field: str, settings: dict[str, Any] | None = None, *_: Any) -> str:
    """The version of the header, in the clone or in an sdist."""
    del settings
    if field != "version":
        raise ValueError(f"there is no dynamic {field!r}")
    here = Path(__file__).resolve().parent.parent
    for root in (here / "library", here.parent):
        header = root / "include" / "tenon" / "tenon.h"
        if header.exists():
            found = re.search(r'#define TN_VERSION "([^"]+)"', header.read_text(encoding="utf-8"))
            assert found
            return found.group(1)
    raise FileNotFoundError("include/tenon/tenon.h")
