"""What the Python package costs, and a batch of four-bars against MuJoCo's: run it like this.

    PYTHONPATH=build/python/site build/python/venv/bin/python bench/python.py [calls | batch]

The batch: 500 linkages with other start speeds, 10 s each, by two threads, in Tenon by `tenon.batch` and in MuJoCo by `mujoco.rollout` with
RK4. Each is run with the coarsest tolerance or step whose tip is off by at most 1e-3, 1e-4 or 1e-6 m against a reference of Tenon, in the mean over
some of the linkages. Loops of MuJoCo are closed by `connect`, whose time constant is two steps, the least that it allows.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import tenon

RUNS, END, EVERY, THREADS = 500, 10.0, 0.1, 2
MODEL = """
<mujoco>
  <option gravity="0 0 -9.81" integrator="RK4" timestep="{step}" iterations="100" tolerance="1e-14"/>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <body name="crank" pos="0 0 0">
      <joint type="hinge" axis="0 -1 0"/>
      <inertial pos="0 0 0.5" mass="{crank}" diaginertia="{crank_i} {crank_i} {crank_i}"/>
      <body name="coupler" pos="0 0 1">
        <joint type="hinge" axis="0 -1 0"/>
        <inertial pos="1.5 0 0.5" mass="{coupler}" diaginertia="{coupler_i} {coupler_i} {coupler_i}"/>
        <site name="tip" pos="3 0 1"/>
      </body>
    </body>
    <body name="rocker" pos="4 0 0">
      <joint type="hinge" axis="0 -1 0"/>
      <inertial pos="-0.5 0 1" mass="{rocker}" diaginertia="{rocker_i} {rocker_i} {rocker_i}"/>
    </body>
  </worldbody>
  <equality><connect body1="coupler" body2="rocker" anchor="3 0 1" solref="{solref} 1" solimp="0.9999 0.9999 0.001"/></equality>
  <sensor><framepos objtype="site" objname="tip"/></sensor>
