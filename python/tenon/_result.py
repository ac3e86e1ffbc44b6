"""Results: outputs as arrays, the verdict, and everything that is made of them."""

from __future__ import annotations

from io import open as io_open  # this module has one of its own

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from os import PathLike
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from ._model import Model
    from ._simulation import Simulation

__all__ = ["Result", "open"]



class Result:
    """What a run gave.

    `r["load"]` is an output over time, `r["tip"]` a vector with a column for each component, `r.t` the times. `r.verdict` says what the
    run is worth: trusted, doubtful or wrong; `r.reasons` why.
    """

    #: names of the columns, without t
    columns: tuple[str, ...]
    #: units by column; "" where there is none
    units: dict[str, str]
    #: name of the model in messages
    name: str
    #: trusted, doubtful or wrong; None: a file without a summary
    verdict: str | None
    #: the summary for people
    report: str
    #: why the run stopped before its end; None: it did not
    error: BaseException | None

    def __init__(
        self,
        rows: Any,
        columns: Sequence[str],
        units: Sequence[str],
        *,
        name: str = "result",
        verdict: str | None = None,
        summary: str | None = None,
        report: str = "",
        file: bytes | None = None,
        model: Model | None = None,
        error: BaseException | None = None,
    ) -> None:
        self._held = rows
        self._array: NDArray[np.float64] | None = None
        self.columns = tuple(columns)
        self.units = dict(zip(columns, units, strict=True))
        self.name, self.verdict, self.report, self.error = name, verdict, report, error
        self._summary, self._file, self._model = summary, file, model

    # ---- numbers ---------------------------------------------------------------------------------------------------

    @property
    def rows(self) -> NDArray[np.float64]:
        """All numbers: rows x (1 + columns), t first."""
        if self._array is None:
            import numpy as np

            self._array = np.asarray(self._held)
        return self._array

    @property
    def t(self) -> NDArray[np.float64]:
        """Times of the rows, s."""
        return self.rows[:, 0]

    def _group(self, name: str) -> list[int]:
        """Columns of a vector."""
        return [i for i, column in enumerate(self.columns) if column.rpartition(".")[0] == name]

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        if name == "t":
            return self.t
        if name in self.units:
            return self.rows[:, 1 + self.columns.index(name)]
        group = self._group(name)
        if not group:
            from ._errors import UsageError

            raise UsageError(f"there is no output {name!r}; there are {', '.join(self.keys())}")
        return self.rows[:, 1 + group[0] : 2 + group[-1]]

    def keys(self) -> list[str]:
        """Names of outputs: columns, and vectors by the name they have in the model."""
        found: list[str] = []
        for column in self.columns:
            vector, _, component = column.rpartition(".")
            name = vector if vector and component in ("x", "y", "z") else column
            if name not in found:
                found.append(name)
        return found

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name == "t" or name in self.units or bool(self._group(name)))

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    def frame(self) -> Any:
        """A DataFrame of pandas, with t as its index."""
        import pandas

        return pandas.DataFrame(self.rows[:, 1:], index=pandas.Index(self.t, name="t"), columns=list(self.columns))

    def xarray(self) -> Any:
        """A Dataset of xarray, with units; vectors have a dimension `axis`."""
        import xarray

        data: dict[str, Any] = {}
        for name in self.keys():
            values = self[name]
            unit = self.units.get(name, self.units.get(name + ".x", ""))
            dimensions = ("t",) if values.ndim == 1 else ("t", "axis")
            data[name] = (dimensions, values, {"units": unit})
        axes = {len(v[1][0]) for v in data.values() if v[1].ndim == 2 and len(v[1])}
        coordinates: dict[str, Any] = {"t": ("t", self.t, {"units": "s"})}
        if axes:
            coordinates["axis"] = list("xyz"[: max(axes)])
        return xarray.Dataset(data, coords=coordinates, attrs={"model": self.name, "verdict": str(self.verdict)})

    # ---- how good it is --------------------------------------------------------------------------------------------

    @property
    def summary(self) -> dict[str, Any]:
        """How the run went, as `tenon run --json` has it; empty for a file without an end."""
        import json

        found: dict[str, Any] = json.loads(self._summary) if self._summary else {}
        return found

    @property
    def reasons(self) -> list[str]:
        """Why the verdict is not `trusted`, in sentences."""
        found = self.summary.get("reasons") or []
        return [str(one.get("sentence", one)) if isinstance(one, dict) else str(one) for one in found]

    @property
    def model(self) -> Model:
        """The model that was run."""
        if self._model is None:
            from ._model import Model

            self._model = Model(self._result_file().said("model") or "", name=self.name)
        return self._model

    # ---- files and pages -------------------------------------------------------------------------------------------

    def _bytes(self) -> bytes:
        if self._file is None:
            from ._errors import UsageError

            raise UsageError("this run was not recorded: record=True")
        return self._file

    def _result_file(self) -> _core.ResultFile:
        """The result file, opened from a copy that is removed at once."""
        import os
        import tempfile

        data = self._bytes()
        handle, path = tempfile.mkstemp(suffix=".tnr")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            return _core.ResultFile(path)
        finally:
            _forget(path)

    def html(self) -> str:
        """The page for a browser: the mechanism in motion, plots of everything, what the run is worth. One file, offline."""
        return self._result_file().export("page").decode()

    def svg(self) -> str:
        """A picture: every output over time."""
        return self._result_file().export("svg").decode()

    def poses(self, by: float, start: float = float("nan"), stop: float = float("nan")) -> str:
        """A mechanism in the plane in several poses over one another, every `by` seconds, as SVG."""
        return self._result_file().export("poses", 0, start, stop, by).decode()

    def save(self, path: str | PathLike[str]) -> None:
        """Write a file, by suffix: .tnr (everything), .csv, .html, .svg, .glb (solids that move), .npy (all rows)."""
        import os

        suffix = os.path.splitext(os.fspath(path))[1]
        kinds = {".csv": "csv", ".html": "page", ".svg": "svg", ".glb": "glb"}
        if suffix == ".tnr":
            data = self._bytes()
        elif suffix == ".npy":
            import numpy as np

            np.save(path, self.rows)
            return
        elif suffix in kinds:
            data = self._result_file().export(kinds[suffix])
        else:
            from ._errors import UsageError

            raise UsageError(f"a result is saved as .tnr, .csv, .html, .svg, .glb or .npy, not {suffix!r}")
        with io_open(path, "wb") as file:
            file.write(data)

    def show(self, height: int = 720) -> None:
        """Show the page: inside a notebook, else in the browser."""
        show_page(self.html(), height)

    def plot(self, *names: str, axes: Any = None) -> Any:
        """Outputs over time by matplotlib, one below the other; all of them if none is named. Gives the axes."""
        import matplotlib.pyplot as plt

        chosen = list(names) or self.keys()
        if axes is None:
            _, axes = plt.subplots(len(chosen), 1, sharex=True, squeeze=False, figsize=(7, 1.2 + 1.8 * len(chosen)))
            axes = axes[:, 0]
        for ax, name in zip(axes if hasattr(axes, "__len__") else [axes], chosen, strict=False):
            values = self[name]
            group = [name] if values.ndim == 1 else [self.columns[i] for i in self._group(name)]
            ax.plot(self.t, values, label=group)
            unit = self.units.get(group[0], "")
            ax.set_ylabel(f"{name} [{unit}]" if unit else name)
            if len(group) > 1:
                ax.legend()
        (axes[-1] if hasattr(axes, "__len__") else axes).set_xlabel("t [s]")
        return axes

    # ---- the rest --------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        end = f"t = {self.t[-1]:g} s" if len(self) else "nothing"
        return f"<tenon.Result of {self.name!r}: {self.verdict}; {len(self)} rows to {end}; {', '.join(self.keys())}>"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self.report or repr(self))}</pre>"

    def __copy__(self) -> Result:
        return self

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state["_held"], state["_array"] = None, self.rows
        if isinstance(self.error, BaseException):
            state["error"] = None
        return state


