"""A mechanism built by calls: names and fields are completed by editors, and the file is what one would write."""

from __future__ import annotations

from ._parts import Joint, Parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Unpack

    from ._model import Model
    from ._parts import BodyFields, Number, Place, Vector
    from ._result import Result

__all__ = ["Body", "Joint", "Mechanism"]


class Body(str):
    """The name of a body; `body.channel("angle")` is that of a channel."""

    __slots__ = ()

    def channel(self, name: str) -> str:
        """A channel of it, such as `crank.angle`."""
        return f"{self}.{name}"


def _without_none(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


class Mechanism(Parts):
    """A model built by calls.

        b = tenon.Mechanism(2, gravity=[0, -9.81])
        A, B = b.point("A", [0, 0]), b.point("B", [0, 1])
        crank = b.rod("crank", A, B, mass=1.5)
        b.revolute("pin", b.ground, crank, at=A)
        r = b.model().run(until=2)

    There is a method for each type of joint and force; `b.to_dict()` and `b.text()` are the file that one would write by hand.
    """

    #: what does not move
    ground = Body("ground")

    def __init__(
        self,
        dimension: int = 2,
        *,
        title: str | None = None,
        gravity: Vector | None = None,
        coordinates: str | None = None,
        constants: Mapping[str, Number] | None = None,
    ) -> None:
        fields = {"tenon": 1, "dimension": dimension, "title": title, "gravity": gravity, "coordinates": coordinates}
        self._content: dict[str, Any] = _without_none(fields)
        for name, value in (constants or {}).items():
            self.constant(name, value)

    def _put(self, section: str, name: str, value: Any) -> None:
        names = self._content.setdefault(section, {})
        if name in names:
            from ._errors import UsageError

            raise UsageError(f"{section}: {name!r} is there already")
        names[name] = value

    # ---- numbers and places ----------------------------------------------------------------------------------------

    def constant(self, name: str, value: Number) -> str:
        """A number by name, for expressions; gives its name."""
        self._put("constants", name, value)
        return name

    def parameter(self, name: str, value: Number) -> str:
        """A number that events and `sim.set_parameter` change while it runs; gives its name."""
        self._put("parameters", name, value)
        return name

    def table(self, name: str, values: Sequence[Number]) -> str:
        """A list of numbers by name, for expressions; gives its name."""
        self._put("tables", name, list(values))
        return name

    def point(self, name: str, at: Vector) -> str:
        """A place in the world at the initial configuration; gives its name."""
        self._put("points", name, list(at))
        return name

    # ---- bodies ----------------------------------------------------------------------------------------------------

    def body(self, name: str, **fields: Unpack[BodyFields]) -> Body:
        """A rigid body or particle; see `tenon.schema()` and docs/model.md for its fields."""
        self._put("bodies", name, _without_none(fields))
        return Body(name)

    def rod(self, name: str, first: Place, second: Place, **fields: Unpack[BodyFields]) -> Body:
        """A uniform rod between two places: its frame is at the first, x towards the second."""
        return self.body(name, rod=[first, second], **fields)  # type: ignore[misc]

    # ---- parts -----------------------------------------------------------------------------------------------------

    def _joint(self, type: str, name: str, fields: dict[str, Any]) -> Joint:
        self._put("joints", name, {"type": type, **_without_none(fields)})
        return Joint(name)

    def _force(self, type: str, name: str, fields: dict[str, Any]) -> str:
        self._put("forces", name, {"type": type, **_without_none(fields)})
        return name

    # ---- the run ---------------------------------------------------------------------------------------------------

    def start(self, **values: Number) -> None:
        """Start values by channel: `b.start(**{"A.rate": "60*rpm"})`."""
        for name, value in values.items():
            self._put("start", name, value)

    def event(self, name: str, when: str, do: Any) -> str:
        """An event: `when` a condition becomes true, `do` "stop", "record", {"set": ..}, {"on": ..}, {"off": ..} or a list of these."""
        self._put("events", name, {"when": when, "do": do})
        return name

    def output(self, name: str, expression: str) -> str:
        """An output: a channel or a running expression."""
        self._put("outputs", name, expression)
        return name

    def settings(self, **run: Any) -> None:
        """Settings of the run, as in a file: until, every, method, integrator .."""
        self._content.setdefault("run", {}).update(run)

    # ---- what comes of it ------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The model as a dictionary, a copy."""
        import json

        from ._model import to_json

        found: dict[str, Any] = json.loads(to_json(self._content))
        return found

    def model(self, **settings: Any) -> Model:
        """The model. Keywords are those of `Model.using`."""
        from ._model import Model

        return Model(self._content, name=self._content.get("title", "mechanism"), **settings)

    def text(self) -> str:
        """The file that one would write."""
        return self.model().text()

    def run(self, **settings: Any) -> Result:
        """Simulate it: see `Model.run`."""
        return self.model().run(**settings)

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(self._content.get(k, {}))} {k}" for k in ("bodies", "joints", "forces"))
        return f"<tenon.Mechanism: {counts}>"
