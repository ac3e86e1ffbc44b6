"""What the tests share: models, and a clone to look at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import tenon


@pytest.fixture(scope="session")
def root() -> Path:
    """The clone."""
    return Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="session")
def program(root: Path) -> Path:
    """The program of the same build."""
    path = Path(os.environ.get("TENON", root / "build" / "release" / "tenon"))
    if not path.exists():
        pytest.skip("the program was not built")
    return path


@pytest.fixture(scope="session")
def four_bar() -> tenon.Model:
    """A linkage in the plane."""
    return tenon.example("four_bar")


@pytest.fixture(scope="session")
def top() -> tenon.Model:
    """A body in space."""
    return tenon.example("heavy_top")


PENDULUM = {
    "tenon": 1,
    "dimension": 2,
    "gravity": [0, -9.81],
    "parameters": {"push": 0},
    "bodies": {"arm": {"rod": [[0, 0], [1, 0]], "mass": 2}},
    "joints": {"pin": {"type": "revolute", "between": ["ground", "arm"], "at": [0, 0]}},
    "forces": {"motor": {"type": "torque", "on": "pin.angle", "value": "push"}},
    "events": {"low": {"when": "pin.angle < -1", "do": "record"}},
    "outputs": {"angle": "pin.angle", "end": "position(arm)"},
    "run": {"until": 1, "every": 0.01},
}


@pytest.fixture
def pendulum() -> tenon.Model:
    """An arm with a parameter, a motor and an event."""
    return tenon.Model(PENDULUM)
