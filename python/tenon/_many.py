"""Many runs: batches, sweeps, comparisons, studies."""

from __future__ import annotations

from . import _core
from ._table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from os import PathLike
    from typing import Any

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from ._model import Model

__all__ = [
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
]


# ---- batches -------------------------------------------------------------------------------------------------------------


class BatchResult:
    """Runs of one model with many values.

    `b["tip.x"]` is runs x rows, `b["tip"]` runs x rows x components; masked where a run has no row. `b.t` are the times.
    """

    #: names of the columns, without t
    columns: tuple[str, ...]
    #: what was varied, by name, a value a run
    parameters: dict[str, NDArray[np.float64]]
    #: runs x rows x (1 + columns), t first; NaN where a run has no row
    values: NDArray[np.float64]
    #: trusted, doubtful or wrong, of each run
    verdicts: list[str]
    #: why runs failed, by their number
    failures: dict[int, str]
    #: a row a run: values, verdict, steps, energy balance ..
    table: Table

    def __init__(
        self,
        columns: Sequence[str],
        parameters: dict[str, NDArray[np.float64]],
        values: NDArray[np.float64],
        outcome: Sequence[tuple[int, str, int, float, int, int, float, float, str]],
    ) -> None:
        self.columns, self.parameters, self.values = tuple(columns), parameters, values
        self.verdicts = [one[1] for one in outcome]
        self.failures = {i: one[8] for i, one in enumerate(outcome) if one[0]}
        self._rows = [one[2] for one in outcome]
        names = ("verdict", "rows", "t_end", "steps", "rhs", "energy_balance", "max_position_violation", "failure")
        self.table = Table(
            [
                {**{name: float(x[i]) for name, x in parameters.items()}, **dict(zip(names, one[1:], strict=True))}
                for i, one in enumerate(outcome)
            ]
        )

    def __len__(self) -> int:
        return len(self.verdicts)

    @property
    def t(self) -> NDArray[np.float64]:
        """Times of the rows, s: those of the longest run."""
        longest = max(range(len(self._rows)), key=self._rows.__getitem__)
        found: NDArray[np.float64] = self.values[longest, : self._rows[longest], 0]
        return found

    def __getitem__(self, name: str) -> np.ma.MaskedArray[Any, Any]:
        import numpy as np

        if name in self.columns:
            picked = self.values[:, :, 1 + self.columns.index(name)]
        else:
            group = [i for i, column in enumerate(self.columns) if column.rpartition(".")[0] == name]
            if not group:
                from ._errors import UsageError

                raise UsageError(f"there is no output {name!r}; there are {', '.join(self.columns)}")
            picked = self.values[:, :, 1 + group[0] : 2 + group[-1]]
        absent = np.arange(self.values.shape[1]) >= np.asarray(self._rows)[:, None]
        if picked.ndim == 3:
            absent = np.repeat(absent[:, :, None], picked.shape[2], axis=2)
        return np.ma.MaskedArray(picked, mask=absent)

    def frame(self) -> Any:
        """A row a run, as a DataFrame of pandas."""
        return self.table.frame()

    def xarray(self) -> Any:
        """A Dataset of xarray: run and t are the dimensions."""
        import xarray

        t = self.t
        data = {name: (("run", "t"), self[name].filled(float("nan"))[:, : len(t)]) for name in self.columns}
        coordinates: dict[str, Any] = {"t": t}
        coordinates.update({name: ("run", x) for name, x in self.parameters.items()})
        return xarray.Dataset(data, coords=coordinates)

    def __repr__(self) -> str:
        shape = f"{len(self)} runs x {self.values.shape[1]} rows"
        return f"<tenon.BatchResult: {shape}; {', '.join(self.columns)}; {len(self.failures)} failed>"


def grid(**values: Sequence[float]) -> dict[str, list[float]]:
    """All combinations: `tenon.batch(m, tenon.grid(rho=[1, 2], **{"start.A.rate": [5, 6]}))`."""
    from itertools import product

    rows = list(product(*values.values()))
    return {name: [row[i] for row in rows] for i, name in enumerate(values)}


