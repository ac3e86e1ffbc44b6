#!/usr/bin/env python3
"""Tenon beside MuJoCo, Pinocchio and Exudyn: error against CPU time.

    ./dev bench peers [--quick] [--problem NAME ..]     leaves table.txt, results.json and page.html in build/peers

1. The engines are installed from PyPI into build/peers/venv. One that cannot be had is left out, in words.
2. All engines are built from the numbers of mechanisms.py. Accelerations of all mass centres at the start must agree.
3. The reference is made by Tenon at 1e-12. It is compared with other coordinates and another integrator, and with an
   engine or a formulation that is not Tenon's.
4. Every engine runs over a grid of settings. Tenon has three entries, the same for all problems: as it is, at a looser
   tolerance, and what `tenon compare` recommends for the error that is asked for.
5. The fastest settings that reach an error run again by turns. Reported is the least CPU time of stepping.

Error: the largest distance of any mass centre from the reference at any sample.
"""

import argparse
import itertools
import json
import math
import os
import platform
import select
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mechanisms  # noqa: E402
import table  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
OUT = os.path.join(ROOT, "build", "peers")
VENV = os.path.join(OUT, "venv")
PYTHON = os.path.join(VENV, "bin", "python")
WORK = os.path.join(OUT, "work")
BIN = os.path.join(OUT, "bin")

SAME = 1e-8  # largest relative difference of accelerations of one mechanism
SAME_SOLVER = (
    1e-4  # of those that Exudyn's implicit solver shows of a closed loop: they are of a step, not of the state
)
VERIFIED = 1e-7  # m, between the reference and what is independent of it; a tenth of the smallest error asked for
LOOSER = ("1e-6", "1e-4")  # rtol
RTOL = "1e-3,1e-4,1e-5,1e-6,1e-7,1e-8"  # that `tenon compare` chooses from
STEPS = (1e-1, 5e-2, 2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5)  # s
TOLERANCES = tuple(a * 10.0**-b for b in range(2, 12) for a in (1, 0.3))
ENOUGH = 3e-7  # m, below it a family of settings needs no finer one
REFERENCES = (
    "integrator=dop853 rtol=1e-12",
    "integrator=dop853 rtol=1e-12 coordinates=relative",
    "integrator=dop853 rtol=1e-11",
    "integrator=dopri5 rtol=1e-11",
)  # of Tenon: the first that comes to the end
QUICK = ("P1-10", "P2-1", "P3", "P4", "arm")
PACKAGES = {"MuJoCo": ["mujoco"], "Pinocchio": ["pin", "cmeel-eigen"], "Exudyn": ["exudyn"]}
BOOST = [
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
]  # as the configuration of the wheel has them


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def last_words(done):
    lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    return lines[-1].strip()[:300] if lines else f"exit code {done.returncode}"


def call(command, seconds=1800):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"gave no answer within {seconds} s")
    except OSError as e:
        return subprocess.CompletedProcess(command, 1, "", str(e))


# ---- engines --------------------------------------------------------------------------------------------


def version_of(package):
    done = call([PYTHON, "-c", f"import importlib.metadata as m; print(m.version('{package}'))"])
    return done.stdout.strip() if done.returncode == 0 else None


def install():
    """versions by engine, and the reason by engine that is not there"""
    versions, missing = {}, {}
    if not os.path.exists(PYTHON):
        done = call([sys.executable, "-m", "venv", VENV])
        if done.returncode:
            reason = f"no virtual environment could be made: {last_words(done)}"
            return {}, {name: reason for name in PACKAGES}
    for name, packages in PACKAGES.items():
        for package in packages:
            if version_of(package):
                continue
            say(f"installing {package}")
            done = call([PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package])
            if done.returncode:
                missing[name] = (
                    f"'{package}' could not be installed from PyPI, which may be out of reach: {last_words(done)}"
                )
                break
        if name not in missing:
            versions[name] = version_of(packages[0])
    return versions, missing


