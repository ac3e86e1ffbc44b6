"""Simulations: stepped, read, set, saved, and run."""

from __future__ import annotations

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from ._model import Equations, Model
    from ._result import Result

__all__ = ["Simulation"]


class Simulation(_core.Simulation):
    """A simulation of a model: its state, step by step.

    `sim.advance(t)` goes on to a time. `sim["A.angle"]` is a channel at the present state. `sim.q`, `sim.u` and `sim.states` are
    views: arrays that always show the present state, in memory that stays the same, and cannot be written into.

    A simulation belongs to one thread at a time. The lock of the interpreter is given back while it moves, so that simulations in other
    threads run at the same time.
    """

    #: its model
    model: Model
    _q: NDArray[np.float64] | None = None
    _u: NDArray[np.float64] | None = None
    _states: NDArray[np.float64] | None = None
    _pose: NDArray[np.float64] | None = None
    _known: dict[str, tuple[str, ...]]

    def __new__(cls, model: Model) -> Simulation:
        if not hasattr(model, "_compile"):
            raise TypeError("a tenon.Model is needed")
        sim: Simulation = super().__new__(cls, model._compile())
        sim.model = model
        sim._known = {}
        return sim

    # ---- names -----------------------------------------------------------------------------------------------------

    def _named(self, what: str) -> tuple[str, ...]:
        if what not in self._known:
            self._known[what] = self._names(what)
        return self._known[what]

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the numbers in q."""
        return self._named("coordinates")

    @property
    def speeds(self) -> tuple[str, ...]:
        """Names of the numbers in u."""
        return self._named("speeds")

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of states of forces, such as the current of a motor."""
        return self._named("states")

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies, in the order of `poses`."""
        return self._named("bodies")

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return self._named("columns")

    # ---- the state -------------------------------------------------------------------------------------------------

    @property
    def q(self) -> NDArray[np.float64]:
        """Coordinates; a view."""
        if self._q is None:
            import numpy as np

            self._q = np.asarray(self._view("q"))
        return self._q

    @property
    def u(self) -> NDArray[np.float64]:
        """Speeds; a view."""
        if self._u is None:
            import numpy as np

            self._u = np.asarray(self._view("u"))
        return self._u

    @property
    def states(self) -> NDArray[np.float64]:
        """States of forces; a view."""
        if self._states is None:
            import numpy as np

            self._states = np.asarray(self._view("states"))
        return self._states

    @property
    def y(self) -> NDArray[np.float64]:
        """(q, u, states), a copy."""
        import numpy as np

        return np.concatenate((self.q, self.u, self.states))

    @property
    def poses(self) -> NDArray[np.float64]:
        """Poses of all bodies, a row each: x y angle in the plane, x y z and a unit quaternion, scalar first, in space.

        They are computed when they are asked for, into memory that stays the same.
        """
        found = self._poses()
        if self._pose is None:
            import numpy as np

            self._pose = np.asarray(found)
        return self._pose

    def set(
        self,
        q: ArrayLike | None = None,
        u: ArrayLike | None = None,
        *,
        t: float | None = None,
        states: ArrayLike | None = None,
        assemble: bool = True,
    ) -> None:
        """Another state. What is left out stays.

        `assemble`: make it consistent like a start; else it is taken as it is. Ledgers and the contract begin anew. A simulation that has
        stopped goes on from it.
        """
        if states is not None:
            self._set_state(states)
        self._set(self.t if t is None else t, q, u, assemble)

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters and their present values; `set_parameter` changes one."""
        return self._parameters()

    def channels(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Several channels at the present state, at the price of one."""
        import numpy as np

        return np.asarray(self._channels(names))

    @property
    def outputs(self) -> dict[str, float]:
        """The outputs of the model at the present state, by the names of their columns."""
        return dict(zip(self.columns, memoryview(self._outputs()), strict=True))

    # ---- equations -------------------------------------------------------------------------------------------------

    def at(
        self,
        q: ArrayLike | None = None,
        u: ArrayLike | None = None,
        t: float | None = None,
        states: ArrayLike | None = None,
    ) -> Equations:
        """The equations of motion at a state; what is left out is that of now. The simulation stays where it is."""
        from ._model import Equations

        return Equations(self, self._eval(t, q, u, states))

    def rates(self, t: float, y: ArrayLike) -> NDArray[np.float64]:
        """The rates of y = (q, u, states of forces) at t."""
        import numpy as np

        return np.asarray(self._rates(t, y))

    def coriolis(self) -> NDArray[np.float64]:
        """The Coriolis matrix H of Christoffel symbols: H u are the inertia forces, dM/dt - 2 H is skew-symmetric."""
        import numpy as np

        return np.asarray(self._coriolis())

    # ---- running ---------------------------------------------------------------------------------------------------

    def run(
        self,
        *,
        progress: bool | Callable[[float], object] | None = None,
        on_event: Callable[[str, float], object] | None = None,
        on_row: Callable[[float, NDArray[np.float64]], object] | None = None,
        record: bool = True,
    ) -> Result:
        """On to the end of the model's run, from wherever it is: see `Model.run`.

        `on_row`: a function of t and a row of outputs, which may read this simulation; it ends the run by returning False.
        """
        from ._result import finished

        bar = _bar(progress, self.model.info["until"])
        told = None if on_row is None else _with_array(on_row)
        try:
            rows, file, error = self._run(
                self.model.name, self.model._describe() if record else None, 0.05, bar, on_event, told
            )
        finally:
            close = getattr(bar, "close", None)
            if close is not None:
                close()
        return finished(self, rows, file, error)

    def rows(self, every: float | None = None, until: float | None = None) -> Iterator[dict[str, float]]:
        """Rows one by one: `for row in sim.rows(0.01): row["t"], row["tip.x"]`.

        The simulation stands at the time of the row, and may be read, set and switched between two of them.
        """
        info = self.model.info
        distance = info["every"] if every is None else every
        end = info["until"] if until is None else until
        first = self.t
        self.start()
        yield {"t": self.t, **self.outputs}
        k = 0
        while self.t < end * (1 - 1e-12):
            k += 1
            self.advance(min(end, first + k * distance))
            yield {"t": self.t, **self.outputs}

    def sampled(
        self,
        controller: Callable[[Simulation], object],
        period: float,
        *,
        until: float | None = None,
        every: float | None = None,
        record: bool = True,
    ) -> Result:
        """A run with a controller of its own clock: `controller(sim)` is called at 0, `period`, 2 `period` ..

        It reads channels and sets parameters (`sim.set_parameter`) or switches parts; what it sets is held until the next call. Steps end at
        these times, exactly, and no step goes over one. Python is called so often, whatever the steps of the integrator. Rows are at
        multiples of `every`, before the controller of the same time acts. It ends the run by returning False.
        """
        from ._result import sampled

        return sampled(self, controller, period, until, every, record)

    # ---- what it says of itself ------------------------------------------------------------------------------------

    @property
    def summary(self) -> dict[str, Any]:
        """How the run went so far: steps, violations, energy balance, facts .., as `tenon run --json` has it."""
        import json

        found: dict[str, Any] = json.loads(self._report("json", self.model.name))
        return found

    @property
    def report(self) -> str:
        """The same for people."""
        return self._report("text", self.model.name)

    @property
    def log(self) -> list[tuple[float, str, str]]:
        """What happened on the way: time, kind, text."""
        return self._events()

    @property
    def events(self) -> dict[str, int]:
        """Events of the model: how often each has happened."""
        return {name: count for name, count, *_ in self._fired()}

    # ---- copies ----------------------------------------------------------------------------------------------------

    def copy(self) -> Simulation:
        """Another simulation at the same state, which goes on to the same bits."""
        return _revive(self.model, self.save())

    def __copy__(self) -> Simulation:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, object]) -> Simulation:
        return self.copy()

    def __reduce__(self) -> tuple[object, ...]:
        return _revive, (self.model, self.save())

    def __repr__(self) -> str:
        return f"<tenon.Simulation of {self.model.name!r} at t = {self.t:g} s>"


def _with_array(on_row: Callable[[float, NDArray[np.float64]], object]) -> Callable[[float, _core.Array], object]:
    """The same function, of what the extension has."""
    import numpy as np

    return lambda t, row: on_row(t, np.asarray(row))


def _revive(model: Model, state: bytes) -> Simulation:
    """A simulation out of a saved state."""
    sim = Simulation(model)
    sim.load(state)
    return sim


def _bar(progress: bool | Callable[[float], object] | None, until: float) -> Callable[[float], object] | None:
    """A bar of tqdm if it is there, or a line of our own."""
    if progress is None or progress is False:
        return None
    if progress is not True:
        return progress
    return Bar(until, "s")


class Bar:
    """Progress on a terminal or in a notebook."""

    def __init__(self, whole: float, unit: str) -> None:
        self._whole, self._bar = whole, None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return
        shape = "{l_bar}{bar}| {n:.3g}/{total:.3g} {unit} [{elapsed}<{remaining}]"
        self._bar = tqdm(total=whole, unit=unit, bar_format=shape)

    def __call__(self, done: float, whole: float | None = None) -> None:
        import sys

        if self._bar is not None:
            self._bar.update(done - self._bar.n)
        else:
            sys.stderr.write(f"\r{100 * done / (whole or self._whole or 1):5.1f} %")
            sys.stderr.flush()

    def close(self) -> None:
        """Leave the line."""
        import sys

        if self._bar is not None:
            self._bar.close()
        else:
            sys.stderr.write("\r        \r")