</mujoco>
"""


def best(call: object, repeat: int = 5) -> float:
    """The least time of some."""
    found = np.inf
    for _ in range(repeat):
        start = time.perf_counter()
        call()  # type: ignore[operator]
        found = min(found, time.perf_counter() - start)
    return float(found)


def calls() -> None:
    """What calls cost beside what they do."""
    m, n, h = tenon.example("four_bar").using(integrator="rk4", step=1e-3), 2000, 1e-3

    def difference() -> float:
        one, many = m.simulation(), m.simulation()
        one.start()
        many.start()
        start = time.perf_counter()
        for k in range(1, n + 1):
            many.advance(k * h)
        middle = time.perf_counter()
        one.advance(n * h)
        return ((middle - start) - (time.perf_counter() - middle)) / n

    print(f"advance over one step, beside the step: {1e6 * min(difference() for _ in range(15)):.2f} us, the library's own share included")
    sim = tenon.example("n_four_bar", N=400).simulation()
    sim.start()
    sim.poses
    print(f"poses of {len(sim.bodies)} bodies: {1e6 * best(lambda: sim.poses, 200):.1f} us")
    sim = m.simulation()
    sim.advance(0.1)
    print(f"a channel: {1e6 * best(lambda: [sim['A.angle'] for _ in range(1000)], 20) / 1000:.2f} us")
    y, model = m.y0, m
    print(f"rates(t, y): {1e6 * best(lambda: [model.rates(0.0, y) for _ in range(1000)], 10) / 1000:.2f} us")


# ---- the batch -----------------------------------------------------------------------------------------------------------


def speeds() -> np.ndarray:
    """Start rates of the cranks, rad/s."""
    return np.linspace(5.5, 7.0, RUNS)


def tenon_batch(which: np.ndarray, threads: int = THREADS, **settings: object) -> np.ndarray:
    """Tips over time: runs x rows x 2."""
    m = tenon.example("four_bar", until=END, every=EVERY, outputs={"tip": "position(coupler, C)"}, **settings)
    return tenon.batch(m, {"start.A.rate": which}, threads=threads)["tip"].data


def mujoco_model(step: float) -> object:
    """The linkage of models/four_bar.json."""
    import mujoco

    rho, lengths = 1.5, {"crank": 1.0, "coupler": 10**0.5, "rocker": 5**0.5}
    words = {name: rho * length for name, length in lengths.items()}
    words.update({f"{name}_i": rho * length**3 / 12 for name, length in lengths.items()})
    return mujoco.MjModel.from_xml_string(MODEL.format(step=step, solref=2 * step, **words))


def mujoco_batch(model: object, which: np.ndarray, threads: int = THREADS) -> np.ndarray:
    """Tips over time: runs x rows x 2."""
    import mujoco
    from mujoco import rollout

    steps, skip = round(END / model.opt.timestep), round(EVERY / model.opt.timestep)  # type: ignore[attr-defined]
    data = [mujoco.MjData(model) for _ in range(threads)]
    found = []
    # speeds that fit the loop: those of the four-bar with the crank at 1 rad/s, by the geometry of the start
    fit = tenon.example("four_bar").simulation(start={"A.rate": 1})
    fit.start()
    u = np.array([fit["crank.rate"], fit["coupler.rate"] - fit["crank.rate"], fit["rocker.rate"]])
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    for part in np.array_split(which, max(1, len(which) * steps // 2_000_000)):
        start = np.zeros((len(part), size))
        start[:, 1 + 3 : 1 + 6] = part[:, None] * u
        _, sensors = rollout.rollout(model, data, start, nstep=steps)
        # a sensor belongs to the state before the step
        found.append(sensors[:, skip::skip, :][:, :, (0, 2)])
    return np.concatenate(found)


def batch() -> None:
    """Both at equal errors."""
    some = speeds()[:: RUNS // 10]
    truth = tenon_batch(some, integrator="dop853", rtol=1e-12, coordinates="relative")

    def off(tips: np.ndarray) -> float:
        rows = min(tips.shape[1], truth.shape[1] - 1)
        return float(np.sqrt(((tips[:, :rows] - truth[:, 1 : rows + 1]) ** 2).sum(axis=2)).max(axis=1).mean())

    ours = [
        {"integrator": i, "rtol": 10.0**-e, "coordinates": c}
        for e in (4.5, 5, 5.5, 6, 6.5, 7, 7.5, 8, 8.5, 9)
        for i in ("dopri5", "dop853", "abm")
        for c in ("absolute", "relative")
    ]
    errors = [off(tenon_batch(some, **s)[:, 1:]) for s in ours]
    theirs = [1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4]
    their_errors = [off(mujoco_batch(mujoco_model(h), some)) for h in theirs]
    print("MuJoCo: " + ", ".join(f"{h:g} s: {e:.1e} m" for h, e in zip(theirs, their_errors)))
    for accuracy in (1e-3, 1e-4, 1e-6):
        good = [s for s, e in zip(ours, errors) if e <= accuracy]
        times = [(best(lambda s=s: tenon_batch(some, **s), 2), str(s), s) for s in good]
        _, _, chosen = min(times)
        mine = best(lambda: tenon_batch(speeds(), **chosen), 1)
        steps = [h for h, e in zip(theirs, their_errors) if e <= accuracy]
        line = f"{accuracy:g} m: Tenon {chosen}: {RUNS / mine:.0f} runs/s"
        if steps:
            model = mujoco_model(max(steps))
            few = speeds()[:: 1 if max(steps) >= 1e-3 else 10]
            other = best(lambda: mujoco_batch(model, few), 1) * RUNS / len(few)
            line += f"; MuJoCo RK4 {max(steps):g} s: {RUNS / other:.0f} runs/s; {other / mine:.1f} times"
        else:
            line += "; MuJoCo: no step of these is as accurate"
        print(line, flush=True)


if __name__ == "__main__":
    for word in sys.argv[1:] or ["calls", "batch"]:
        {"calls": calls, "batch": batch}[word]()