def site():
    return call([PYTHON, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).stdout.strip()


def compile_one(name, command, source):
    """a program of bin/, unless it is newer than its source; None, or why there is none"""
    program = os.path.join(BIN, name)
    if os.path.exists(program) and os.path.getmtime(program) > os.path.getmtime(source):
        return None
    say(f"compiling {name}")
    done = call(command + [source, "-o", program])
    return f"'{name}' could not be compiled: {last_words(done)}" if done.returncode else None


def compile_peers(versions, missing, builds):
    os.makedirs(BIN, exist_ok=True)
    packages = site()
    if "MuJoCo" in versions:
        folder = os.path.join(packages, "mujoco")
        library = [f for f in sorted(os.listdir(folder)) if f.startswith("libmujoco.so")]
        source = os.path.join(HERE, "peer_mujoco.c")
        reason = (
            "no library in the wheel"
            if not library
            else compile_one(
                "peer_mujoco",
                [
                    "gcc",
                    "-O2",
                    "-std=gnu17",
                    "-isystem",
                    os.path.join(folder, "include"),
                    "-Wl,--no-as-needed",
                    os.path.join(folder, library[0]),
                    f"-Wl,-rpath,{folder}",
                    "-lm",
                ],
                source,
            )
        )
        if reason:
            missing["MuJoCo"] = reason
            del versions["MuJoCo"]
    if "Pinocchio" in versions:
        prefix = os.path.join(packages, "cmeel.prefix")
        source = os.path.join(HERE, "peer_pinocchio.cpp")
        common = [
            "g++",
            "-w",
            "-std=c++17",
            "-O3",
            "-DNDEBUG",
            *BOOST,
            "-isystem",
            os.path.join(prefix, "include"),
            "-isystem",
            os.path.join(prefix, "include", "eigen3"),
        ]
        link = [f"-L{prefix}/lib", "-Wl,--no-as-needed", "-lpinocchio_default", f"-Wl,-rpath,{prefix}/lib"]
        special = {"release": ["-DPINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION"], "native": ["-march=native"]}
        for build in builds:
            reason = compile_one(f"peer_pinocchio-{build}", common + special[build] + link, source)
            if reason:
                missing["Pinocchio"] = reason
                versions.pop("Pinocchio", None)
                return


class Engine:
    """a program that answers a line with a line"""

    def __init__(self, name, build, command, head="", permutation=None):
        self.name, self.build, self.command, self.head, self.permutation = name, build, command, head, permutation
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=WORK
        )  # MuJoCo leaves a log where it runs
        self.process.stdin.write(self.head.encode())

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            try:
                self.process.stdin.close()
            except OSError:  # what was not written yet has no reader any more
                pass
            self.process = None

    def ask(self, line, seconds=60.0):
        """what it says; {"fault": words} if it does not answer in time or ends"""
        if self.process is None or self.process.poll() is not None:
            self.start()
        try:
            self.process.stdin.write((line + "\n").encode())
            self.process.stdin.flush()
        except OSError as e:
            self.stop()
            return {"fault": f"it has ended: {e}"}
        answer, end = b"", time.monotonic() + seconds
        while not answer.endswith(b"\n"):
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                self.stop()
                return {"fault": f"no answer within {seconds:g} s"}
            piece = os.read(self.process.stdout.fileno(), 1 << 20)
            if not piece:
                self.stop()
                return {"fault": "it has ended"}
            answer += piece
        try:
            result = json.loads(answer)
        except ValueError:
            return {"fault": "its answer is no JSON"}
        for key in ("places", "accelerations"):
            if key in result:
                result[key] = self.ordered(result[key])
        return result

    def ordered(self, values):
        if self.permutation is None:
            return values
        n = len(self.permutation)
        points = [values[i : i + 3] for i in range(0, len(values), 3)]
        return [x for s in range(0, len(points), n) for i in self.permutation for x in points[s + i]]


