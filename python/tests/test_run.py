"""Runs: rows are those of the program, to the last bit; results are arrays, tables, files and pages."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tenon


@pytest.mark.filterwarnings("ignore::tenon.ModelWarning")
@pytest.mark.parametrize("name", ["four_bar", "heavy_top", "hoang_pd", "clutch", "door"])
def test_rows_are_those_of_the_program(name: str, root: Path, program: Path, tmp_path: Path) -> None:
    out = tmp_path / "rows.csv"
    subprocess.run(
        [program, "run", root / "models" / f"{name}.json", "--until", "1", "-q", "-o", out, "--accept-doubt"], check=True
    )
    theirs = np.genfromtxt(out, delimiter=",", skip_header=1)
    ours = tenon.example(name).run(until=1)
    assert ours.rows.shape == theirs.shape
    assert (ours.rows == theirs).all()


def test_settings_and_constants_by_name(four_bar: tenon.Model) -> None:
    r = four_bar.run(until=0.5, every=0.1, rho=3, method="baumgarte-step", integrator="rk4", step=1e-3)
    assert len(r) == 6
    assert "--method baumgarte-step" in r.model.settings or "baumgarte" in r.model.settings
    assert r.model.to_dict()["constants"]["rho"] == 3
    assert four_bar.to_dict()["constants"]["rho"] == 1.5


def test_outputs_are_arrays(four_bar: tenon.Model) -> None:
    r = four_bar.run(until=0.1)
    assert r["tip"].shape == (11, 2) and r["load"].shape == (11,) and r.t[-1] == 0.1
    assert (r["tip.y"] == r["tip"][:, 1]).all()
    assert r.keys() == ["tip", "load"] and "tip" in r and "tip.x" in r and "nothing" not in r
    assert r.units["load"] == "N"
    with pytest.raises(tenon.UsageError, match=r"there is no output 'lode'; there are tip, load"):
        r["lode"]


def test_numpy_arrays_share_the_memory_of_the_run(four_bar: tenon.Model) -> None:
    r = four_bar.run(until=0.1)
    assert r["tip"].base is not None and np.shares_memory(r["tip"], r.rows)


def test_other_outputs_start_and_changes(four_bar: tenon.Model) -> None:
    r = four_bar.run(until=0.1, outputs=["A.angle", "D.fx"], start={"A.rate": 3})
    assert r.columns == ("A_angle", "D_fx")
    heavier = four_bar.using(changes={"/bodies/crank/mass": 7, "/scene": None})
    assert heavier.to_dict()["bodies"]["crank"]["mass"] == 7
    assert "scene" not in heavier.to_dict()
    assert heavier.using(stabilize=["none"], formulation="augmented").info["stabilizers"] == ("none",)


def test_frame_and_xarray(four_bar: tenon.Model) -> None:
    pandas = pytest.importorskip("pandas")
    xarray = pytest.importorskip("xarray")
    r = four_bar.run(until=0.1)
    frame = r.frame()
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == ["tip.x", "tip.y", "load"]
    assert frame.index.name == "t" and (frame["load"].to_numpy() == r["load"]).all()
    data = r.xarray()
    assert isinstance(data, xarray.Dataset) and data["tip"].dims == ("t", "axis") and data["load"].attrs["units"] == "N"


def test_verdict_summary_and_report(four_bar: tenon.Model) -> None:
    r = four_bar.run(until=0.1)
    assert r.verdict == "trusted" and r.reasons == []
    assert r.summary["t_end"] == 0.1 and r.summary["verdict"] == "trusted"
    assert r.report.startswith("verdict: trusted\n")


def test_a_doubtful_run_warns_with_its_reasons(four_bar: tenon.Model) -> None:
    with pytest.warns(tenon.DoubtWarning, match=r"verdict of this run is doubtful: .*energy balance") as caught:
        r = four_bar.run(until=5, rtol=1e-5)
    assert r.verdict == "doubtful" and r.reasons and caught[0].filename == __file__


def test_a_broken_contract_raises_with_what_there_is(four_bar: tenon.Model) -> None:
    with pytest.raises(tenon.RunError, match="contract broken") as caught:
        four_bar.run(until=10, method="fci", rtol=1e-4)
    r = caught.value.result
    assert r is not None and 0 < len(r) < 1001 and r.verdict == "wrong" and caught.value.time > 0
    with pytest.warns(tenon.DoubtWarning, match="wrong"):
        assert len(four_bar.run(until=10, method="fci", rtol=1e-4, breach="record")) == 1001


def test_files(four_bar: tenon.Model, tmp_path: Path, program: Path) -> None:
    r = four_bar.run(until=0.2)
    for suffix in (".tnr", ".csv", ".svg", ".glb", ".npy"):
        r.save(tmp_path / ("r" + suffix))
    again = tenon.open(tmp_path / "r.tnr")
    assert (again.rows == r.rows).all() and again.verdict == "trusted" and again.columns == r.columns
    assert again.summary["verdict"] == "trusted" and again.model.info["bodies"] == 3
    assert (np.load(tmp_path / "r.npy") == r.rows).all()
    shown = subprocess.run([program, "show", tmp_path / "r.tnr"], capture_output=True, text=True, check=True)
    assert tenon.Model(shown.stdout) == r.model
    assert r.poses(0.1).startswith("<svg") or "<svg" in r.poses(0.1)
    with pytest.raises(tenon.UsageError, match=r"not '\.xls'"):
        r.save(tmp_path / "r.xls")


def test_damaged_files(four_bar: tenon.Model, tmp_path: Path) -> None:
    path = tmp_path / "r.tnr"
    four_bar.run(until=0.2).save(path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 2 // 3])
    with pytest.raises(tenon.FileError):
        tenon.open(path)
    with pytest.warns(tenon.DoubtWarning):
        r = tenon.open(path, recover=True)
    assert r.columns == ("tip.x", "tip.y", "load")
    path.write_bytes(b"nothing")
    with pytest.raises(tenon.FileError):
        tenon.open(path)
    with pytest.raises(tenon.FileError, match="nowhere"):
        tenon.open(tmp_path / "nowhere.tnr")


def test_pages(four_bar: tenon.Model) -> None:
    from tenon import _core

    r = four_bar.run(until=0.2)
    if _core.pages_missing():
        with pytest.raises(tenon.UsageError):
            r.html()
    else:
        assert r.html().startswith("<!doctype html>")


def test_show_opens_a_browser(four_bar: tenon.Model, monkeypatch: pytest.MonkeyPatch) -> None:
    import webbrowser

    from tenon import _core

    if _core.pages_missing():
        pytest.skip("no pages")
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    four_bar.run(until=0.1).show()
    assert opened and Path(opened[0].removeprefix("file://")).read_text(encoding="utf-8").startswith("<!doctype html>")
    Path(opened[0].removeprefix("file://")).unlink()


def test_unrecorded_runs_have_no_motion(four_bar: tenon.Model) -> None:
    r = four_bar.run(until=0.1, record=False)
    assert len(r) == 11
    with pytest.raises(tenon.UsageError, match="not recorded"):
        r.html()


def test_plot(four_bar: tenon.Model) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = four_bar.run(until=0.1).plot("tip", "load")
    assert len(axes) == 2 and axes[0].get_ylabel() == "tip [m]" and axes[1].get_xlabel() == "t [s]"
    matplotlib.pyplot.close("all")


def test_pickles_and_copies(four_bar: tenon.Model) -> None:
    r = four_bar.run(until=0.1)
    again = pickle.loads(pickle.dumps(r))
    assert (again.rows == r.rows).all() and again.verdict == r.verdict and again.summary == r.summary
    assert pickle.loads(pickle.dumps(four_bar)) == four_bar
    assert copy.deepcopy(four_bar) is four_bar
    error = pickle.loads(pickle.dumps(pytest.raises(tenon.ModelError, tenon.Model, {"tenon": 1}).value))
    assert isinstance(error, tenon.ModelError) and error.message


def test_events_are_told(pendulum: tenon.Model) -> None:
    told: list[tuple[str, float]] = []
    r = pendulum.run(on_event=lambda name, t: told.append((name, t)))
    assert told and told[0][0] == "low"
    row = np.searchsorted(r.t, told[0][1])
    assert r["angle"][row - 1] > -1 > r["angle"][row] or abs(r["angle"][row - 1] + 1) < 1e-6
    stopped = pendulum.run(on_event=lambda name, t: False)
    assert stopped.t[-1] <= told[0][1] + 0.01 and isinstance(stopped.error, tenon.Stopped)


def test_an_exception_in_a_callback_is_raised(pendulum: tenon.Model) -> None:
    def fail(*_: object) -> None:
        raise LookupError("from a callback")

    with pytest.raises(LookupError, match="from a callback") as caught:
        pendulum.run(on_event=fail)
    assert caught.value.result is not None  # type: ignore[attr-defined]
    with pytest.raises(LookupError):
        pendulum.simulation().run(on_row=fail)


def test_rows_are_handed_out_while_it_runs(four_bar: tenon.Model) -> None:
    seen: list[float] = []
    sim = four_bar.simulation(until=0.1)
    r = sim.run(on_row=lambda t, row: seen.append(row[0]) or (t, sim["A.angle"]))
    assert (np.array(seen) == r["tip.x"]).all()
    with pytest.raises(RuntimeError, match="running"):
        again = four_bar.simulation(until=0.1)
        again.run(on_row=lambda t, row: again.run())
    with pytest.raises(tenon.UsageError, match="tn_sim_advance"):
        other = four_bar.simulation(until=0.1)
        other.run(on_row=lambda t, row: other.advance(5))


def test_progress(four_bar: tenon.Model) -> None:
    told: list[float] = []
    four_bar.run(until=10, rtol=1e-12, progress=told.append)
    assert told and all(0 < t <= 10 for t in told)
    r = four_bar.run(until=1000, progress=lambda t: False)
    assert r.t[-1] < 1000


def test_ctrl_c_ends_a_run_with_what_there_is() -> None:
    script = """