def _forget(path: str) -> None:
    """Remove a file; where it is open and cannot be removed, when the program ends."""
    import os

    try:
        os.unlink(path)
    except OSError:
        import atexit

        atexit.register(_forget_at_last, path)


def _forget_at_last(path: str) -> None:
    """Nothing is left to be done if it cannot be removed now."""
    import contextlib
    import os

    with contextlib.suppress(OSError):
        os.unlink(path)


def open(path: str | PathLike[str], *, recover: bool = False) -> Result:
    """Read a result file (`.tnr`) of Python or of the program.

    One that is damaged or has no end raises `FileError`; with `recover` its good rows are taken, and a warning says what is missing.
    """
    import os

    name = os.fspath(path)
    file = _core.ResultFile(name)
    fault = file.check()
    if fault is not None:
        if not recover:
            raise fault
        from ._errors import DoubtWarning, warn

        for sentence in file.recover():
            warn(DoubtWarning(sentence))
    with io_open(name, "rb") as raw:
        data = raw.read()
    return Result(
        file.rows(),
        file.names("columns"),
        file.names("units"),
        name=file.said("name") or name,
        verdict=file.said("verdict"),
        summary=file.said("summary"),
        file=data,
    )


def show_page(html: str, height: int) -> None:
    """A page inside a notebook, or in the browser."""
    if _in_notebook():
        from html import escape

        from importlib import import_module

        notebook: Any = import_module("IPython.display")  # it is there, or this would be no notebook
        frame = f'<iframe srcdoc="{escape(html)}" style="width:100%;height:{height}px;border:0" title="Tenon"></iframe>'
        notebook.display(notebook.HTML(frame))
        return
    import os
    import tempfile
    import webbrowser
    from pathlib import Path

    handle, path = tempfile.mkstemp(prefix="tenon-", suffix=".html")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(html)
    webbrowser.open(Path(path).as_uri())