def engines_for(name, m, versions, builds):
    """files of a problem, and the engines on it: Tenon first"""
    os.makedirs(WORK, exist_ok=True)
    base = os.path.join(WORK, name)
    model, constants = m.tenon()
    if not m.file:
        with open(base + ".json", "w", encoding="utf-8") as f:
            f.write(model)
        model = base + ".json"
    head = f"{len(m.bodies)}\n" + "".join(
        f"{b['name']} {mechanisms.numbers(b['com'][:m.dimension])}\n" for b in m.bodies
    )
    out = [
        Engine(
            "Tenon",
            b,
            [os.path.join(ROOT, "build", b, "tenon-peer"), model, repr(m.every), repr(m.until), *constants],
            head,
        )
        for b in builds
    ]
    if "Pinocchio" in versions:
        with open(base + ".txt", "w", encoding="utf-8") as f:
            f.write(mechanisms.listing(m))
        out += [Engine("Pinocchio", b, [os.path.join(BIN, f"peer_pinocchio-{b}"), base + ".txt"]) for b in builds]
    if "MuJoCo" in versions:
        text, order = mechanisms.mjcf(m)
        with open(base + ".xml", "w", encoding="utf-8") as f:
            f.write(text)
        rates = " ".join(repr(m.links[i]["rate"]) for i in order)
        carried = [m.links[i]["body"] for i in order if m.links[i]["body"] >= 0]
        permutation = [carried.index(i) for i in range(len(m.bodies))]
        out.append(
            Engine(
                "MuJoCo",
                "wheel",
                [os.path.join(BIN, "peer_mujoco"), base + ".xml"],
                f"{m.every!r} {m.samples}\n{rates}\n",
                permutation,
            )
        )
    if "Exudyn" in versions:
        with open(base + ".exudyn.json", "w", encoding="utf-8") as f:
            json.dump(
                {
                    "links": m.links,
                    "bodies": m.bodies,
                    "loops": m.loops,
                    "gravity": m.gravity,
                    "every": m.every,
                    "samples": m.samples,
                },
                f,
            )
        out.append(
            Engine(
                "Exudyn",
                "wheel",
                [PYTHON, "-W", "ignore", os.path.join(HERE, "peer_exudyn.py"), base + ".exudyn.json"],
            )
        )
    return model, constants, out


def difference(a, b):
    """the largest distance of two lists of points; None: one of them is not whole"""
    if not a or not b or len(a) != len(b) or None in a or None in b:
        return None
    return max(math.dist(a[i : i + 3], b[i : i + 3]) for i in range(0, len(a), 3))


# ---- the same mechanism, and where it should be ---------------------------------------------------------


def check(m, engines):
    """differences of accelerations by engine; those that have another mechanism are taken out of the list"""
    truth = engines[0].ask("accelerations", 120)
    if "accelerations" not in truth:
        raise RuntimeError(f"Tenon has no accelerations: {truth.get('fault')}")
    found = {}
    scale = max(1.0, max(abs(x) for x in truth["accelerations"]))
    for engine in list(engines[1:]):
        answer = engine.ask("accelerations", 120)
        off = difference(truth["accelerations"], answer.get("accelerations"))
        allowed = SAME_SOLVER if engine.name == "Exudyn" and m.loops else SAME
        found[f"{engine.name} {engine.build}"] = off / scale if off is not None else None
        if off is None or off / scale > allowed:
            words = answer.get("fault", "no number") if off is None else f"accelerations differ by {off / scale:.1g}"
            say(f"  {engine.name} ({engine.build}) is left out: {words}")
            engine.stop()
            engines.remove(engine)
    return found


def four_bars(n, m):
    """P2 has one freedom, and its links stay parallel. With rk4 at 1e-4 s:

    theta'' = -g cos(theta) (n + (n + 1) / 2) / (n + (n + 1) / 3)
    """
    factor = -9.81 * (n + (n + 1) / 2) / (n + (n + 1) / 3)
    angle, rate, h, out = math.pi / 2, -1.0, 1e-4, []
    for _ in range(m.samples):
        for _ in range(round(m.every / h)):
            a1 = factor * math.cos(angle)
            v2 = rate + h / 2 * a1
            a2 = factor * math.cos(angle + h / 2 * rate)
            v3 = rate + h / 2 * a2
            a3 = factor * math.cos(angle + h / 2 * v2)
            v4 = rate + h * a3
            a4 = factor * math.cos(angle + h * v3)
            angle += h / 6 * (rate + 2 * v2 + 2 * v3 + v4)
            rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        c, s = math.cos(angle), math.sin(angle)
        for b in m.bodies:
            i = int(b["name"].lstrip("abcdefghijklmnopqrstuvwxyz"))
            out += [i + c / 2, s / 2, 0.0] if b["name"].startswith("link") else [i - 0.5 + c, s, 0.0]
    return out


def independent(name, m, engines, places, limit):
    """(distance of the reference from what is not Tenon's, what that is); None: there is nothing"""
    if name.startswith("P2-"):
        return difference(places, four_bars(int(name[3:]), m)), "the equation of its one freedom"
    pinocchio = [e for e in engines if e.name == "Pinocchio"]
    stiff = [(mu, w) for mu in ("1e-9", "1e-6") for w in (20, 0)] if m.loops else [("1e-9", 0)]
    best = None
    for tolerance, (mu, w) in itertools.product(("1e-12", "1e-11", "1e-10") if pinocchio else (), stiff):
        off = difference(places, pinocchio[-1].ask(f"dp5 {tolerance} {mu} {w} 0 0 {20 * limit}", 120).get("places"))
        if off is not None and (best is None or off < best[0]):
            best = (off, f"Pinocchio, dp5 {tolerance}" + (f" mu={mu} w={w}" if m.loops else ""))
        if best and best[0] < VERIFIED / 10:
            break
    return best