def batch(
    model: Model,
    values: Mapping[str, ArrayLike],
    outputs: Mapping[str, Any] | Iterable[str] | None = None,
    *,
    threads: int = 0,
    progress: bool | Callable[[int, int], object] | None = None,
    **settings: Any,
) -> BatchResult:
    """Run a model with many values, in threads.

    `values`: by name, one for each run; one number stands for all. A name is a constant or parameter of the model, a start value
    (`"start.A.rate"`), or a JSON pointer (`"/bodies/crank/mass"`). `outputs`: other outputs than those of the model, as a dictionary of
    expressions or a list of channels. `threads`: 0 for all processors. Other keywords are those of `Model.using`.

    The lock of the interpreter is given back. Rows have the same bits for any number of threads. A run that fails is masked, and its
    reason is in `failures`. A force that is a Python function takes the lock at every call.
    """
    import math

    import numpy as np

    from ._model import pointer_of

    if outputs is not None:
        settings["outputs"] = outputs
    if settings:
        model = model.using(**settings)
    arrays = {name: np.atleast_1d(np.asarray(x, dtype=float)) for name, x in values.items()}
    runs = max((len(x) for x in arrays.values()), default=1)
    table = np.empty((runs, len(arrays)))
    for i, (name, x) in enumerate(arrays.items()):
        if x.ndim != 1 or len(x) not in (1, runs):
            raise ValueError(f"{name}: {runs} values are needed, or one for all")
        table[:, i] = x
        arrays[name] = table[:, i].copy()
    info = model.info
    most = max([info["until"], *(float(x.max()) for n, x in arrays.items() if pointer_of(n) == "/run/until")])
    least = min([info["every"], *(float(x.min()) for n, x in arrays.items() if pointer_of(n) == "/run/every")])
    rows = math.ceil(most / least * (1 - 1e-12)) + 2  # one more where an event ends the run between two
    columns = model.simulation().columns
    bar = _bar(progress, runs)
    try:
        found, outcome = model._describe().batch(
            model.name, [pointer_of(name) for name in arrays], table, runs, rows, len(columns), threads, bar
        )
    finally:
        _close(bar)
    numbers = np.asarray(found)
    used = max((one[2] for one in outcome), default=0)
    return BatchResult(columns, arrays, numbers[:, :used, :], outcome)


def _bar(progress: bool | Callable[[int, int], object] | None, whole: int) -> Callable[[int, int], object] | None:
    if progress is None or progress is False:
        return None
    if progress is not True:
        return progress
    from ._simulation import Bar

    return Bar(whole, "runs")


def _close(bar: object) -> None:
    close = getattr(bar, "close", None)
    if close is not None:
        close()


# ---- methods compared ----------------------------------------------------------------------------------------------------


class Comparison(Table):
    """Methods compared on a model: a row for each, with its error against a reference and its cost."""

    #: which one to take, in a sentence
    recommendation: str
    #: what the errors are measured against
    reference: dict[str, Any]

    def __init__(self, texts: Mapping[str, Any]) -> None:
        import json

        found = json.loads(texts["json"])
        super().__init__(found["rows"])
        self.recommendation = str(found.get("recommendation") or "")
        self.reference = found.get("reference") or {}
        self._texts = dict(texts)

    def text(self) -> str:
        """The table of `tenon compare`."""
        return str(self._texts["text"])

    def html(self) -> str:
        """The page: work and precision, drift over time."""
        if "page" not in self._texts:
            from ._errors import UsageError

            raise UsageError(f"this build has no pages: {_core.pages_missing()}")
        return bytes(self._texts["page"]).decode()

    def show(self, height: int = 720) -> None:
        """Show the page."""
        from ._result import show_page

        show_page(self.html(), height)


def compare(
    model: Model,
    methods: Sequence[str] = (),
    integrators: Sequence[str] = (),
    *,
    rtol: Sequence[float] = (),
    step: Sequence[float] = (),
    accuracy: float = 0,
    reference: str | PathLike[str] | None = None,
    threads: int = 0,
    progress: bool | Callable[[int, int], object] | None = None,
    **settings: Any,
) -> Comparison:
    """Every method with every integrator and every tolerance or step, against a reference: see `tenon compare`.

    Errors are those of the trajectory, not residuals. Other keywords are those of `Model.using`.
    """
    import os

    if len(rtol) and len(step):
        raise ValueError("rtol is for adaptive steps, step for fixed ones: not both")
    if settings:
        model = model.using(**settings)
    bar = _bar(progress, 0)
    try:
        texts = model._describe().compare(
            model.name,
            methods,
            integrators,
            list(step) or list(rtol),
            bool(len(step)),
            accuracy,
            threads,
            bar,
            os.fspath(reference) if reference is not None else None,
        )
    finally:
        _close(bar)
    return Comparison(texts)


