"""What ./dev bench peers makes of measurements, and the mechanisms that it measures. No engine, no network."""

import json
import math
import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "peers"))
import mechanisms  # noqa: E402
import peers  # noqa: E402
import table  # noqa: E402


def run(engine, build, cpu, error, setting="s", **more):
    return {"problem": "P", "engine": engine, "build": build, "setting": setting, "cpu": cpu, "error": error, **more}


def tenon(cpu, error, entry="default", build="release", **more):
    return run("Tenon", build, cpu, error, entry, entry=entry, **more)


class Table(unittest.TestCase):
    def test_the_cheapest_run_is_one_that_reaches_the_error(self):
        runs = [run("MuJoCo", "wheel", 1, 1e-2), run("MuJoCo", "wheel", 2, None), run("MuJoCo", "wheel", 4, 1e-4)]
        self.assertEqual(table.cheapest(runs, 1e-3)["cpu"], 4)
        self.assertIsNone(table.cheapest(runs, 1e-6))
        self.assertIsNone(table.cheapest([run("MuJoCo", "wheel", 1, math.nan)], 1e-3))

    def test_those_near_the_cheapest_run_again(self):
        runs = [run("MuJoCo", "wheel", t, 1e-4) for t in (1.0, 1.29, 1.31, 5.0)] + [run("MuJoCo", "wheel", 0.1, 1.0)]
        self.assertEqual([r["cpu"] for r in table.finalists(runs, 1e-3)], [1.0, 1.29])
        self.assertEqual(table.finalists(runs, 1e-6), [])

    def test_a_ratio_is_of_the_best_peer_of_the_build(self):
        runs = [
            run("MuJoCo", "wheel", 3, 1e-4),
            run("Pinocchio", "release", 2, 1e-4),
            run("Pinocchio", "native", 1, 1e-4),
        ]
        runs += [tenon(1, 1e-9), tenon(4, 1e-9, build="native")]
        release, native = (table.row_of(runs, "P", build, 1e-3) for build in table.BUILDS)
        self.assertEqual((release["best_peer"], release["ratio"]["default"]), ("Pinocchio", 2))
        self.assertEqual((native["best_peer"], native["ratio"]["default"]), ("Pinocchio", 0.25))
        self.assertEqual([r["verdict"]["default"] for r in (release, native)], ["wins", "loses"])

    def test_words_for_each_outcome(self):
        def word(peer, mine, target=1e-3):
            runs = ([run("MuJoCo", "wheel", *peer)] if peer else []) + [tenon(*mine)]
            return table.row_of(runs, "P", "release", target)["verdict"]["default"]

        good = 1e-4
        self.assertEqual(word((1.29, good), (1, good)), "ties")
        self.assertEqual(word((1.31, good), (1, good)), "wins")
        self.assertEqual(word((1, good), (1.29, good)), "ties")
        self.assertEqual(word((1, good), (1.31, good)), "loses")
        self.assertEqual(word((1, good), (1, 1e-2)), "misses")
        self.assertEqual(word((1, 1e-2), (1, good)), "alone")
        self.assertEqual(word(None, (1, None)), "none")

    def test_a_recommendation_counts_for_its_own_error(self):
        runs = [tenon(1, 1e-9, "recommended", **{"for": 1e-3}), tenon(5, 1e-9, "recommended", **{"for": 1e-6})]
        found = [table.row_of(runs, "P", "release", t)["tenon"]["recommended"]["cpu"] for t in (1e-3, 1e-6)]
        self.assertEqual(found, [1, 5])

    def test_losses_are_printed_like_wins(self):
        runs = [
            run("MuJoCo", "wheel", 1e-3, 1e-7, "RK4 h=1e-3"),
            tenon(8e-3, 1e-7),
            tenon(1e-4, 1e-7, "looser"),
            tenon(9, 1, "recommended"),
        ]
        rows = table.rows_of(runs, ["P"])
        shown = table.cells(rows[0])
        self.assertEqual(
            shown, ["P", "1.00 (RK4 h=1e-3)", "—", "—", "8.00", "0.100 (looser)", "—", "0.12", "10", "misses"]
        )
        for text in (table.text(rows, {}), table.markdown(rows), table.page(rows, runs, {})):
            for word in ("0.12", "misses", "RK4 h=1e-3"):
                self.assertIn(word, text)
        self.assertEqual(table.count(rows, "default", "release")["loses"], 2)

    def test_both_builds_share_a_cell_in_markdown(self):
        runs = [run("MuJoCo", "wheel", 1e-3, 1e-7, "Euler"), run("Pinocchio", "native", 5e-4, 1e-7, "rk4")]
        runs += [tenon(1e-3, 1e-9), tenon(1e-3, 1e-9, build="native")]
        line = next(x for x in table.markdown(table.rows_of(runs, ["P"])).splitlines() if x.startswith("| P "))
        shown = "P | 1.00 | — / 0.500 | — | MuJoCo Euler / Pinocchio rk4 | 1.00 | — | — | 1 / 0.5 | misses | misses"
        self.assertEqual(line, f"| {shown} |")

    def test_the_page_needs_nothing_else(self):
        runs = [run("MuJoCo", "wheel", 1e-3, 1e-7, "<b>&"), tenon(8e-3, 1e-9), run("Exudyn", "wheel", 1, None)]
        page = table.page(table.rows_of(runs, ["P"]), runs, {"machine": "<x>"})
        for word in ("http", "src=", "<script", "<b>&", "<x>"):
            self.assertNotIn(word, page)
        self.assertEqual(page.count("<circle"), 2)

    def test_json_has_no_nan(self):
        runs = [run("MuJoCo", "wheel", 1, math.inf)]
        text = table.as_json(
            peers.finite(table.rows_of(runs, ["P"])), peers.finite(runs), peers.finite({"load": math.nan})
        )
        self.assertIsNone(json.loads(text)["runs"][0]["error"])

    def test_three_digits(self):
        self.assertEqual(
            [table.digits(x) for x in (0.01234, 0.5, 12.34, 1234.5, 0, None)],
            ["0.0123", "0.500", "12.3", "1234", "0", "—"],
        )