def make_reference(name, m, engines, limit):
    """places of the reference, and how it was verified"""
    tenon, first, facts = engines[0], {}, {}
    for settings in REFERENCES:
        first = tenon.ask("0 " + settings, 600)
        if "places" in first:
            facts["reference"] = "Tenon, " + settings
            break
        say(f"  no reference with {settings}: {first.get('fault')}")
    if "places" not in first:
        raise RuntimeError("no reference")
    places = first["places"]
    second = tenon.ask("0 integrator=abm rtol=1e-12 coordinates=relative", 600)
    facts["relative coordinates, abm"] = difference(places, second.get("places"))
    best = independent(name, m, engines, places, limit)
    if best:
        facts["independent"], facts["verified by"] = best
    facts["verified"] = bool(best and best[0] is not None and best[0] <= VERIFIED)
    return places, facts


# ---- settings -------------------------------------------------------------------------------------------


def short(value):
    return f"{value:.0e}".replace("e-0", "e-")


def of_mujoco(m, quick, steps, _):
    softs = ((2, 5) if quick else (2, 5, 20)) if m.loops else (2,)
    kinds = ("RK4", "Euler", "implicitfast") if quick else ("RK4", "Euler", "implicitfast", "implicit", "discrete")
    for kind, soft in itertools.product(kinds, softs):
        loop = f" tc={soft}h" if m.loops else ""
        yield [(f"{kind} h={short(h)}{loop}", f"{kind} {h!r} {soft}", h) for h in steps]


def of_pinocchio(m, quick, steps, tolerances):
    stiff = [("1e-9", 0)]
    if m.loops:
        stiff = list(itertools.product(("1e-9",) if quick else ("1e-9", "1e-6"), (0, 20) if quick else (0, 20, 100)))
    for mu, w in stiff:
        loop = f" mu={mu} w={w}" if m.loops else ""
        yield [(f"rk4 h={short(h)}{loop}", f"rk4 {h!r} {mu} {w} 0", h) for h in steps]
        for dense in (0, 1):
            end = loop + (" dense" if dense else "")
            yield [(f"dp5 {short(a)}{end}", f"dp5 {a:.17g} {mu} {w} {dense}", None) for a in tolerances]


def of_exudyn(m, quick, steps, tolerances):
    explicit = ("RK44",) if quick else ("RK44", "RK67")
    for kind in ("GeneralizedAlpha", "GeneralizedAlpha-2") if m.loops else (*explicit, "GeneralizedAlpha"):
        yield [(f"{kind} h={short(h)}", f"{kind} {h!r}", h) for h in steps]
    if not m.loops:
        yield [(f"DOPRI5 {short(a)}", f"DOPRI5 {a:.17g}", None) for a in tolerances]


def families(engine, m, quick):
    """lists of settings, coarse ones first: (name of the setting, line without budget and limit, step or None)"""
    of = {"MuJoCo": of_mujoco, "Pinocchio": of_pinocchio, "Exudyn": of_exudyn}[engine.name]
    return of(m, quick, STEPS[::2] if quick else STEPS, TOLERANCES[::2] if quick else TOLERANCES)


def with_budget(engine, line, budget, limit):
    if engine.name == "Tenon":
        return f"{budget} {line}"
    return f"{line} {budget} {limit}" if engine.name == "Pinocchio" else f"{line} {budget}"


def measure(engine, line, budget, limit, places):
    answer = engine.ask(with_budget(engine, line, budget, limit), 60 + 20 * limit)
    if "cpu" not in answer:
        return None, None
    return answer["cpu"], difference(places, answer.get("places")) if answer.get("good", True) else None


def sweep(engine, m, places, limit, quick):
    """runs over the grid: a family ends when it is good enough, or the next setting would take longer than the limit"""
    runs = []
    for family in families(engine, m, quick):
        before = None
        for setting, line, step in family:
            if before and step and before[0] * before[1] / step > limit:
                break
            cpu, error = measure(engine, line, 0.002, limit, places)
            if cpu is None or cpu > limit:
                break
            before = (cpu, step) if step else None
            runs.append(
                {
                    "engine": engine.name,
                    "build": engine.build,
                    "setting": setting,
                    "line": line,
                    "cpu": cpu,
                    "error": error,
                }
            )
            if error is not None and error < ENOUGH:
                break
    return runs