import os, signal, threading, tenon
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    tenon.example("four_bar").run(until=1e5, rtol=1e-10, progress=None)
except KeyboardInterrupt as stop:
    print("rows", len(stop.result) > 0, stop.result.t[-1] < 1e5)
try:
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    tenon.batch(tenon.example("four_bar"), {"rho": [1] * 1000}, until=100, threads=2)
except KeyboardInterrupt:
    print("batch")
sim = tenon.example("four_bar").simulation()
try:
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    sim.advance(1e5)
except KeyboardInterrupt:
    t = sim.t
    sim.advance(t + 0.1)
    print("goes on", 0 < t < 1e5)
"""
    done = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, timeout=50, check=False)
    assert done.stdout.split("\n")[:3] == ["rows True True", "batch", "goes on True"], done.stdout + done.stderr


def test_model_says_what_it_is(four_bar: tenon.Model) -> None:
    assert "3 bodies" in repr(four_bar) and four_bar.info["dimension"] == 2
    assert "degrees of freedom: 1" in four_bar.check()
    assert four_bar.text().startswith("{") and tenon.Model(four_bar.text()) == tenon.Model(four_bar.to_dict())
    assert '"repeat"' not in tenon.example("n_four_bar").expanded()
    assert four_bar.predictable_until(until=1) == 1


def test_result_files_hold_their_model(four_bar: tenon.Model, tmp_path: Path) -> None:
    four_bar.run(until=0.1, rho=2.5).save(tmp_path / "r.tnr")
    assert tenon.load(tmp_path / "r.tnr").to_dict()["constants"]["rho"] == 2.5
