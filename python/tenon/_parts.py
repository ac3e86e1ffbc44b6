"""Parts by type, with their fields: what `Mechanism` is made of.

Written by build_tools/generate.py from the tables that read models: `./dev reference`. Do not edit it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal, TypeAlias, TypedDict

    #: a number, or an expression such as "30*deg"
    Number: TypeAlias = float | str
    #: two numbers in the plane, three in space
    Vector: TypeAlias = Sequence[Number]
    #: the name of a point or body, or coordinates
    Place: TypeAlias = str | Sequence[Number]
    #: "x", "-y" .., or a vector
    Direction: TypeAlias = str | Sequence[Number]
    #: names of the kind method
    MethodName: TypeAlias = Literal["baumgarte-b1", "baumgarte-b2", "baumgarte-b3", "baumgarte-step",
        "braun-goldfarb", "direct", "fci", "fuzzy", "fuzzy-1", "fuzzy-2", "fuzzy-3", "gcpi", "nullspace", "project",
        "scpi", "udwadia-kalaba"]
    #: names of the kind formulation
    FormulationName: TypeAlias = Literal["augmented", "augmented-lagrangian", "constraint-inertia", "gauss",
        "nullspace", "partition"]
    #: names of the kind stabilizer
    StabilizerName: TypeAlias = Literal["adjust", "baumgarte", "baumgarte-adaptive", "discrete-multipliers",
        "embedded", "fuzzy", "input-output", "none", "penalty-staggered", "pid", "project"]
    #: names of the kind integrator
    IntegratorName: TypeAlias = Literal["ab1", "ab2", "ab3", "ab4", "ab5", "ab6", "ab7", "ab8", "abm", "am1", "am2",
        "am3", "am4", "am5", "am6", "am7", "am8", "am9", "ampc1", "ampc2", "ampc3", "ampc4", "ampc5", "ampc6",
        "ampc7", "ampc8", "arkode", "cvode-adams", "cvode-bdf", "dop853", "dopri5", "euler", "heun", "ida",
        "mampc1", "mampc2", "mampc3", "mampc4", "mampc5", "mampc6", "mampc7", "mampc8", "midpoint", "radau5", "rk4",
        "trbdf2"]
    #: names of the kind coordinates
    CoordinatesName: TypeAlias = Literal["euler-angles", "euler-parameters", "plane", "point", "quaternion",
        "swing", "vector"]

    class BodyFields(TypedDict, total=False):
        """Fields of a body."""

        #: required, except for a body whose freedom is all held by joints and drivers; kg
        mass: Number
        #: about the mass centre, in space [xx, yy, zz] or [xx, yy, zz, xy, xz, yz], entries of the tensor in body axes;
        #: required unless a shape gives it; kg m^2
        inertia: Number | Sequence[Number]
        #: in place of `mass`, with a shape; kg/m^3
        density: Number
        #: mass centre in body axes, the origin if left out; m
        center: Vector
        #: of the frame origin, that of the world if left out; m
        position: Place
        #: plane: of the frame, 0 if left out; rad
        angle: Number
        #: space: orientation as [w, x, y, z], of length 1
        quaternion: Sequence[Number]
        #: space: orientation as [direction, angle]; rad
        axis_angle: Sequence[Any]
        #: space: orientation by turns about the moving axes in the order written, {"zxz": [a, b, c]}; rad
        euler: Mapping[str, Any]
        #: space: orientation by two of the body's axes as world directions, {"x": .., "z": ..}
        axes: Mapping[str, Any]
        #: two places: a uniform rod, frame origin at the first, x axis to the second; in space with `section`, `radius`
        #: or `inertia`; m
        rod: Sequence[Place]
        #: space: thickness of a rod along its y and z axes; m
        section: Sequence[Number]
        #: space: of a round rod; m
        radius: Number
        #: space: lengths along x, y, z of a uniform box about the mass centre; m
        box: Sequence[Number]
        #: space: radius and length of a uniform cylinder about the mass centre, its axis z; m
        cylinder: Sequence[Number]
        #: space: radius of a uniform sphere about the mass centre; m
        sphere: Number
        #: point masses on top of mass, center and inertia
        lumps: Sequence[Mapping[str, Any]]
        #: what it looks like: `none`, a shape or a list of shapes; its own shape, or what its joints and inertia
        #: suggest, if left out
        draw: Literal["none"] | Mapping[str, Any] | Sequence[Mapping[str, Any]]
        #: `plane` if left out, in space `quaternion`
        coordinates: str | Mapping[str, Any]


class Joint(str):
    """The name of a joint; `joint.channel("angle")` is that of a channel."""

    def channel(self, name: str) -> str:
        """A channel of it, such as `A.angle`."""
        return f"{self}.{name}"


class Parts:
    """Methods that add a part, one for each type."""

    def _joint(self, type: str, name: str, fields: dict[str, Any]) -> Joint:
        raise NotImplementedError

    def _force(self, type: str, name: str, fields: dict[str, Any]) -> str:
        raise NotImplementedError

    def center_of_mass(
        self,
        name: str,
        *,
        bodies: Sequence[str],
        axis: Direction,
        value: Number,
        active: bool | None = None,
        actuators: Sequence[str | Mapping[str, Any]] | None = None,
        **own: Any,
    ) -> Joint:
        """The common mass centre of bodies, along an axis, is fixed or follows a function of time.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        actuators: one for each row: it is kept by an effort along this channel, not along the row itself; may be
            left out
        bodies: the bodies whose common mass centre is meant
        axis: direction along which it is seen, fixed in the world
        value: its place along the axis: a number or a function of t; m
        """
        return self._joint("center-of-mass", name, {
            "bodies": bodies,
            "axis": axis,
            "value": value,
            "active": active,
            "actuators": actuators,
            **own,
        })

    def constant_velocity(
        self,
        name: str,
        first: str,
        second: str,
        *,
        axes: Sequence[Direction],
        active: bool | None = None,
        at: Place | None = None,
        on_bodies: Sequence[Vector] | None = None,
        **own: Any,
    ) -> Joint:
        """Shafts along `axes`, the first fixed in the first body, the second in the second, meet in a point and turn at
        the same rate.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        at: its place, in the world at the given pose; m; may be left out
        on_bodies: its place in the axes of each of the two; m; may be left out
        axes: two directions, in the world at the given pose: one fixed in the first, one in the second
        """
        return self._joint("constant-velocity", name, {
            "between": [first, second],
            "axes": axes,
            "active": active,
            "at": at,
            "on_bodies": on_bodies,
            **own,
        })

    def constraint(
        self,
        name: str,
        *,
        active: bool | None = None,
        actuators: Sequence[str | Mapping[str, Any]] | None = None,
        value: Number | None = None,
        rate: Number | None = None,
        unit: Literal["auto", "m", "m^2", "rad", "1"] | None = None,
        scale: Number | None = None,
        **own: Any,
    ) -> Joint:
        """An equation written by the user, of coordinates, points, axes, rates and time.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        actuators: one for each row: it is kept by an effort along this channel, not along the row itself; may be
            left out
        value: what is kept at 0, of a holonomic constraint: a smooth function of coordinates, position(..),
            axis(..) and t; may be left out
        rate: or what is kept at 0 of a nonholonomic one: linear in rates, velocity(..) and omega(..); may be left
            out
        unit: of `value`, or of the integral of `rate`; `auto`: as far as it follows from the expression, else none;
            may be left out
        scale: the size that the contract compares the equation with, in its unit; if left out the length of the
            assembly, twice its square for m^2, and else 1; may be left out
        """
        return self._joint("constraint", name, {
            "active": active,
            "actuators": actuators,
            "value": value,
            "rate": rate,
            "unit": unit,
            "scale": scale,
            **own,
        })

    def coordinate(
        self,
        name: str,
        *,
        terms: Mapping[str, Any],
        value: Number,
        active: bool | None = None,
        actuators: Sequence[str | Mapping[str, Any]] | None = None,
        **own: Any,
    ) -> Joint:
        """A linear combination of coordinates is fixed or follows a function of time.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        actuators: one for each row: it is kept by an effort along this channel, not along the row itself; may be
            left out
        terms: coefficient of each coordinate channel in the sum
        value: what the sum equals: a number or a function of t; m or rad
        """
        return self._joint("coordinate", name, {
            "terms": terms,
            "value": value,
            "active": active,
            "actuators": actuators,
            **own,
        })

    def cylindrical(
        self,
        name: str,
        first: str,
        second: str,
        *,
        active: bool | None = None,
        at: Place | None = None,
        on_bodies: Sequence[Vector] | None = None,
        axis: Direction | None = None,
        axis_on_bodies: Sequence[Direction] | None = None,
        **own: Any,
    ) -> Joint:
        """A sleeve on a shaft: the second body turns about and moves along `axis`, fixed in the first.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        at: its place, in the world at the given pose; m; may be left out
        on_bodies: its place in the axes of each of the two; m; may be left out
        axis: direction, in the world at the given pose; may be left out
        axis_on_bodies: in place of `axis`: the direction in the axes of each of the two; may be left out
        """
        return self._joint("cylindrical", name, {
            "between": [first, second],
            "active": active,
            "at": at,
            "on_bodies": on_bodies,
            "axis": axis,
            "axis_on_bodies": axis_on_bodies,
            **own,
        })

    def distance(
        self,
        name: str,
        first: str,
        second: str,
        *,
        active: bool | None = None,
        at: Sequence[Place | None] | None = None,
        on_bodies: Sequence[Place | None] | None = None,
        length: Number | None = None,
        form: Literal["length", "squared"] | None = None,
        **own: Any,
    ) -> Joint:
        """Two places at a constant distance: a massless rod.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        at: two places, in the world at the given pose; m; may be left out
        on_bodies: two places, each in the axes of its body; m; may be left out
        length: distance kept; that of the given pose if left out; m; may be left out
        form: whether the row is a length or a squared length; may be left out
        """
        return self._joint("distance", name, {
            "between": [first, second],
            "active": active,
            "at": at,
            "on_bodies": on_bodies,
            "length": length,
            "form": form,
            **own,
        })

    def driver(
        self,
        name: str,
        *,
        on: str,
        value: Number,
        active: bool | None = None,
        actuators: Sequence[str | Mapping[str, Any]] | None = None,
        **own: Any,
    ) -> Joint:
        """A coordinate follows a function of time.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        actuators: one for each row: it is kept by an effort along this channel, not along the row itself; may be
            left out
        on: the coordinate channel that is driven
        value: its value: a number or a function of t; m or rad
        """
        return self._joint("driver", name, {
            "on": on,
            "value": value,
            "active": active,
            "actuators": actuators,
            **own,
        })

    def free(
        self,
        name: str,
        first: str,
        second: str,
        *,
        active: bool | None = None,
        at: Place | None = None,
        on_bodies: Sequence[Vector] | None = None,
        **own: Any,
    ) -> Joint:
        """Nothing is forbidden; with relative coordinates the second body has its own against the first.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        at: its place, in the world at the given pose; m; may be left out
        on_bodies: its place in the axes of each of the two; m; may be left out
        """
        return self._joint("free", name, {
            "between": [first, second],
            "active": active,
            "at": at,
            "on_bodies": on_bodies,
            **own,
        })

    def gear(
        self,
        name: str,
        first: str,
        second: str,
        *,
        teeth: Vector,
        active: bool | None = None,
        carrier: str | None = None,
        axis: Direction | None = None,
        internal: bool | None = None,
        form: Literal["velocity", "position", "rates"] | None = None,
        **own: Any,
    ) -> Joint:
        """Two wheels with teeth, each turning on the carrier, roll on one another; axes parallel, in space also
        meeting.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        carrier: the body that holds both, `ground` if left out; may be left out
        axis: direction, in the world at the given pose; may be left out
        teeth: numbers of teeth of the two wheels; any positive numbers in their ratio
        internal: whether the smaller wheel runs inside the larger, a ring; may be left out
        form: whether the row is on speeds at the pitch point, or on angles too: then teeth stay where they mesh at
            the given pose; or on rates alone: then the teeth do not push, and bearings carry nothing of theirs; may be
            left out
        """
        return self._joint("gear", name, {
            "between": [first, second],
            "teeth": teeth,
            "active": active,
            "carrier": carrier,
            "axis": axis,
            "internal": internal,
            "form": form,
            **own,
        })

    def knife_edge(
        self,
        name: str,
        first: str,
        second: str,
        *,
        axis: Direction,
        active: bool | None = None,
        at: Place | None = None,
        on_bodies: Sequence[Vector] | None = None,
        normal: Direction | None = None,
        **own: Any,
    ) -> Joint:
        """A blade of the second body at the place moves past the first only along `axis`, which is fixed in the second;
        in space it stays in a plane of the first.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        at: its place, in the world at the given pose; m; may be left out
        on_bodies: its place in the axes of each of the two; m; may be left out
        axis: direction, in the world at the given pose
        normal: direction, in the world at the given pose, fixed in the first; may be left out
        """
        return self._joint("knife-edge", name, {
            "between": [first, second],
            "axis": axis,
            "active": active,
            "at": at,
            "on_bodies": on_bodies,
            "normal": normal,
            **own,
        })

    def parallel(
        self,
        name: str,
        first: str,
        second: str,
        *,
        axes: Sequence[Direction],
        active: bool | None = None,
        **own: Any,
    ) -> Joint:
        """The first of `axes`, fixed in the first body, stays parallel to the second, fixed in the second.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        axes: two directions, in the world at the given pose: one fixed in the first, one in the second
        """
        return self._joint("parallel", name, {
            "between": [first, second],
            "axes": axes,
            "active": active,
            **own,
        })

    def perpendicular(
        self,
        name: str,
        first: str,
        second: str,
        *,
        axes: Sequence[Direction],
        active: bool | None = None,
        **own: Any,
    ) -> Joint:
        """The first of `axes`, fixed in the first body, stays perpendicular to the second, fixed in the second.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        axes: two directions, in the world at the given pose: one fixed in the first, one in the second
        """
        return self._joint("perpendicular", name, {
            "between": [first, second],
            "axes": axes,
            "active": active,
            **own,
        })

    def planar(
        self,
        name: str,
        first: str,
        second: str,
        *,
        normal: Direction,
        active: bool | None = None,
        at: Place | None = None,
        on_bodies: Sequence[Vector] | None = None,
        **own: Any,
    ) -> Joint:
        """Face on face: the second body slides on and turns in the plane normal to `normal`, fixed in the first.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        at: its place, in the world at the given pose; m; may be left out
        on_bodies: its place in the axes of each of the two; m; may be left out
        normal: direction, in the world at the given pose, fixed in the first
        """
        return self._joint("planar", name, {
            "between": [first, second],
            "normal": normal,
            "active": active,
            "at": at,
            "on_bodies": on_bodies,
            **own,
        })

    def point_on_line(
        self,
        name: str,
        first: str,
        second: str,
        *,
        active: bool | None = None,
        at: Place | None = None,
        on_bodies: Sequence[Vector] | None = None,
        axis: Direction | None = None,
        axis_on_bodies: Sequence[Direction] | None = None,
        **own: Any,
    ) -> Joint:
        """A point of the second body stays on the line along `axis` through the place, fixed in the first.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        at: its place, in the world at the given pose; m; may be left out
        on_bodies: its place in the axes of each of the two; m; may be left out
        axis: direction, in the world at the given pose; may be left out
        axis_on_bodies: in place of `axis`: the direction in the axes of each of the two; may be left out
        """
        return self._joint("point-on-line", name, {
            "between": [first, second],
            "active": active,
            "at": at,
            "on_bodies": on_bodies,
            "axis": axis,
            "axis_on_bodies": axis_on_bodies,
            **own,
        })

    def point_on_plane(
        self,
        name: str,
        first: str,
        second: str,
        *,
        normal: Direction,
        active: bool | None = None,
        at: Place | None = None,
        on_bodies: Sequence[Vector] | None = None,
        **own: Any,
    ) -> Joint:
        """A point of the second body stays in the plane normal to `normal` through the place, fixed in the first.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        at: its place, in the world at the given pose; m; may be left out
        on_bodies: its place in the axes of each of the two; m; may be left out
        normal: direction, in the world at the given pose, fixed in the first
        """
        return self._joint("point-on-plane", name, {
            "between": [first, second],
            "normal": normal,
            "active": active,
            "at": at,
            "on_bodies": on_bodies,
            **own,
        })

    def prismatic(
        self,
        name: str,
        first: str,
        second: str,
        *,
        active: bool | None = None,
        at: Place | None = None,
        on_bodies: Sequence[Vector] | None = None,
        axis: Direction | None = None,
        axis_on_bodies: Sequence[Direction] | None = None,
        **own: Any,
    ) -> Joint:
        """A slider: the second body moves along `axis`, fixed in the first, without turning.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        at: its place, in the world at the given pose; m; may be left out
        on_bodies: its place in the axes of each of the two; m; may be left out
        axis: direction, in the world at the given pose; may be left out
        axis_on_bodies: in place of `axis`: the direction in the axes of each of the two; may be left out
        """
        return self._joint("prismatic", name, {
            "between": [first, second],
            "active": active,
            "at": at,
            "on_bodies": on_bodies,
            "axis": axis,
            "axis_on_bodies": axis_on_bodies,
            **own,
        })

    def rack(
        self,
        name: str,
        first: str,
        second: str,
        *,
        radius: Number,
        direction: Direction,
        active: bool | None = None,
        carrier: str | None = None,
        axis: Direction | None = None,
        form: Literal["velocity", "position"] | None = None,
        **own: Any,
    ) -> Joint:
        """A pinion that turns on the carrier moves a straight rack along `direction`.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        carrier: the body that holds both, `ground` if left out; may be left out
        axis: direction, in the world at the given pose; may be left out
        radius: of the pitch circle of the pinion; m
        direction: the way the rack moves when the pinion turns forward, fixed in the carrier; it tells on which
            side of the pinion the rack is
        form: whether the row is on speeds, or on angle and way too; may be left out
        """
        return self._joint("rack", name, {
            "between": [first, second],
            "radius": radius,
            "direction": direction,
            "active": active,
            "carrier": carrier,
            "axis": axis,
            "form": form,
            **own,
        })

    def revolute(
        self,
        name: str,
        first: str,
        second: str,
        *,
        active: bool | None = None,
        at: Place | None = None,
        on_bodies: Sequence[Vector] | None = None,
        axis: Direction | None = None,
        axis_on_bodies: Sequence[Direction] | None = None,
        **own: Any,
    ) -> Joint:
        """A pin: a point in common; in space a hinge, with the line along `axis` in common.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        at: its place, in the world at the given pose; m; may be left out
        on_bodies: its place in the axes of each of the two; m; may be left out
        axis: direction, in the world at the given pose; may be left out
        axis_on_bodies: in place of `axis`: the direction in the axes of each of the two; may be left out
        """
        return self._joint("revolute", name, {
            "between": [first, second],
            "active": active,
            "at": at,
            "on_bodies": on_bodies,
            "axis": axis,
            "axis_on_bodies": axis_on_bodies,
            **own,
        })

    def rolling_disc(
        self,
        name: str,
        first: str,
        second: str,
        *,
        axis: Direction,
        radius: Number,
        active: bool | None = None,
        at: Place | None = None,
        on_bodies: Sequence[Vector] | None = None,
        normal: Direction | None = None,
        **own: Any,
    ) -> Joint:
        """A disc with a sharp rim, its axle along `axis`, rolls without slipping on a plane of the first body; `at` is
        its centre, and the plane is where the rim is at its lowest.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        at: its place, in the world at the given pose; m; may be left out
        on_bodies: its place in the axes of each of the two; m; may be left out
        axis: direction, in the world at the given pose
        normal: direction, in the world at the given pose, fixed in the first; may be left out
        radius: of the rim; m
        """
        return self._joint("rolling-disc", name, {
            "between": [first, second],
            "axis": axis,
            "radius": radius,
            "active": active,
            "at": at,
            "on_bodies": on_bodies,
            "normal": normal,
            **own,
        })

    def rolling_ellipsoid(
        self,
        name: str,
        first: str,
        second: str,
        *,
        semi_axes: Vector,
        active: bool | None = None,
        at: Place | None = None,
        on_bodies: Sequence[Vector] | None = None,
        normal: Direction | None = None,
        **own: Any,
    ) -> Joint:
        """An ellipsoid along the axes of the second body rolls without slipping on a plane of the first; `at` is its
        centre, and the plane is where it is at its lowest.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        at: its place, in the world at the given pose; m; may be left out
        on_bodies: its place in the axes of each of the two; m; may be left out
        normal: direction, in the world at the given pose, fixed in the first; may be left out
        semi_axes: half the lengths of its axes, along x, y and z of the second body; m
        """
        return self._joint("rolling-ellipsoid", name, {
            "between": [first, second],
            "semi_axes": semi_axes,
            "active": active,
            "at": at,
            "on_bodies": on_bodies,
            "normal": normal,
            **own,
        })

    def rolling_sphere(
        self,
        name: str,
        first: str,
        second: str,
        *,
        radius: Number,
        active: bool | None = None,
        at: Place | None = None,
        on_bodies: Sequence[Vector] | None = None,
        normal: Direction | None = None,
        **own: Any,
    ) -> Joint:
        """A ball rolls without slipping on a plane of the first body; `at` is its centre, and the plane touches it
        there.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        at: its place, in the world at the given pose; m; may be left out
        on_bodies: its place in the axes of each of the two; m; may be left out
        normal: direction, in the world at the given pose, fixed in the first; may be left out
        radius: of the ball; m
        """
        return self._joint("rolling-sphere", name, {
            "between": [first, second],
            "radius": radius,
            "active": active,
            "at": at,
            "on_bodies": on_bodies,
            "normal": normal,
            **own,
        })

    def screw(
        self,
        name: str,
        first: str,
        second: str,
        *,
        pitch: Number,
        active: bool | None = None,
        at: Place | None = None,
        on_bodies: Sequence[Vector] | None = None,
        axis: Direction | None = None,
        axis_on_bodies: Sequence[Direction] | None = None,
        **own: Any,
    ) -> Joint:
        """A thread: the second body turns about `axis`, fixed in the first, and moves along it by `pitch` in a turn.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        at: its place, in the world at the given pose; m; may be left out
        on_bodies: its place in the axes of each of the two; m; may be left out
        axis: direction, in the world at the given pose; may be left out
        axis_on_bodies: in place of `axis`: the direction in the axes of each of the two; may be left out
        pitch: way along the axis in a turn, positive for a right-handed thread; m
        """
        return self._joint("screw", name, {
            "between": [first, second],
            "pitch": pitch,
            "active": active,
            "at": at,
            "on_bodies": on_bodies,
            "axis": axis,
            "axis_on_bodies": axis_on_bodies,
            **own,
        })

    def spherical(
        self,
        name: str,
        first: str,
        second: str,
        *,
        active: bool | None = None,
        at: Place | None = None,
        on_bodies: Sequence[Vector] | None = None,
        **own: Any,
    ) -> Joint:
        """A ball joint: a point in common.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        at: its place, in the world at the given pose; m; may be left out
        on_bodies: its place in the axes of each of the two; m; may be left out
        """
        return self._joint("spherical", name, {
            "between": [first, second],
            "active": active,
            "at": at,
            "on_bodies": on_bodies,
            **own,
        })

    def universal(
        self,
        name: str,
        first: str,
        second: str,
        *,
        axes: Sequence[Direction],
        active: bool | None = None,
        at: Place | None = None,
        on_bodies: Sequence[Vector] | None = None,
        **own: Any,
    ) -> Joint:
        """A cardan joint: a point in common, the first of `axes`, fixed in the first body, stays perpendicular to the
        second, fixed in the second.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        at: its place, in the world at the given pose; m; may be left out
        on_bodies: its place in the axes of each of the two; m; may be left out
        axes: two directions, in the world at the given pose: one fixed in the first, one in the second
        """
        return self._joint("universal", name, {
            "between": [first, second],
            "axes": axes,
            "active": active,
            "at": at,
            "on_bodies": on_bodies,
            **own,
        })

    def weld(
        self,
        name: str,
        first: str,
        second: str,
        *,
        active: bool | None = None,
        at: Place | None = None,
        on_bodies: Sequence[Vector] | None = None,
        **own: Any,
    ) -> Joint:
        """No motion between the two.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        at: its place, in the world at the given pose; m; may be left out
        on_bodies: its place in the axes of each of the two; m; may be left out
        """
        return self._joint("weld", name, {
            "between": [first, second],
            "active": active,
            "at": at,
            "on_bodies": on_bodies,
            **own,
        })

    def bushing(
        self,
        name: str,
        *,
        between: Sequence[str],
        stiffness: Sequence[Number | Sequence[Number]],
        active: bool | None = None,
        at: Place | None = None,
        on_bodies: Sequence[Place | None] | None = None,
        axis: Direction | None = None,
        damping: Sequence[Number | Sequence[Number]] | None = None,
        **own: Any,
    ) -> str:
        """Springs and dampers along and about the axes of a place that two bodies share.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        between: names of two bodies, first and second
        at: where it acts, in the world at the given pose; m; may be left out
        on_bodies: two places, each in the axes of its body; m; may be left out
        axis: direction of its z axis (plane: x), in the world at the given pose; along the axes of the world if
            left out; may be left out
        stiffness: along its axes and then about them, in the plane 3 numbers, in space 6; or a symmetric matrix;
            N/m, N and N m/rad
        damping: likewise, none if left out; N s/m, N s and N m s/rad; may be left out
        """
        return self._force("bushing", name, {
            "between": between,
            "stiffness": stiffness,
            "active": active,
            "at": at,
            "on_bodies": on_bodies,
            "axis": axis,
            "damping": damping,
            **own,
        })

    def dc_motor(
        self,
        name: str,
        *,
        on: str,
        voltage: Number,
        k_torque: Number,
        resistance: Number,
        active: bool | None = None,
        k_emf: Number | None = None,
        inductance: Number | None = None,
        ratio: Number | None = None,
        rotor_inertia: Number | None = None,
        rotor_damping: Number | None = None,
        **own: Any,
    ) -> str:
        """A direct-current motor with a gear on a coordinate channel.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        on: what it acts on: a body or a coordinate channel
        voltage: a running expression; V
        k_torque: torque of the rotor for a current; N m/A
        k_emf: voltage against a turning rotor; `k_torque` if left out; V s/rad; may be left out
        resistance: of the winding; ohm
        inductance: of the winding; above 0 the current is a state; H; may be left out
        ratio: turns of the rotor for one of the coordinate; may be left out
        rotor_inertia: ratio^2 times this is added to the inertia of the coordinate; kg m^2; may be left out
        rotor_damping: viscous friction of the rotor; N m s/rad; may be left out
        """
        return self._force("dc-motor", name, {
            "on": on,
            "voltage": voltage,
            "k_torque": k_torque,
            "resistance": resistance,
            "active": active,
            "k_emf": k_emf,
            "inductance": inductance,
            "ratio": ratio,
            "rotor_inertia": rotor_inertia,
            "rotor_damping": rotor_damping,
            **own,
        })

    def force(
        self,
        name: str,
        *,
        on: str,
        value: Vector,
        active: bool | None = None,
        at: Place | None = None,
        on_body: Vector | None = None,
        axes: Literal["world", "body"] | None = None,
        **own: Any,
    ) -> str:
        """A force at a point of a body.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        on: what it acts on: a body or a coordinate channel
        at: where it acts, in the world at the given pose; m; may be left out
        on_body: where it acts, in body axes; m; may be left out
        value: components of the force, running expressions; N
        axes: whether they are along world or body axes; may be left out
        """
        return self._force("force", name, {
            "on": on,
            "value": value,
            "active": active,
            "at": at,
            "on_body": on_body,
            "axes": axes,
            **own,
        })

    def friction(
        self,
        name: str,
        *,
        on: str,
        active: bool | None = None,
        viscous: Number | None = None,
        coulomb: Number | None = None,
        mu: Number | None = None,
        radius: Number | None = None,
        speed: Number | None = None,
        **own: Any,
    ) -> str:
        """Viscous and dry friction along a coordinate channel, of a limit or of the load of the joint.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        on: what it acts on: a body or a coordinate channel
        viscous: in proportion to the rate; N s/m or N m s/rad; may be left out
        coulomb: limit of dry friction, whatever the load; N or N m; may be left out
        mu: on a joint's channel: dry friction of mu times the force in the joint, on an angle at the arm `radius`;
            may be left out
        radius: arm of that friction; on an angle, with `mu`; m; may be left out
        speed: of smoothing: dry friction is its limit times tanh(rate/speed); 0.01 if left out; m/s or rad/s; may
            be left out
        """
        return self._force("friction", name, {
            "on": on,
            "active": active,
            "viscous": viscous,
            "coulomb": coulomb,
            "mu": mu,
            "radius": radius,
            "speed": speed,
            **own,
        })

    def lag(
        self,
        name: str,
        *,
        value: Number,
        time_constant: Number,
        active: bool | None = None,
        on: str | None = None,
        **own: Any,
    ) -> str:
        """An actuator of first order: an effort, or a signal for others, that follows a command.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        on: what it acts on: a body or a coordinate channel; may be left out
        value: the command that the output follows, a running expression
        time_constant: of the lag; s
        """
        return self._force("lag", name, {
            "value": value,
            "time_constant": time_constant,
            "active": active,
            "on": on,
            **own,
        })

    def pid(
        self,
        name: str,
        *,
        target: Number,
        active: bool | None = None,
        on: str | None = None,
        of: Number | None = None,
        kp: Number | None = None,
        ki: Number | None = None,
        kd: Number | None = None,
        rate_of: Number | None = None,
        target_rate: Number | None = None,
        filter: Number | None = None,
        **own: Any,
    ) -> str:
        """A controller: proportional, integral, derivative; an effort, or a signal for others.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        on: what it acts on: a body or a coordinate channel; may be left out
        target: what `of` shall be, a running expression
        of: what is controlled, a running expression; the channel it acts on if left out; may be left out
        kp: gain of the error; may be left out
        ki: gain of its integral, which is a state; may be left out
        kd: gain of its rate; may be left out
        rate_of: the rate of `of`; that of the channel if both are left out; may be left out
        target_rate: the rate of `target`; 0 if left out; may be left out
        filter: the rate of the error is taken from the error, behind a lag of this time; s; may be left out
        """
        return self._force("pid", name, {
            "target": target,
            "active": active,
            "on": on,
            "of": of,
            "kp": kp,
            "ki": ki,
            "kd": kd,
            "rate_of": rate_of,
            "target_rate": target_rate,
            "filter": filter,
            **own,
        })

    def spring(
        self,
        name: str,
        *,
        stiffness: Number,
        active: bool | None = None,
        on: str | None = None,
        between: Sequence[str] | None = None,
        at: Sequence[Place | None] | None = None,
        on_bodies: Sequence[Place | None] | None = None,
        length: Number | None = None,
        rest: Number | None = None,
        damping: Number | None = None,
        **own: Any,
    ) -> str:
        """A spring with damping between two places, or along a coordinate channel.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        on: what it acts on: a body or a coordinate channel; may be left out
        between: names of two bodies, first and second; may be left out
        at: where it acts, in the world at the given pose; m; may be left out
        on_bodies: two places, each in the axes of its body; m; may be left out
        stiffness: stiffness; 0 for a damper alone; N/m or N m/rad
        length: length at rest, between places; that of the given pose if left out; m; may be left out
        rest: value at rest, on a channel; 0 if left out; m or rad; may be left out
        damping: viscous damping; N s/m or N m s/rad; may be left out
        """
        return self._force("spring", name, {
            "stiffness": stiffness,
            "active": active,
            "on": on,
            "between": between,
            "at": at,
            "on_bodies": on_bodies,
            "length": length,
            "rest": rest,
            "damping": damping,
            **own,
        })

    def torque(
        self,
        name: str,
        *,
        on: str,
        value: Number,
        active: bool | None = None,
        about: Direction | None = None,
        axes: Literal["world", "body"] | None = None,
        **own: Any,
    ) -> str:
        """A torque on a body, or an effort along a coordinate channel.

        active: whether it acts when the run begins, true if left out; with this key it can be switched; may be left
            out
        on: what it acts on: a body or a coordinate channel
        value: the torque (on a shift: the force), a running expression; N m
        about: direction of the torque on a body, right hand; may be left out
        axes: whether `about` is along world or body axes; may be left out
        """
        return self._force("torque", name, {
            "on": on,
            "value": value,
            "active": active,
            "about": about,
            "axes": axes,
            **own,
        })