def recommendation(model, constants, m, length, target):
    """options that `tenon compare` recommends for an error of `target` m"""
    command = [
        os.path.join(ROOT, "build", "release", "tenon"),
        "compare",
        model,
        "--until",
        repr(m.until),
        "--methods",
        "project",
        "--integrators",
        "dopri5,dop853",
        "--rtol",
        RTOL,
        "--accuracy",
        repr(target / length),
        "--json",
        "--quiet",
        "--jobs",
        "1",
    ]
    for constant in constants:
        command += ["--set", constant]
    done = call(command, 900)
    try:
        said = json.loads(done.stdout)
        row = said["rows"][said["winner"]]
        return f"integrator={row['integrator']} rtol={row['rtol']:g}", said["recommendation"]
    except (ValueError, KeyError, IndexError, TypeError):
        return None, f"`tenon compare` recommends nothing: {last_words(done)}"


def tenon_entries(model, constants, m, length):
    """(entry, target that it is for or None, setting, line)"""
    entries = [("default", None, "default", "")]
    entries += [("looser", None, f"rtol {rtol}", f"rtol={rtol}") for rtol in LOOSER]
    words = {}
    for target in table.TARGETS:
        line, words[f"{target:g}"] = recommendation(model, constants, m, length, target)
        if line:
            entries.append(("recommended", target, line.replace("integrator=", "").replace("rtol=", ""), line))
    return entries, words


# ---- a problem ------------------------------------------------------------------------------------------


def by_turns(jobs, rounds, budget, limit, places):
    """every job once a round; the least time of all rounds stands"""
    for _ in range(rounds):
        for engine, run in jobs:
            cpu, error = measure(engine, run["line"], budget, limit, places)
            if cpu is None:
                continue
            run["cpu"] = min(run["cpu"], cpu)
            run["error"] = error


def tenon_runs(engines, entries, limit, places):
    """(engine, run) of every entry and build"""
    jobs = []
    for engine, (entry, target, setting, line) in itertools.product(engines, entries):
        cpu, error = measure(engine, line, 0.002, limit, places)
        if cpu is None:
            continue
        run = {"engine": "Tenon", "build": engine.build, "entry": entry, "setting": setting, "line": line}
        jobs.append((engine, dict(run, cpu=cpu, error=error, **({"for": target} if target else {}))))
    return jobs


def peer_runs(engines, m, limit, places, quick):
    """all runs over the grids, and (engine, run) of those that run again. Both builds have the same errors: the grid
    runs in one of them"""
    runs, jobs, swept = [], [], {}
    for engine in engines:
        if engine.name not in swept:
            swept[engine.name] = sweep(engine, m, places, limit, quick)
            runs += swept[engine.name]
        chosen = {r["setting"]: r for t in table.TARGETS for r in table.finalists(swept[engine.name], t)}
        for run in chosen.values():
            if run["build"] != engine.build:
                run = dict(run, build=engine.build, cpu=math.inf)
                runs.append(run)
            jobs.append((engine, run))
    return runs, jobs


def solve(name, versions, options):
    """all runs of a problem, and facts about it"""
    m = mechanisms.PROBLEMS[name][0]()
    limit, rounds, budget = (0.2, 3, 0.005) if options.quick else (options.limit, 7, 0.02)
    model, constants, engines = engines_for(name, m, versions, options.builds)
    started = time.monotonic()
    say(f"{name}: {mechanisms.PROBLEMS[name][1]}")
    try:
        agreement = check(m, engines)
        places, facts = make_reference(name, m, engines, limit)
        facts["accelerations differ by"] = agreement
        facts["load before"] = os.getloadavg()[0]
        length = engines[0].ask("0 ")["length"]
        entries, facts["compare says"] = tenon_entries(model, constants, m, length)
        mine = tenon_runs([e for e in engines if e.name == "Tenon"], entries, limit, places)
        runs, jobs = peer_runs([e for e in engines if e.name != "Tenon"], m, limit, places, options.quick)
        by_turns(mine + jobs, rounds, budget, limit, places)
    finally:
        for engine in engines:
            engine.stop()
    runs = [dict(r, problem=name) for r in [run for _, run in mine] + runs if math.isfinite(r["cpu"])]
    facts["load after"] = os.getloadavg()[0]
    facts["seconds"] = round(time.monotonic() - started, 1)
    off = f"{facts['independent']:.1g} m" if "independent" in facts else "an unknown distance"
    how = facts.get("verified by", "nothing to compare with")
    say(f"  reference off by {off} ({how}), {facts['seconds']} s, load {facts['load after']:.1f}")
    return runs, facts


