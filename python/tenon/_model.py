"""Models: read, changed, run, and asked for their equations."""

from __future__ import annotations

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from os import PathLike
    from typing import Any

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from ._result import Result
    from ._simulation import Simulation

__all__ = ["Equations", "Model", "example", "examples", "load"]

#: settings of a run, by the names of keywords; any other keyword is a constant or a parameter of the model
SETTINGS = frozenset(
    (
        "allow_unstable",
        "at_singularity",
        "atol",
        "body_coordinates",
        "breach",
        "coordinates",
        "every",
        "formulation",
        "integrator",
        "method",
        "rtol",
        "stabilize",
        "step",
        "until",
    )
)


def load(path: str | PathLike[str], **settings: Any) -> Model:
    """Read a model from a file, or that of a result file (`.tnr`).

    Keywords are those of `Model.using`.
    """
    import os

    name = os.fspath(path)
    if name.endswith(".tnr"):
        held = _core.ResultFile(name).said("model") or ""
        return Model(held, name=name, **settings)
    with open(name, "rb") as file:
        return Model(file.read(), name=name, **settings)


def _data(*parts: str) -> str:
    """A folder of data of the package."""
    import os

    return os.path.join(os.path.dirname(__file__), "data", *parts)


def examples() -> list[str]:
    """Names of the models that come with the package."""
    import os

    return sorted(name[:-5] for name in os.listdir(_data("models")) if name.endswith(".json"))


def example(name: str, **settings: Any) -> Model:
    """A model that comes with the package: `tenon.example("four_bar")`."""
    from ._errors import UsageError

    if name not in examples():
        raise UsageError(f"there is no example {name!r}; there are {', '.join(examples())}")
    with open(_data("models", name + ".json"), "rb") as file:
        return Model(file.read(), name=name + ".json", **settings)


