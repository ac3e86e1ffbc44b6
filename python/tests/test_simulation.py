"""Simulations: stepped, read, set, saved; views follow the state."""

from __future__ import annotations

import copy
import gc
import pickle
import threading

import numpy as np
import pytest
import tenon


def test_views_follow_and_keep_alive(four_bar: tenon.Model) -> None:
    sim = four_bar.simulation()
    q, u, poses = sim.q, sim.u, sim.poses
    sim.advance(0.3)
    assert sim.q is q and q[2] == sim["crank.angle"] and u[2] == sim["crank.rate"]
    assert sim.poses is poses and poses[0, 2] == sim["crank.angle"]
    assert not q.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        q[0] = 1
    before = q.copy()
    del sim
    gc.collect()
    assert (q == before).all()


def test_names(four_bar: tenon.Model, top: tenon.Model) -> None:
    sim = four_bar.simulation()
    assert sim.coordinates[2] == "crank.angle" and sim.speeds[2] == "crank.rate" and sim.bodies[0] == "crank"
    assert top.simulation().poses.shape == (1, 7)


def test_channels_are_those_asked_one_by_one(four_bar: tenon.Model) -> None:
    sim = four_bar.simulation()
    sim.advance(0.2)
    names = ["A.angle", "D.fx", "energy.total"]
    assert (sim.channels(names) == [sim[n] for n in names]).all()
    assert set(sim.outputs) == {"tip.x", "tip.y", "load"}


def test_advance_is_the_run_of_the_library(four_bar: tenon.Model) -> None:
    m = four_bar.using(integrator="rk4", step=1e-3, until=0.5, every=0.5)
    sim = m.simulation()
    for k in range(1, 501):
        sim.advance(k * 1e-3)
    assert abs(sim.outputs["tip.x"] - m.run()["tip.x"][-1]) < 1e-12


def test_set_and_restore(four_bar: tenon.Model) -> None:
    sim = four_bar.simulation()
    sim.advance(0.3)
    saved, q, u = sim.save(), sim.q.copy(), sim.u.copy()
    twin = four_bar.simulation()
    twin.load(saved)
    copied, deep, pickled = copy.copy(sim), copy.deepcopy(sim), pickle.loads(pickle.dumps(sim))
    for other in (sim, twin, copied, deep, pickled):
        other.advance(0.7)
        assert (other.q == sim.q).all()
    sim.set(q, u, t=0.3, assemble=False)
    assert sim.t == 0.3 and (sim.q == q).all()
    sim.set(u=-u)
    sim.advance(0.6)
    assert abs(sim["A.angle"]) < 1e-6  # forces are conservative: it goes back to its start


def test_parameters_and_switches(pendulum: tenon.Model) -> None:
    sim = pendulum.simulation()
    assert sim.parameters == {"push": 0}
    sim.set_parameter("push", 9.81)  # holds the arm
    sim.advance(0.5)
    assert abs(sim["pin.angle"]) < 1e-9 and sim.is_on("motor")
    sim.switch("motor", False)
    sim.advance(0.7)
    assert sim["pin.angle"] < -0.1 and not sim.is_on("motor")
    sim.advance(1.5)
    assert sim.events["low"] >= 1 and sim.log and sim.summary["t_end"] == 1.5 and sim.report


def test_rows_one_by_one(four_bar: tenon.Model) -> None:
    sim = four_bar.simulation(until=0.5)
    rows = list(sim.rows(0.1))
    assert [round(row["t"], 12) for row in rows] == [0, 0.1, 0.2, 0.3, 0.4, 0.5]
    assert rows[-1]["tip.x"] == pytest.approx(four_bar.run(until=0.5)["tip.x"][-1], abs=1e-9)


def test_a_sampled_controller_is_held(pendulum: tenon.Model) -> None:
    acted: list[float] = []

    def control(sim: tenon.Simulation) -> None:
        acted.append(sim.t)
        sim.set_parameter("push", 9.81 - 40 * sim["pin.angle"] - 10 * sim["pin.rate"])

    r = pendulum.simulation(start={"pin.angle": 0.5}, until=3).sampled(control, 0.01)
    assert len(acted) == 300 and acted[7] == pytest.approx(0.07) and len(r) == 301
    assert abs(r["angle"][-1]) < 0.06 and r.verdict == "trusted"
    assert (pendulum.simulation().sampled(lambda sim: False, 0.1).t <= 0.2).all()


def test_threads_have_simulations_of_their_own(four_bar: tenon.Model) -> None:
    found: dict[int, float] = {}

    def work(k: int) -> None:
        found[k] = float(four_bar.run(until=1)["tip.x"][-1])

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(set(found.values())) == 1 and len(found) == 4


def test_a_simulation_that_runs_belongs_to_its_thread(four_bar: tenon.Model) -> None:
    sim = four_bar.simulation(until=1e6)
    running, said = threading.Event(), []

    def watch(t: float) -> bool:
        running.set()
        return not said

    thread = threading.Thread(target=lambda: sim.run(progress=watch, record=False))
    thread.start()
    running.wait(30)
    for call in (lambda: sim["A.angle"], lambda: sim.advance(2e6), lambda: sim.poses, sim.run, sim.save):
        with pytest.raises(RuntimeError, match="another thread"):
            call()
    said.append(True)
    thread.join()
    assert sim["A.angle"]


# ---- equations -----------------------------------------------------------------------------------------------------------


