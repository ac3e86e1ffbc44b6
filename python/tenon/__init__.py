"""Tenon: dynamics of constrained multibody systems.

A model is a dictionary, a file, or made by a builder. A run gives a `Result`: its outputs are NumPy arrays, and its verdict says what
they are worth.

    import tenon
    m = tenon.load("four_bar.json")
    r = m.run(until=10, every=0.01, rho=3)
    r["tip"], r.t, r.verdict

SI units and radians throughout. `docs/python.md` is the tutorial.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._builder import Body, Joint, Mechanism
    from ._errors import (
        DoubtWarning,
        Error,
        FileError,
        InternalError,
        ModelError,
        ModelWarning,
        RunError,
        Stopped,
        UsageError,
    )
    from ._many import BatchResult, Comparison, Study, Sweep, Tuning, batch, compare, grid, reproduce, studies, sweep, tune
    from ._model import Equations, Model, example, examples, load
    from ._result import Result, open
    from ._simulation import Simulation
    from ._table import Table

#: where the public names are: nothing is imported before it is asked for
_WHERE = {
    "_builder": ("Body", "Joint", "Mechanism"),
    "_errors": (
        "DoubtWarning",
        "Error",
        "FileError",
        "InternalError",
        "ModelError",
        "ModelWarning",
        "RunError",
        "Stopped",
        "UsageError",
    ),
    "_many": (
        "BatchResult",
        "Comparison",
        "Study",
        "Sweep",
        "Tuning",
        "batch",
        "compare",
        "grid",
        "reproduce",
        "studies",
        "sweep",
        "tune",
    ),
    "_model": ("Equations", "Model", "example", "examples", "load"),
    "_result": ("Result", "open"),
    "_simulation": ("Simulation",),
    "_table": ("Table",),
}
_MODULE_OF = {name: module for module, names in _WHERE.items() for name in names}

__all__ = [
    "BatchResult",
    "Body",
    "Comparison",
    "DoubtWarning",
    "Equations",
    "Error",
    "FileError",
    "InternalError",
    "Joint",
    "Mechanism",
    "Model",
    "ModelError",
    "ModelWarning",
    "Result",
    "RunError",
    "Simulation",
    "Stopped",
    "Study",
    "Sweep",
    "Table",
    "Tuning",
    "UsageError",
    "__version__",
    "batch",
    "compare",
    "describe",
    "example",
    "examples",
    "grid",
    "load",
    "open",
    "reproduce",
    "schema",
    "studies",
    "sweep",
    "tune",
]

#: the version of the library and of this package
__version__: str


def __getattr__(name: str) -> object:
    """Import what is asked for."""
    from importlib import import_module

    value: object
    if name == "__version__":
        from . import _core

        value = _core.version()
    elif name in _MODULE_OF:
        value = getattr(import_module("." + _MODULE_OF[name], __name__), name)
    else:
        raise AttributeError(f"module 'tenon' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return sorted(set(__all__) | set(globals()))


def describe(kind: str | None = None, name: str | None = None) -> str:
    """What can be named in a model, in words.

    `describe()` lists all kinds of parts, `describe("joint")` the joints, `describe("joint", "revolute")` one of them with its fields,
    its channels and an example.
    """
    from . import _core

    return _core.describe(kind, name)


def schema() -> dict[str, object]:
    """The JSON schema of model files, for editors and validators."""
    import json

    from . import _core

    found: dict[str, object] = json.loads(_core.schema())
    return found
