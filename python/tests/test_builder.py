"""The builder makes the file that one would write, and knows every type that the library knows."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
import tenon


def crank_rocker() -> tenon.Mechanism:
    b = tenon.Mechanism(2, title="crank-rocker", gravity=[0, -9.81], constants={"rho": 1.5})
    places = {"A": [0, 0], "B": [0, 1], "C": [3, 2], "D": [4, 0]}
    A, B, C, D = (b.point(name, at) for name, at in places.items())
    crank = b.rod("crank", A, B, mass="rho*dist(A,B)")
    coupler = b.rod("coupler", B, C, mass="rho*dist(B,C)")
    rocker = b.rod("rocker", D, C, mass="rho*dist(D,C)")
    pin = b.revolute("A", b.ground, crank, at=A)
    b.revolute("B", crank, coupler, at=B)
    b.revolute("C", coupler, rocker, at=C)
    b.revolute("D", b.ground, rocker, at=D)
    b.start(**{pin.channel("rate"): "60*rpm"})
    b.output("tip", "position(coupler, C)")
    b.output("load", "norm(force(D))")
    b.settings(until=10, every=0.01, method="project", integrator={"type": "dopri5", "rtol": 1e-8})
    return b


def test_a_mechanism_is_the_model_of_the_file(four_bar: tenon.Model) -> None:
    b = crank_rocker()
    theirs = four_bar.to_dict()
    for key in ("bodies", "joints", "start", "outputs", "run", "points", "constants"):
        assert b.to_dict()[key] == theirs[key], key
    assert (b.run(until=1).rows == four_bar.run(until=1).rows).all()
    assert tenon.Model(b.text()) == b.model() and "3 bodies" in repr(b)


def test_names_are_given_once() -> None:
    b = crank_rocker()
    with pytest.raises(tenon.UsageError, match="'A' is there already"):
        b.revolute("A", b.ground, "crank", at=[0, 0])


def test_all_other_sections() -> None:
    b = tenon.Mechanism(2, gravity=[0, 0])
    push = b.parameter("push", 1)
    times, values = b.table("times", [0, 1]), b.table("values", [0, 1])
    slider = b.body("slider", mass=1, inertia=1)
    b.prismatic("rail", b.ground, slider, at=[0, 0], axis="x")
    b.torque("motor", on="rail.shift", value=f"{push}*table({times}, {values}, t)")
    b.event("late", when="rail.shift > 0.1", do="stop")
    r = b.run(until=2)
    assert r.t[-1] < 2 and slider.channel("x") == "slider.x"


def test_every_type_has_its_method() -> None:
    from tenon import _core

    for kind in ("joint", "force"):
        for name in _core.names(kind):
            method: Any = getattr(tenon.Mechanism, name.replace("-", "_"))
            assert method.__doc__ and "name" in inspect.signature(method).parameters


def test_the_generated_file_is_up_to_date(root: Path) -> None:
    import importlib.util

    spec = importlib.util.spec_from_file_location("generate", root / "python" / "build_tools" / "generate.py")
    assert spec and spec.loader
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    written = (root / "python" / "tenon" / "_parts.py").read_text(encoding="utf-8")
    assert generate.generate() == written, "./dev reference"


def test_everything_public_has_a_docstring() -> None:
    for name in tenon.__all__:
        value = getattr(tenon, name)
        if name == "__version__":
            continue
        assert value.__doc__, name
        if inspect.isclass(value) and value.__module__.startswith("tenon"):
            for member, found in vars(value).items():
                if not member.startswith("_") and (inspect.isfunction(found) or isinstance(found, property)):
                    assert found.__doc__, f"{name}.{member}"
    from tenon import _core

    for owner in (_core, *[v for v in vars(_core).values() if inspect.isclass(v)]):
        for member, found in vars(owner).items():
            if callable(found) and not member.startswith("__"):
                assert found.__doc__, member