def machine():
    model = "unknown processor"
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as f:
            model = next((line.split(":", 1)[1].strip() for line in f if line.startswith("model name")), model)
    except OSError:
        pass
    gcc = call(["gcc", "-dumpfullversion"]).stdout.strip()
    return f"{model}, {os.cpu_count()} cores, {platform.system()}, gcc {gcc}"


def facts_of(versions, missing, problems, options, loads):
    tenon = call([os.path.join(ROOT, "build", "release", "tenon"), "--version"]).stdout.splitlines()
    commit = call(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"]).stdout.strip()
    facts = {
        "date": time.strftime("%Y-%m-%d"),
        "machine": machine(),
        "command": "./dev bench peers"
        + (" --quick" if options.quick else "")
        + "".join(f" --problem {p}" for p in options.problem or []),
        "versions": ", ".join(
            [f"{tenon[0] if tenon else 'tenon'} ({commit})"] + [f"{k} {v}" for k, v in versions.items()]
        ),
        "load": f"load average {min(loads):.1f} to {max(loads):.1f} on {os.cpu_count()} cores",
        "time": "CPU time of stepping in ms, the least of alternating rounds, for the error named; —: not reached by "
        f"any setting tried within {0.2 if options.quick else options.limit:g} s a run; differences below {table.TIE} "
        "times are ties",
        "problems": problems,
    }
    if missing:
        facts["left out"] = "; ".join(f"{k}: {v}" for k, v in missing.items())
    unverified = [p for p, f in problems.items() if not f.get("verified")]
    if unverified:
        facts["reference not verified"] = ", ".join(
            (
                f"{p} (off by {problems[p]['independent']:.1g} m)"
                if problems[p].get("independent")
                else f"{p} (by nothing)"
            )
            for p in unverified
        )
    return facts


def finite(value):
    """JSON has no NaN"""
    if isinstance(value, dict):
        return {k: finite(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def save(rows, runs, facts):
    for name, text in (
        ("table.txt", table.text(rows, facts)),
        ("results.json", table.as_json(finite(rows), finite(runs), finite(facts))),
        ("table.md", table.markdown(rows)),
        ("page.html", table.page(rows, runs, facts)),
    ):
        with open(os.path.join(OUT, name), "w", encoding="utf-8") as f:
            f.write(text)


def main():
    parser = argparse.ArgumentParser(
        prog="./dev bench peers", description="Tenon beside MuJoCo, Pinocchio and Exudyn"
    )
    parser.add_argument(
        "--quick", action="store_true", help="few problems, short runs, a coarse grid, release builds alone"
    )
    parser.add_argument(
        "--problem",
        action="append",
        choices=list(mechanisms.PROBLEMS),
        metavar="NAME",
        help="one of " + " ".join(mechanisms.PROBLEMS) + "; may repeat",
    )
    parser.add_argument("--limit", type=float, default=1.0, help="s of CPU that a run of a peer may take; 1")
    parser.add_argument("--json", action="store_true", help="print results.json instead of the table")
    options = parser.parse_args()
    options.builds = ("release",) if options.quick else table.BUILDS
    os.makedirs(OUT, exist_ok=True)
    versions, missing = install()
    compile_peers(versions, missing, options.builds)
    for name, reason in missing.items():
        say(f"{name} is left out: {reason}")
    runs, problems, loads = [], {}, [os.getloadavg()[0]]
    for name in options.problem or (QUICK if options.quick else mechanisms.PROBLEMS):
        try:
            found, problems[name] = solve(name, versions, options)
            runs += found
        except RuntimeError as e:
            say(f"{name} is left out: {e}")
            continue
        loads += [problems[name]["load before"], problems[name]["load after"]]
        rows = [r for r in table.rows_of(runs, list(problems)) if r["build"] in options.builds]
        facts = facts_of(versions, missing, problems, options, loads)
        save(rows, runs, facts)
    if not problems:
        return 1
    with open(os.path.join(OUT, "results.json" if options.json else "table.txt"), encoding="utf-8") as f:
        sys.stdout.write(f.read())
    say("build/peers: table.txt, table.md, results.json, page.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
