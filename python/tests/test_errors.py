"""Errors are exceptions with a place and a hint, remarks are warnings."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import tenon


def test_place_and_hint_of_a_file(tmp_path: Path, program: Path) -> None:
    path = tmp_path / "leg.json"
    path.write_text('{"tenon": 1, "dimension": 2,\n "bodies": {"b": {"mas": 1}}}')
    with pytest.raises(tenon.ModelError) as caught:
        tenon.load(path)
    e = caught.value
    assert (e.file, e.line, e.column) == (str(path), 2, 19) and e.hint == "did you mean 'mass'?" and e.pointer == "/bodies/b/mas"
    said = subprocess.run([program, "check", path], capture_output=True, text=True, check=False)
    assert str(e) in said.stderr


def test_places_survive_settings(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text('{"tenon": 1, "dimension": 2, "constants": {"k": 1},\n "bodies": {"b": {"mass": "k", "inertia": 1}}}')
    m = tenon.load(path)
    with pytest.raises(tenon.ModelError, match="must not be negative") as caught:
        m.using(k=-1)
    assert caught.value.line == 2


def test_unknown_names_are_answered_with_the_nearest(four_bar: tenon.Model) -> None:
    with pytest.raises(tenon.UsageError, match="did you mean 'A.angle'"):
        four_bar.simulation()["A.angel"]
    with pytest.raises(tenon.UsageError, match="no constant or parameter 'rh'"):
        four_bar.run(rh=3)
    with pytest.raises(tenon.ModelError, match="did you mean 'project'"):
        four_bar.run(method="projct")
    with pytest.raises(tenon.UsageError, match="there is no example 'for_bar'"):
        tenon.example("for_bar")
    assert issubclass(tenon.UsageError, ValueError) and issubclass(tenon.RunError, RuntimeError)


def test_files_that_are_not_there() -> None:
    with pytest.raises(FileNotFoundError):
        tenon.load("nowhere.json")


def test_remarks_are_warnings_at_the_callers_line() -> None:
    model = {"tenon": 1, "dimension": 2, "bodies": {"arm": {"rod": [[0, 0], [1, 0]], "mass": 1}}}
    model["joints"] = {"pin": {"type": "revolute", "between": ["ground", "arm"], "at": [0, 0]}}
    with pytest.warns(tenon.ModelWarning, match="gravity") as caught:
        m = tenon.Model(model)
    assert caught[0].filename == __file__
    assert m.warnings


@pytest.mark.parametrize("bad", [1, None, [], "{", b"\xff\xfe", {"tenon": float("nan")}, {"tenon": object()}])
def test_what_is_no_model_is_refused(bad: object) -> None:
    with pytest.raises((tenon.ModelError, TypeError, ValueError)):
        tenon.Model(bad)  # type: ignore[arg-type]


def test_wrong_arguments(four_bar: tenon.Model) -> None:
    sim = four_bar.simulation()
    with pytest.raises(ValueError, match="q: 9 numbers are needed, not 2"):
        sim.set([1, 2])
    with pytest.raises(TypeError):
        sim.set("abc")
    with pytest.raises(tenon.UsageError, match="cannot go back"):
        sim.advance(1)
        sim.advance(0.5)
    with pytest.raises(tenon.UsageError, match="finite"):
        sim.advance(float("nan"))
    with pytest.raises(tenon.FileError):
        sim.load(b"nothing")
    with pytest.raises(TypeError):
        tenon.Simulation(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="read-only"):
        memoryview(sim._view("q"))[0] = 1.0