def _in_notebook() -> bool:
    import sys

    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and hasattr(shell, "kernel")


# ---- made by runs --------------------------------------------------------------------------------------------------------


def finished(sim: Simulation, rows: Any, file: bytes | None, error: BaseException | None) -> Result:
    """The result of a run that ended somehow: raised, warned, or handed back."""
    from ._errors import DoubtWarning, Stopped, warn

    name = sim.model.name
    result = Result(
        rows,
        sim.columns,
        sim._named("units"),
        name=name,
        verdict=sim.verdict,
        summary=sim._report("json", name),
        report=sim._report("text", name),
        file=file,
        model=sim.model,
        error=error,
    )
    if isinstance(error, Stopped):  # a callback wanted it
        return result
    if error is not None:
        error.result = result  # type: ignore[attr-defined]
        result.error = None  # not in a circle
        raise error
    if result.verdict != "trusted":
        warn(DoubtWarning(f"the verdict of this run is {result.verdict}: {'; '.join(result.reasons)}"))
    return result


def sampled(
    sim: Simulation,
    controller: Callable[[Simulation], object],
    period: float,
    until: float | None,
    every: float | None,
    record: bool,
) -> Result:
    """A run with a controller that acts at multiples of a period."""
    import numpy as np

    from ._errors import UsageError

    if not period > 0:
        raise UsageError("the period of a controller must be above 0 s")
    info = sim.model.info
    end = info["until"] if until is None else until
    distance = info["every"] if every is None else every
    found: list[list[float]] = []

    def take() -> None:
        found.append([sim.t, *memoryview(sim._outputs())])

    sim.start()
    acts, rows, first = 0, 0, sim.t
    goes_on = True
    while goes_on:
        if sim.t >= min(end, first + rows * distance) * (1 - 1e-14):
            take()
            rows += 1
        if sim.t >= end:
            break
        if sim.t >= (first + acts * period) * (1 - 1e-14):
            goes_on = controller(sim) is not False
            acts += 1
        sim.advance(min(end, first + acts * period, first + rows * distance))
    del record  # rows alone: the motion between two samples is that of several runs
    return finished(sim, np.array(found).reshape(-1, 1 + len(sim.columns)), None, None)