def test_equations_hold(four_bar: tenon.Model) -> None:
    e = four_bar.at()
    assert np.allclose(e.M @ e.udot + e.A.T @ e.lam, e.f, atol=1e-9) and np.allclose(e.A @ e.udot, e.gamma, atol=1e-9)
    assert e.rank == 8 and e.holonomic == 8 and e.rows[0] == "A" and e.K.shape == (17, 17)
    sparse = pytest.importorskip("scipy.sparse")
    assert sparse.issparse(e.sparse("A")) and (e.sparse().toarray() == e.K).all()


def test_rates_are_those_of_the_equations(four_bar: tenon.Model) -> None:
    y = four_bar.y0
    e = four_bar.at(y[:9], 2 * y[9:], 0.1)
    rates = four_bar.rates(0.1, np.concatenate((y[:9], 2 * y[9:])))
    assert np.allclose(rates[:9], 2 * y[9:]) and np.allclose(rates[9:], e.udot, rtol=1e-9, atol=1e-9)
    assert len(four_bar.names) == 18


def test_solve_ivp_agrees_with_the_library(four_bar: tenon.Model) -> None:
    integrate = pytest.importorskip("scipy.integrate")
    found = integrate.solve_ivp(four_bar.rates, (0, 0.5), four_bar.y0, method="DOP853", rtol=1e-10, atol=1e-10)
    sim = four_bar.simulation(rtol=1e-11)
    sim.advance(0.5)
    assert np.abs(found.y[:9, -1] - sim.q).max() < 1e-7


def test_coriolis_is_skew(four_bar: tenon.Model) -> None:
    assert four_bar.simulation().coriolis().shape == (9, 9)


# ---- forces of Python ----------------------------------------------------------------------------------------------------


def test_a_law_in_python_is_the_same_law(pendulum: tenon.Model) -> None:
    spring = pendulum.using(changes={"/forces/motor/value": "-3*pin.angle - 0.2*pin.rate"})
    ours = pendulum.using(changes={"/forces": None, "/parameters": None}).add_force(
        "spring", lambda t, a, w: -3 * a - 0.2 * w, on="pin.angle", inputs=["pin.angle", "pin.rate"]
    )
    a, b = spring.run(), ours.run()
    assert np.abs(a["angle"] - b["angle"]).max() < 1e-12 and b.verdict == "trusted"
    assert b.summary["energy_balance"] < 1e-7


def test_a_wrench_on_a_body() -> None:
    m = tenon.Model({"tenon": 1, "dimension": 2, "gravity": [0, 0], "bodies": {"b": {"mass": 2, "inertia": 1}}})
    m = m.using(outputs=["b.x", "b.y", "b.angle"], until=1, every=0.5)
    r = m.add_force("push", lambda t: (2, 4, 3), on="b").run()
    assert np.allclose(r.rows[-1, 1:], [0.5, 1, 1.5], atol=1e-9)
    free = tenon.Model(
        {"tenon": 1, "dimension": 3, "gravity": [0, 0, 0], "bodies": {"b": {"mass": 2, "inertia": [1, 1, 1]}}}
    ).using(outputs=["b.x", "b.z"], until=1, every=0.5)
    r = free.add_force("push", lambda t: (2, 0, 4, 0, 0, 0), on="b").run()
    assert np.allclose(r.rows[-1, 1:], [0.5, 1], atol=1e-9)


def test_a_law_that_raises_ends_the_run(pendulum: tenon.Model) -> None:
    def law(t: float) -> float:
        if t > 0.3:
            raise LookupError("no law")
        return 0.0

    m = pendulum.add_force("f", law, on="pin.angle")
    with pytest.raises(LookupError, match="no law") as caught:
        m.run()
    assert len(caught.value.result) > 5  # type: ignore[attr-defined]
    with pytest.raises(LookupError):
        m.simulation().advance(1)
    with pytest.raises(TypeError):
        pendulum.add_force("f", lambda t: "a", on="pin.angle").run()
    with pytest.raises(ValueError, match="3 numbers are needed"):
        pendulum.add_force("f", lambda t: (1, 2), on="arm").run()


def test_a_law_of_c_by_its_address(pendulum: tenon.Model) -> None:
    import ctypes

    kind = ctypes.CFUNCTYPE(
        None, ctypes.c_double, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double)
    )

    @kind
    def law(t: float, x: "ctypes._Pointer[ctypes.c_double]", out: "ctypes._Pointer[ctypes.c_double]") -> None:
        out[0] = -3 * x[0]

    a = pendulum.add_force("f", law, on="pin.angle", inputs="pin.angle").run()
    b = pendulum.add_force("f", lambda t, x: -3 * x, on="pin.angle", inputs="pin.angle").run()
    assert (a.rows == b.rows).all()


def test_the_address_of_a_law_cannot_be_forged(pendulum: tenon.Model) -> None:
    m = pendulum.add_force("f", lambda t: 0.0, on="pin.angle")
    with pytest.raises(tenon.ModelError, match="part"):
        m.using(changes={"/forces/f/part": 12345})


def test_a_driver_from_a_function(four_bar: tenon.Model) -> None:
    import math

    m = four_bar.using(changes={"start.A.rate": None}).add_driver("turn", lambda t: 1 - math.cos(t), on="A.angle", until=2)
    r = m.run(until=2, outputs=["A.angle"])
    assert np.abs(r["A_angle"] - 1 + np.cos(r.t)).max() < 1e-7


def test_forces_of_python_in_a_batch(pendulum: tenon.Model) -> None:
    m = pendulum.add_force("f", lambda t, x: -3 * x, on="pin.angle", inputs="pin.angle")
    b = tenon.batch(m, {"push": [0, 1, 2]}, threads=2)
    assert (b["angle"][1] == m.run(push=1)["angle"]).all() and not b.failures