class Tuning(Table):
    """Runs of a search for gains: a row a run."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        super().__init__(found["rows"])
        #: all of it
        self.found = dict(found)


def tune(
    model: Model,
    stabilizer: str,
    *,
    budget: int = 0,
    velocity: bool = False,
    threads: int = 0,
    progress: bool | Callable[[int, int], object] | None = None,
    **settings: Any,
) -> Tuning:
    """Search gains of a stabilizer for a model: see `tenon tune`."""
    import json

    if settings:
        model = model.using(**settings)
    bar = _bar(progress, 0)
    try:
        found = model._describe().tune(model.name, stabilizer, budget, threads, velocity, bar)
    finally:
        _close(bar)
    return Tuning(json.loads(found))


# ---- studies -------------------------------------------------------------------------------------------------------------


class Study(Table):
    """Claims of a paper with what was measured: a row for each."""

    #: all of it, as `tenon reproduce --json` has it
    found: dict[str, Any]

    def __init__(self, study: _core.Study) -> None:
        import json

        self.found = json.loads(study.report("json"))
        super().__init__([row for row in self.found.get("rows", []) if row.get("verdict") != "not run"])
        self._study = study

    def text(self) -> str:
        """The table of `tenon reproduce`."""
        return str(self._study.report("text"))

    def html(self) -> str:
        """The page of the study."""
        return bytes(self._study.report("page")).decode()

    def show(self, height: int = 720) -> None:
        """Show the page."""
        from ._result import show_page

        show_page(self.html(), height)


def studies() -> list[str]:
    """Names of the studies that come with the package."""
    import os

    from ._model import _data

    return sorted(name[:-5] for name in os.listdir(_data("studies")) if name.endswith(".json"))


def reproduce(
    study: str | PathLike[str],
    only: str | None = None,
    *,
    quick: bool = False,
    threads: int = 0,
    progress: bool | Callable[[int, int], object] | None = None,
) -> Study:
    """Run a study: a name of `tenon.studies()`, or a file. `only`: rows whose id has this in it; `quick` leaves out long ones."""
    import os

    from ._model import _data

    name = os.fspath(study)
    if name in studies():
        name = _data("studies", name + ".json")
    made = _core.Study(name)
    bar = _bar(progress, 0)
    try:
        made.run(quick, only, threads, bar)
    finally:
        _close(bar)
    return Study(made)


# ---- sweeps --------------------------------------------------------------------------------------------------------------


class Sweep(Table):
    """Measures of a model over values of its parameters: a row a run."""

    #: all of it, as `tenon sweep --json` has it
    found: dict[str, Any]

    def __init__(self, made: _core.Sweep) -> None:
        import json

        self.found = json.loads(made.report("json"))
        rows = []
        for row in self.found["rows"]:
            flat: dict[str, Any] = {}
            for name, value in row.items():
                flat.update(value if isinstance(value, dict) else {name: value})
            rows.append(flat)
        super().__init__(rows)
        self._made = made

    def text(self) -> str:
        """What `tenon sweep` prints."""
        return str(self._made.report("text"))

    def csv(self) -> str:
        """A line a run."""
        return str(self._made.report("csv"))

    def html(self) -> str:
        """The page: every measure over every parameter."""
        return bytes(self._made.report("page")).decode()

    def show(self, height: int = 720) -> None:
        """Show the page."""
        from ._result import show_page

        show_page(self.html(), height)


def sweep(
    source: Mapping[str, Any] | str | PathLike[str],
    *,
    model: Model | None = None,
    threads: int = 0,
    progress: bool | Callable[[int, int], object] | None = None,
) -> Sweep:
    """Run a sweep: a file, or its content as a dictionary, whose model may be one of Python: `model`."""
    import os
    import tempfile
    from collections.abc import Mapping

    from ._model import to_json

    bar = _bar(progress, 0)
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(source, Mapping):
            content: dict[str, Any] = dict(source)
            if model is not None:
                model.save(os.path.join(folder, "model.json"))
                content["run"] = {**content.get("run", {}), "model": "model.json"}
            path = os.path.join(folder, "sweep.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(to_json(content))
        else:
            path = os.fspath(source)
        made = _core.Sweep(path)
        try:
            made.run(threads, bar)
        finally:
            _close(bar)
        return Sweep(made)
