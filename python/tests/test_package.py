"""What the package promises beside its functions: quick to import, cheap to call, no leaks, refusals in words."""

from __future__ import annotations

import gc
import subprocess
import sys
import time

import numpy as np
import pytest
import tenon
from tenon import _core


def run(script: str) -> str:
    done = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_numpy_is_imported_when_the_first_array_is_asked_for() -> None:
    assert run(
        "import sys, tenon; m = tenon.example('four_bar'); r = m.run(until=0.1); s = m.simulation(); s.advance(0.1); s['A.angle'];"
        "a = 'numpy' in sys.modules; r['tip']; print(a, 'numpy' in sys.modules)"
    ) == "False True"


def test_import_is_quick() -> None:
    """Beside the interpreter itself, and not beside what else the machine does: the best of some."""
    best = min(float(run("import time; t = time.perf_counter(); import tenon; print(time.perf_counter() - t)")) for _ in range(5))
    assert best < 0.02


def test_advance_costs_little_beside_the_step(four_bar: tenon.Model) -> None:
    """A call a step against one call for all: the difference is that of the calls, in Python and in the library."""
    m, n, h = four_bar.using(integrator="rk4", step=1e-3), 1000, 1e-3
    best = np.inf
    for _ in range(8):
        sim, other = m.simulation(), m.simulation()
        sim.start(), other.start()
        start = time.perf_counter()
        for k in range(1, n + 1):
            sim.advance(k * h)
        middle = time.perf_counter()
        other.advance(n * h)
        best = min(best, ((middle - start) - (time.perf_counter() - middle)) / n)
    assert best < 3e-6  # on a machine that does other things, too: docs/python.md has the figure


def test_poses_of_a_thousand_bodies_are_read_quickly() -> None:
    sim = tenon.example("n_four_bar", N=40).simulation()
    sim.start()
    sim.poses
    best = np.inf
    for _ in range(50):
        start = time.perf_counter()
        sim.poses
        best = min(best, time.perf_counter() - start)
    assert best / len(sim.bodies) < 1e-7, best  # 100 us for a thousand


def test_memory_of_the_library_is_given_back(four_bar: tenon.Model) -> None:
    text, bad = four_bar.text(), four_bar.text().replace('"mass"', '"mas"')
    gc.collect()
    before = _core._blocks()
    seen: list[object] = []
    for _ in range(300):
        sim = tenon.Model(text).simulation()
        sim.advance(0.01)
        seen.append([sim.q, sim.u, sim.states, sim.poses, sim.at()])  # arrays of NumPy take no part in the search for cycles
        seen.clear()
        tenon.Model(text).at()
        with pytest.raises(tenon.ModelError):
            tenon.Model(bad)
    del sim
    gc.collect()
    assert _core._blocks() == before


def test_every_allocation_that_fails_is_a_memory_error(four_bar: tenon.Model) -> None:
    """The first fails, the second ..: until a run needs fewer than that."""
    text, left, n = four_bar.using(until=0.05).text(), 0, 0
    while not left:
        n += 1
        _core._fail_after(n)
        try:
            tenon.Model(text).run()
        except MemoryError:
            left = _core._fail_after(0)
            assert not left
        else:
            left = _core._fail_after(0)
            assert left, f"allocation {n} failed unseen"
    assert n > 10
    assert tenon.Model(text).run().verdict == "trusted"


def test_a_batch_without_memory_says_so_by_run(four_bar: tenon.Model) -> None:
    _core._fail_after(200)
    try:
        b = tenon.batch(four_bar, {"rho": [1.0] * 8}, until=0.05, threads=2)
        assert len(b.failures) <= 1
    except MemoryError:
        pass
    finally:
        _core._fail_after(0)


def test_sub_interpreters_work_or_are_refused_in_words() -> None:
    answer = run(
        """
import sys
try:
    import _xxsubinterpreters as sub
except ImportError:
    import _interpreters as sub
name = sub.create()
script = f'''
import sys
sys.path[:] = {sys.path!r}
try:
    import tenon
    m = tenon.example("four_bar")
    s = m.simulation()
    s.advance(0.1)
    assert s["A.angle"] > 0
    try:
        m.add_force("f", lambda t: 0.0, on="A.angle")
        raise SystemExit("taken")
    except RuntimeError as e:
        assert "main interpreter" in str(e)
except ImportError as e:
    assert "interpreter" in str(e), e
'''
sub.run_string(name, script)
sub.destroy(name)
print("good")
"""
    )
    assert answer == "good"


def test_describe_and_schema() -> None:
    assert "revolute" in tenon.describe("joint") and "at" in tenon.describe("joint", "revolute")
    assert tenon.schema()["type"] == "object" and tenon.__version__ == _core.version()
    assert "load" in dir(tenon)
    with pytest.raises(AttributeError):
        tenon.nonsense  # noqa: B018
    with pytest.raises(tenon.UsageError):
        tenon.describe("joint", "revolut")


@pytest.mark.long
def test_a_hundred_thousand_models_and_no_leak() -> None:
    import resource

    text = tenon.example("pendulum").text()
    bad = text.replace("mass", "mas")

    def once(n: int) -> int:
        for i in range(n):
            tenon.Model(text).simulation()
            if i % 4 == 0:
                with pytest.raises(tenon.ModelError):
                    tenon.Model(bad)
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before, blocks = once(5000), _core._blocks()
    after = once(100_000)
    assert _core._blocks() == blocks and after - before < 4096, f"{after - before} kB"