def _value(value: object) -> str:
    """A value of a setting in the words of the command line."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(float(value))  # type: ignore[arg-type]


def _number(value: object) -> object:
    """Numbers of NumPy as those of Python, so that they can be written as JSON."""
    for kind in ("item", "tolist"):
        method = getattr(value, kind if getattr(value, "ndim", 0) == 0 else "tolist", None)
        if method is not None:
            return method()
    raise TypeError(f"{value!r} cannot be part of a model")


def to_json(value: object) -> str:
    """A part of a model as JSON."""
    import json

    return json.dumps(value, default=_number, allow_nan=False)


def pointer_of(name: str) -> str:
    """`start.A.rate` and `/start/A.rate` are the same; other names stay."""
    if name.startswith("/"):
        return name
    for section in ("start", "constants", "parameters", "points", "outputs"):
        if name.startswith(section + "."):
            return f"/{section}/{name[len(section) + 1 :]}"
    return name


class Model:
    """A model, compiled and immutable.

    `source` is a dictionary, JSON text (comments are allowed), or what `tenon.load` reads. A model with other settings or constants is
    another model: see `using`. A model that is refused raises `ModelError` with its place; remarks on one that is good are warnings.
    """

    __slots__ = ("__weakref__", "_changes", "_compiled", "_forces", "_name", "_probes", "_text")

    def __init__(self, source: Mapping[str, Any] | str | bytes, *, name: str = "model", **settings: Any) -> None:
        if isinstance(source, str):
            text = source.encode()
        elif isinstance(source, bytes):
            text = source
        else:
            text = to_json(source).encode()
        self._text = text
        self._name = name
        self._changes: tuple[tuple[str, str, str], ...] = ()
        self._forces: tuple[tuple[str, Callable[..., Any] | int, int], ...] = ()
        self._compiled: _core.Compiled | None = None
        self._probes: dict[int, Simulation] = {}
        self._change(settings)
        self._warn()

    # ---- making ----------------------------------------------------------------------------------------------------

    def _describe(self) -> _core.Description:
        """A description of its own, with all changes."""
        desc = _core.Description()
        for name, law, inputs in self._forces:
            if isinstance(law, int):
                desc.add_force(name, None, inputs, law)
            else:
                desc.add_force(name, law, inputs)
        desc.parse(self._name, self._text)
        pairs: list[tuple[str, str]] = []
        for kind, name, value in self._changes:
            if kind == "settings":
                pairs.append((name, value))
                continue
            if pairs:
                desc.settings(pairs)
                pairs = []
            if kind == "number":
                desc.number(name, float(value))
            elif kind == "json":
                desc.json(name, value)
            else:
                desc.remove(name)
        if pairs:
            desc.settings(pairs)
        return desc

    def _compile(self) -> _core.Compiled:
        """The compiled model."""
        if self._compiled is None:
            self._compiled = self._describe().compile()
        return self._compiled

    def _warn(self, known: Model | None = None) -> None:
        """Remarks as warnings, but for those that another model had already."""
        remarks = self._compile().remarks()
        if not remarks:
            return
        from ._errors import remark, warn

        told = [one[0] for one in known._compile().remarks()] if known is not None else []
        for one in remarks:
            if one[0] not in told:
                warn(remark(one))

    def _change(self, settings: Mapping[str, Any]) -> None:
        """Add changes, in the words of `using`."""
        if not settings:
            return
        changes: list[tuple[str, str, str]] = []
        later: list[tuple[str, str, str]] = []
        for key, value in settings.items():
            if value is None:
                continue
            many: Any = value
            if key == "stabilize" and not isinstance(value, str):
                changes += [("settings", "stabilize", one) for one in value]
            elif key in SETTINGS:
                changes.append(("settings", key.replace("_", "-"), _value(value)))
            elif key == "set":
                later += [("settings", "set", f"{name}={_value(one)}") for name, one in many.items()]
            elif key == "start":
                later += [("json", f"/start/{name}", to_json(one)) for name, one in many.items()]
            elif key == "changes":
                later += [
                    ("remove", pointer_of(name), "") if one is None else ("json", pointer_of(name), to_json(one))
                    for name, one in many.items()
                ]
            elif key == "outputs":
                later.append(("json", "/outputs", to_json(outputs_of(value))))
            else:
                later.append(("settings", "set", f"{key}={_value(value)}"))
        self._changes += tuple(changes) + tuple(later)

    def using(self, **settings: Any) -> Model:
        """The same model with other settings, constants or parameters.

        Settings are those of the command line: `until`, `every`, `method`, `formulation`, `stabilize` (a word or a list), `integrator`,
        `step`, `rtol`, `atol`, `coordinates`, `body_coordinates`, `breach`, `at_singularity`, `allow_unstable`. Any other keyword is a
        constant or a parameter of the model; a value may be an expression, such as `"30*deg"`. Beside them:

        `set`: constants and parameters whose names are those of settings, as a dictionary;
        `start`: start values by channel, `{"A.rate": 6}`;
        `outputs`: other outputs, as a dictionary of expressions or a list of channels;
        `changes`: anything else by its JSON pointer, `{"/bodies/crank/mass": 2}`; None removes it.
        """
        other = self._copy()
        other._change(settings)
        other._warn(self)
        return other

    def _copy(self) -> Model:
        other = Model.__new__(Model)
        other._text, other._name = self._text, self._name
        other._changes, other._forces = self._changes, self._forces
        other._compiled, other._probes = None, {}
        return other

    def add_force(
        self,
        name: str,
        law: Callable[..., Any] | Any,
        *,
        on: str,
        inputs: Sequence[str] | str = (),
        at: Any = None,
        on_body: Any = None,
        active: bool | None = None,
    ) -> Model:
        """The same model with a force whose law is a function.

        `law(t, *inputs)` is called at every right-hand side. `on` is a coordinate channel (`"A.angle"`), and the law gives the effort
        along it, or a body, and the law gives a wrench in the axes of the world: `(fx, fy, t)` in the plane, `(fx, fy, fz, tx, ty, tz)` in
        space; it acts at `at` (world) or `on_body` (body axes), else at the origin of the body. `inputs` are running expressions, such as `"A.angle"` or
        `"velocity(arm, tip).x"`.

        The law should be a smooth function of its arguments: steps are judged by it. A function of numba (`@cfunc`) or of ctypes with the
        type `void (double t, const double *x, double *out)` is called without Python.

        A call of a Python function takes about a microsecond, a compiled one some nanoseconds.
        """
        other = self._copy()
        names = [inputs] if isinstance(inputs, str) else list(inputs)
        address = _address(law)
        kind = f"python-{len(self._forces)}"
        other._forces = (*self._forces, (kind, law if address is None else address, len(names)))
        part: dict[str, Any] = {"type": kind, "on": on}
        if names:
            part["inputs"] = names if len(names) != 1 else names[0]
        if at is None and on_body is None and on in self._bodies():
            on_body = [0] * self.info["dimension"]
        for key, value in (("at", at), ("on_body", on_body), ("active", active)):
            if value is not None:
                part[key] = value
        other._changes += (("json", f"/forces/{name}", to_json(part)),)
        other._warn(self)
        return other

    def _bodies(self) -> set[str]:
        """Names of the bodies."""
        import json

        return set(json.loads(self.expanded()).get("bodies", {}))

    def add_driver(
        self, name: str, function: Callable[[float], float], *, on: str, until: float | None = None, points: int = 1001
    ) -> Model:
        """The same model with a driver: channel `on` is `function(t)`.

        The function is called before the run, at `points` times from 0 to `until` (the end of the run if left out), and stands in the
        model as a spline through them, whose derivatives are continuous up to the second. No Python is called during the run.
        """
        end = self.info["until"] if until is None else until
        times = [end * i / (points - 1) for i in range(points)]
        values = [float(function(t)) for t in times]
        changes = {
            f"/tables/{name}_t": times,
            f"/tables/{name}_x": values,
            f"/joints/{name}": {"type": "driver", "on": on, "value": f"spline({name}_t, {name}_x, t)"},
        }
        return self.using(changes=changes)

    # ---- asking ----------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Its name in messages: that of the file."""
        return self._name

    @property
    def info(self) -> dict[str, Any]:
        """Sizes and effective settings: bodies, joints, coordinates, speeds, rows, method, until, every .."""
        return self._compile().info()

    @property
    def settings(self) -> str:
        """The effective settings as options of the command line."""
        return self._compile().settings()

    @property
    def warnings(self) -> list[str]:
        """Remarks on the model."""
        from ._errors import remark

        return [str(remark(one)) for one in self._compile().remarks()]

    def text(self) -> str:
        """The model as JSON, as one would write it: with all changes."""
        return self._describe().print()

    def expanded(self) -> str:
        """The model as JSON with every `repeat` carried out."""
        return self._compile().print()

    def to_dict(self) -> dict[str, Any]:
        """The model as a dictionary."""
        import json

        found: dict[str, Any] = json.loads(self.text())
        return found

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text())

    def check(self) -> str:
        """What `tenon check` says: sizes, degrees of freedom, redundant rows, the start, warnings."""
        sim = self.simulation()
        try:
            sim.start()
        except Exception as error:
            return f"{sim._report('check', self._name)}{error}\n"
        return sim._report("check", self._name)

    # ---- running ---------------------------------------------------------------------------------------------------

    def simulation(self, **settings: Any) -> Simulation:
        """A simulation to be stepped. Keywords are those of `using`."""
        from ._simulation import Simulation

        return Simulation(self.using(**settings) if settings else self)

    def run(
        self,
        *,
        progress: bool | Callable[[float], object] | None = None,
        on_event: Callable[[str, float], object] | None = None,
        record: bool = True,
        **settings: Any,
    ) -> Result:
        """Simulate from the start to the end.

        Keywords are those of `using`. `progress`: True for a bar, or a function of the time that is called twenty times a second; a
        function that returns False ends the run. `on_event`: a function of name and time, for events of the model. `record`: keep the
        motion too, for pages and files; without it there are the rows alone.

        A run that stops before its end raises `RunError`, whose `result` has what it gave until then; so does one that is interrupted by
        Ctrl-C. If the verdict is not `trusted` there is a `DoubtWarning`.
        """
        return self.simulation(**settings).run(progress=progress, on_event=on_event, record=record)

    def predictable_until(self, threshold: float = 0.01, **settings: Any) -> float:
        """Until when every output is right to a share of its range, s: measured by a second, more accurate run."""
        return (self.using(**settings) if settings else self)._describe().predictable_until(threshold)

    # ---- equations -------------------------------------------------------------------------------------------------

    def _probe(self) -> Simulation:
        """A simulation that is asked for equations, one a thread."""
        import _thread

        here = _thread.get_ident()
        probe = self._probes.get(here)
        if probe is None:
            if len(self._probes) > 64:  # threads come and go
                self._probes.clear()
            probe = self._probes[here] = self.simulation()
            probe.start()
        return probe

    def at(
        self,
        q: ArrayLike | None = None,
        u: ArrayLike | None = None,
        t: float | None = None,
        states: ArrayLike | None = None,
    ) -> Equations:
        """The equations of motion at a state: M udot + A' lambda = f, A udot = gamma.

        What is left out is that of the start.
        """
        return self._probe().at(q, u, t, states)

    def rates(self, t: float, y: ArrayLike) -> NDArray[np.float64]:
        """The rates of y = (q, u, states of forces), for an integrator of your own: `solve_ivp(m.rates, (0, 1), m.y0)`.

        Constraints are met on the level of accelerations alone, and no stabilizer acts.
        """
        return self._probe().rates(t, y)

    @property
    def y0(self) -> NDArray[np.float64]:
        """The start as y = (q, u, states of forces)."""
        return self._probe().y

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the numbers in y: coordinates, speeds, states of forces."""
        probe = self._probe()
        return probe.coordinates + probe.speeds + probe.state_names

    # ---- the rest --------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        info = self.info
        title = f": {info['title']}" if info["title"] else ""
        return (
            f"<tenon.Model {self._name!r}{title}; {info['bodies']} bodies, {info['joints']} joints, "
            f"{info['coordinates']} coordinates, {info['rows']} rows>"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return self._forces == other._forces and self.text() == other.text()

    def __hash__(self) -> int:
        return hash((self._text, self._changes))

    def __copy__(self) -> Model:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Model:
        return self  # it is immutable

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self._text, self._name, self._changes, self._forces)


def _rebuild(
    text: bytes,
    name: str,
    changes: tuple[tuple[str, str, str], ...],
    forces: tuple[tuple[str, Callable[..., Any] | int, int], ...],
) -> Model:
    """A model out of a pickle."""
    model = Model.__new__(Model)
    model._text, model._name, model._changes, model._forces = text, name, changes, forces
    model._compiled, model._probes = None, {}
    return model


def _address(law: object) -> int | None:
    """The address of a function of numba or ctypes; None: it is one of Python."""
    address = getattr(law, "address", None)  # numba.cfunc
    if isinstance(address, int):
        return address
    if hasattr(law, "_objects") and hasattr(law, "argtypes"):  # ctypes
        import ctypes

        return ctypes.cast(law, ctypes.c_void_p).value  # type: ignore[arg-type]
    return None


def outputs_of(outputs: Mapping[str, Any] | Iterable[str]) -> dict[str, Any]:
    """Outputs as a dictionary: channels get names without a point."""
    if isinstance(outputs, str):
        outputs = [outputs]
    if hasattr(outputs, "items"):
        return dict(outputs)  # type: ignore[arg-type]
    return {name.replace(".", "_") if name.replace(".", "").replace("_", "").isalnum() else name: name for name in outputs}


class Equations:
    """The equations of motion at a state, as arrays: M udot + A' lambda = f, A udot = gamma."""

    #: s
    t: float
    #: coordinates
    q: NDArray[np.float64]
    #: speeds
    u: NDArray[np.float64]
    #: mass matrix, speeds x speeds
    M: NDArray[np.float64]
    #: forces, with inertia forces and efforts of actuators
    f: NDArray[np.float64]
    #: constraint matrix, rows x speeds
    A: NDArray[np.float64]
    #: violations of positions and velocities, rows; those behind `holonomic` have no C
    C: NDArray[np.float64]
    Cdot: NDArray[np.float64]
    #: right side of the constraints of accelerations
    gamma: NDArray[np.float64]
    #: accelerations
    udot: NDArray[np.float64]
    #: multipliers, rows
    lam: NDArray[np.float64]
    #: of A, largest first
    singular_values: NDArray[np.float64]
    #: of A here
    rank: int
    #: rows that constrain positions; they come first
    holonomic: int
    #: names of columns and rows
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    rows: tuple[str, ...]

    def __init__(self, sim: Simulation, found: dict[str, Any]) -> None:
        import numpy as np

        for name, value in found.items():
            setattr(self, "lam" if name == "lambda" else name, value if isinstance(value, int | float) else np.asarray(value))
        self.coordinates, self.speeds, self.rows = sim.coordinates, sim.speeds, sim._names("rows")

    @property
    def K(self) -> NDArray[np.float64]:
        """[[M, A'], [A, 0]]"""
        import numpy as np

        zero = np.zeros((self.A.shape[0], self.A.shape[0]))
        return np.block([[self.M, self.A.T], [self.A, zero]])

    def sparse(self, name: str = "K") -> Any:
        """A matrix (`M`, `A` or `K`) as one of scipy.sparse, by columns."""
        from scipy import sparse

        return sparse.csc_matrix(getattr(self, name))

    def __repr__(self) -> str:
        return f"<tenon.Equations at t = {self.t:g} s: {len(self.u)} speeds, {len(self.C)} rows of rank {self.rank}>"