def of_each_problem(test):
    def of_all(self):
        for name, (make, _) in mechanisms.PROBLEMS.items():
            with self.subTest(problem=name):
                test(self, make())

    return of_all


class Mechanisms(unittest.TestCase):
    @of_each_problem
    def test_links_are_in_the_order_of_a_walk_depth_first(self, m):
        """Pinocchio's subtrees are ranges of links; in another order its results are wrong without a word"""
        path = []
        for i, link in enumerate(m.links):
            while path and path[-1] != link["parent"]:
                path.pop()
            self.assertEqual(path[-1] if path else -1, link["parent"])
            path.append(i)

    @of_each_problem
    def test_every_body_has_a_link_and_an_inertia_that_exists(self, m):
        self.assertEqual(sorted(k["body"] for k in m.links if k["body"] >= 0), list(range(len(m.bodies))))
        for b in m.bodies:
            xx, yy, zz = b["inertia"][:3]
            self.assertGreater(b["mass"], 0)
            self.assertTrue(min(xx + yy - zz, yy + zz - xx, zz + xx - yy) >= -1e-15)

    @of_each_problem
    def test_rates_at_the_start_keep_the_loops(self, m):
        """the velocity of the point of a loop is the same on both sides"""
        for o in m.loops:
            one, two = (velocity(m, link, o["at"]) for link in (o["a"], o["b"]))
            self.assertLess(math.dist(one, two), 1e-12)

    @of_each_problem
    def test_samples_end_at_the_end(self, m):
        self.assertAlmostEqual(m.samples * m.every, m.until, 12)

    @of_each_problem
    def test_mjcf_has_every_joint_once(self, m):
        text, order = mechanisms.mjcf(m)
        self.assertEqual(sorted(order), list(range(len(m.links))))
        self.assertEqual(text.count("<joint"), len(m.links))
        self.assertEqual(text.count("<connect"), len(m.loops))


def velocity(m, link, p):
    total = [0.0, 0.0, 0.0]
    while link >= 0:
        k = m.links[link]
        part = k["axis"] if k["kind"] == "P" else mechanisms.cross(k["axis"], mechanisms.minus(p, k["at"]))
        total = [t + k["rate"] * x for t, x in zip(total, part)]
        link = k["parent"]
    return total


class Peers(unittest.TestCase):
    def setUp(self):
        peers.WORK = "."

    def test_an_engine_that_cannot_be_had_is_named_with_the_reason(self):
        def offline(command, seconds=0):
            del seconds
            failed = "install" in command or "-c" in command
            return subprocess.CompletedProcess(
                command, int(failed), "", "ERROR: No matching distribution found" if failed else ""
            )

        before, peers.call = peers.call, offline
        try:
            versions, missing = peers.install()
        finally:
            peers.call = before
        self.assertEqual(versions, {})
        self.assertEqual(sorted(missing), ["Exudyn", "MuJoCo", "Pinocchio"])
        self.assertEqual(
            missing["Exudyn"],
            "'exudyn' could not be installed from PyPI, which may be out of reach: ERROR: No matching distribution found",
        )

    def test_an_engine_that_ends_or_hangs_is_a_fault(self):
        ends = peers.Engine("x", "wheel", ["true"])
        self.assertIn("ended", ends.ask("line", 5)["fault"])
        slow = peers.Engine("x", "wheel", ["sleep", "60"])
        self.assertEqual(slow.ask("line", 0.2)["fault"], "no answer within 0.2 s")
        echo = peers.Engine("x", "wheel", ["cat"])
        self.assertEqual(echo.ask('{"places": [1, 2, 3]}')["places"], [1, 2, 3])
        echo.stop()

    def test_bodies_are_put_into_the_order_of_the_mechanism(self):
        engine = peers.Engine("x", "wheel", ["cat"], permutation=[1, 0])
        values = engine.ask('{"places": [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]}')["places"]
        engine.stop()
        self.assertEqual(values, [2, 2, 2, 1, 1, 1, 4, 4, 4, 3, 3, 3])

    def test_the_difference_is_the_largest_distance_of_a_point(self):
        self.assertEqual(peers.difference([0, 0, 0, 1, 1, 1], [0, 0, 0, 4, 5, 1]), 5)
        for other in (None, [], [0, 0, 0], [0, 0, 0, None, 1, 1]):
            self.assertIsNone(peers.difference([0, 0, 0, 1, 1, 1], other))


if __name__ == "__main__":
    unittest.main()
