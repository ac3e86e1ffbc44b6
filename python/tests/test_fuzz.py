"""Calls with arguments that make no sense, in any order: an exception or a result, and never a crash.

100 examples each in `./dev test`, 10,000 in `./dev test long`. A crash of the interpreter ends pytest, which counts as a failure.
"""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import tenon
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tenon import _core

FEW, MANY = 100, 10_000
#: what a call may raise; anything else is a mistake of the package
GOOD = (tenon.Error, TypeError, ValueError, OverflowError, BufferError, KeyError, AttributeError, RuntimeError, MemoryError, OSError)

NAMES = ["A.angle", "A.rate", "tip", "load", "crank", "rho", "t", "", "/", "a/b", "\0", "é", "x" * 300, "energy.total", "push", "start.A.rate"]
name = st.sampled_from(NAMES) | st.text(max_size=12)
number = st.floats() | st.integers(-3, 3) | st.sampled_from([1e308, -1e308, 5e-324, 0.0])
thing = st.recursive(
    st.none() | st.booleans() | number | name | st.binary(max_size=8),
    lambda inner: st.lists(inner, max_size=12) | st.dictionaries(name, inner, max_size=4),
    max_leaves=16,
)


def attempt(call: Any, *args: Any, **kwargs: Any) -> None:
    """Whatever comes of it, it is not a crash."""
    try:
        call(*args, **kwargs)
    except GOOD:
        pass


METHODS = ["advance", "channel", "is_on", "load", "switch", "set_parameter", "_set", "_set_state", "_remember", "_view", "_channels",
           "_names", "_eval", "_rates", "_report", "_poses", "_outputs", "_coriolis", "save", "start", "_fired", "_events", "_drift",
           "_memory", "_parameters", "__getitem__"]  # fmt: skip


@st.composite
def calls(draw: st.DrawFn) -> list[tuple[str, list[Any]]]:
    """Methods of a simulation, with arguments that fit or not."""
    found = []
    for _ in range(draw(st.integers(1, 6))):
        method = draw(st.sampled_from(METHODS))
        if draw(st.booleans()):
            fitting = {"advance": [draw(st.floats(0, 0.05))], "channel": ["A.angle"], "_view": ["q"], "_set": [0.0, None, None, True]}
            found.append((method, fitting.get(method, [draw(thing)])))
        else:
            found.append((method, draw(st.lists(thing, max_size=4))))
    return found


def play(four_bar: tenon.Model, plan: list[tuple[str, list[Any]]]) -> None:
    sim = four_bar.simulation()
    views = [sim.q, sim.u]
    for method, args in plan:
        if method == "advance" and args and isinstance(args[0], int | float) and args[0] > 1:
            args = [1.0]  # it would only take long
        attempt(getattr(sim, method), *args)
    del sim
    assert all(len(v) == 9 for v in views)


def build(content: dict[str, Any], more: dict[str, Any]) -> None:
    try:
        m = tenon.Model({"tenon": 1, "dimension": 2, **content})
    except GOOD:
        return
    attempt(m.using, **more)
    attempt(pickle.dumps, m)
    attempt(copy.copy, m.simulation())


def describe(plan: list[tuple[str, list[Any]]]) -> None:
    desc = _core.Description()
    for method, args in plan:
        attempt(getattr(desc, method), *args)
    attempt(desc.compile)


DESCRIPTION = ["parse", "number", "text", "json", "part", "remove", "has", "settings", "print", "compile", "batch", "compare", "tune",
               "add_force"]  # fmt: skip
plans = st.lists(st.tuples(st.sampled_from(DESCRIPTION), st.lists(thing, max_size=5)), max_size=6)
contents = st.dictionaries(st.sampled_from(["bodies", "joints", "forces", "start", "outputs", "run", "gravity", "points"]), thing, max_size=4)
more = st.dictionaries(st.sampled_from(["until", "rho", "set", "start", "outputs", "changes", "stabilize", "method"]), thing, max_size=3)
QUIET = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large, HealthCheck.filter_too_much]
few = settings(max_examples=FEW, deadline=None, suppress_health_check=QUIET, database=None, derandomize=True)
many = settings(max_examples=MANY, deadline=None, suppress_health_check=QUIET, database=None)
pytestmark = pytest.mark.filterwarnings("ignore")


@few
@given(calls())
def test_simulations(four_bar: tenon.Model, plan: list[tuple[str, list[Any]]]) -> None:
    play(four_bar, plan)


@few
@given(contents, more)
def test_models(content: dict[str, Any], more: dict[str, Any]) -> None:
    build(content, more)


@few
@given(plans)
def test_descriptions(plan: list[tuple[str, list[Any]]]) -> None:
    describe(plan)


@pytest.mark.long
@many
@given(calls())
def test_many_simulations(four_bar: tenon.Model, plan: list[tuple[str, list[Any]]]) -> None:
    play(four_bar, plan)


@pytest.mark.long
@many
@given(contents, more)
def test_many_models(content: dict[str, Any], more: dict[str, Any]) -> None:
    build(content, more)


@pytest.mark.long
@many
@given(plans)
def test_many_descriptions(plan: list[tuple[str, list[Any]]]) -> None:
    describe(plan)
