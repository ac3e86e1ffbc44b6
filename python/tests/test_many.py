"""Batches, comparisons, studies, sweeps."""

from __future__ import annotations

import numpy as np
import pytest
import tenon


def test_a_batch_is_its_runs_for_any_number_of_threads(four_bar: tenon.Model) -> None:
    values = {"rho": [1, 1.5, 2, 4], "start.A.rate": [5, 6, 7, 8]}
    one, two = (tenon.batch(four_bar, values, until=0.5, threads=n) for n in (1, 3))
    assert one.values.tobytes() == two.values.tobytes() and one["tip"].shape == (4, 51, 2)
    for i in range(4):
        r = four_bar.run(until=0.5, rho=values["rho"][i], start={"A.rate": values["start.A.rate"][i]})
        assert (one["load"][i] == r["load"]).all()
    assert (one.t == r.t).all() and one.verdicts == ["trusted"] * 4 and not one.failures


def test_failures_are_masked(four_bar: tenon.Model) -> None:
    b = tenon.batch(four_bar, {"rho": [1, -1]}, outputs=["A.angle"], until=0.2)
    assert b["A_angle"].mask.tolist() == [[False] * 21, [True] * 21]
    assert list(b.failures) == [1] and "negative" in b.failures[1]
    assert b.table[1]["failure"] == b.failures[1] and b.table["rho"] == [1, -1]
    assert np.isfinite(b["A_angle"].mean())


def test_one_value_for_all_and_grids(four_bar: tenon.Model) -> None:
    b = tenon.batch(four_bar, {"rho": 2, "start.A.rate": [1, 2, 3]}, until=0.1)
    assert len(b) == 3 and (b.parameters["rho"] == 2).all()
    assert tenon.grid(a=[1, 2], b=[3, 4]) == {"a": [1, 1, 2, 2], "b": [3, 4, 3, 4]}
    with pytest.raises(ValueError, match="values are needed"):
        tenon.batch(four_bar, {"rho": [1, 2], "start.A.rate": [1, 2, 3]})
    with pytest.raises(ValueError):
        tenon.batch(four_bar, {"rho": [[1, 2]]})
    assert tenon.batch(four_bar, {"nonsense": [1]}, until=0.1).failures[0]
    assert len(tenon.batch(four_bar, {}, until=0.1)) == 1


def test_runs_of_other_lengths(four_bar: tenon.Model) -> None:
    b = tenon.batch(four_bar, {"/run/until": [0.1, 0.2]})
    assert b["load"].count(axis=1).tolist() == [11, 21] and len(b.t) == 21


def test_tables_of_a_batch(four_bar: tenon.Model) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("xarray")
    b = tenon.batch(four_bar, {"rho": [1, 2]}, until=0.1)
    assert b.frame().shape[0] == 2 and b.xarray()["load"].shape == (2, 11)


def test_an_exception_in_progress_ends_a_batch(four_bar: tenon.Model) -> None:
    def fail(done: int, all: int) -> None:
        raise LookupError(f"{done} of {all}")

    with pytest.raises(LookupError, match="of 20"):
        tenon.batch(four_bar, {"rho": [1.0] * 20}, until=0.1, progress=fail, threads=1)
    with pytest.raises(tenon.Stopped):
        tenon.batch(four_bar, {"rho": [1.0] * 20}, until=0.1, progress=lambda done, all: False, threads=1)


def test_compare(four_bar: tenon.Model) -> None:
    c = tenon.compare(four_bar, ["project", "baumgarte-step"], ["rk4"], step=[0.005], until=0.3)
    assert c["method"] == ["project", "baumgarte-step"] and all(x < 1e-3 for x in c["error"]) and c.recommendation
    assert "project" in c.text() and "project" in repr(c) and "<table>" in c._repr_html_()
    assert len(c.where(method="project")) == 1
    with pytest.raises(tenon.UsageError):
        tenon.compare(four_bar, ["projct"], until=0.3)
    with pytest.raises(ValueError, match="not both"):
        tenon.compare(four_bar, rtol=[1e-3], step=[1e-3])


def test_tune(pendulum: tenon.Model) -> None:
    found = tenon.tune(tenon.example("four_bar"), "baumgarte", budget=10, until=0.3)
    assert len(found) >= 4 and found.found


def test_sweep(tmp_path: object, pendulum: tenon.Model) -> None:
    content = {
        "sweep": 1,
        "run": {"until": 0.5, "set": {"/parameters/push": "{push}"}},
        "vary": {"push": [1, 2, 3]},
        "measures": {"last": {"expression": "pin.angle", "take": "final"}},
    }
    s = tenon.sweep(content, model=pendulum)
    assert s["push"] == [1, 2, 3] and len(set(s["last"])) == 3 and "push" in s.csv()


def test_reproduce() -> None:
    assert "wu2000" in tenon.studies()
    s = tenon.reproduce("hoang2023", "sec4", quick=True)
    assert len(s) and s.found and s.text()
