"""The build backend: scikit-build-core, and the C sources in an sdist.

In a clone the library lies in the folder above. An sdist has to carry it along, in `library`.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from scikit_build_core import build as _core

build_wheel = _core.build_wheel
build_editable = _core.build_editable
get_requires_for_build_wheel = _core.get_requires_for_build_wheel
get_requires_for_build_editable = _core.get_requires_for_build_editable
get_requires_for_build_sdist = _core.get_requires_for_build_sdist

_here = Path(__file__).resolve().parent.parent
#: what the library is built from, relative to its folder
_parts = ["CMakeLists.txt", "LICENSE", "cmake", "include", "src", "models", "studies", "sweeps", "viewer"]
_left_out = shutil.ignore_patterns("node_modules", "test", "out", "__pycache__")


def _carry(library: Path) -> None:
    """Copy the sources of the library into `library`."""
    root = _here.parent
    for part in _parts:
        source = root / part
        if source.is_dir():
            shutil.copytree(source, library / part, ignore=_left_out)
        else:
            library.mkdir(exist_ok=True)
            shutil.copy2(source, library / part)


def build_sdist(sdist_directory: str, config_settings: dict[str, Any] | None = None) -> str:
    """An sdist that builds in an empty folder."""
    library = _here / "library"
    made = not library.exists()
    try:
        if made:
            _carry(library)
        return _core.build_sdist(sdist_directory, config_settings)
    finally:
        if made:
            shutil.rmtree(library, ignore_errors=True)
