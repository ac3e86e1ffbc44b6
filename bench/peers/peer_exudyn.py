"""Exudyn: its solver in C++, driven from Python; time is that of SolveSteps, without building and initializing.

    peer_exudyn.py FILE     FILE: as JSON "links", "bodies", "loops" of mechanisms.py, "gravity", "every", "samples"

Trees are an ObjectKinematicTree in relative coordinates. Loops are closed by ObjectJointGeneric between its links.
Every line of standard input is a setting: SOLVER VALUE BUDGET
    SOLVER   a name of exudyn.DynamicSolverType; with -2 behind it constraints are of index 2
    VALUE    the step in s; of solvers with step control (DOPRI5, ODE23) the tolerance
    BUDGET   s; the run is repeated for so long, and the least time counts
`accelerations` alone asks for those of the mass centres at the start. The answer is a line of JSON.
"""

import json
import math
import os
import sys
import time

with open(sys.argv[1], encoding="utf-8") as f:
    M = json.load(f)
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what Exudyn prints is no answer

import numpy as np  # noqa: E402
import exudyn as exu  # noqa: E402
import exudyn.utilities as eu  # noqa: E402

CONTROLLED = ("DOPRI5", "ODE23")
EXPLICIT = (
    "ExplicitEuler",
    "ExplicitMidpoint",
    "RK33",
    "RK44",
    "RK67",
    "ODE23",
    "DOPRI5",
    "DVERK6",
    "VelocityVerlet",
)


def frame(link):
    """z along the axis"""
    z = np.array(link["axis"])
    x = np.cross([0, 1, 0] if abs(z[1]) < 0.9 else [1, 0, 0], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def tensor(i):
    return np.array([[i[0], i[3], i[4]], [i[3], i[1], i[5]], [i[4], i[5], i[2]]])


class Tree:
    """the tree as an object of Exudyn, and where links and bodies are in it"""

    def __init__(self, mbs):
        self.mbs, links, n = mbs, M["links"], len(M["links"])
        self.ground = mbs.AddObject(eu.ObjectGround())
        node = eu.NodeGenericODE2(
            referenceCoordinates=[0] * n,
            initialCoordinates=[0] * n,
            initialCoordinates_t=[k["rate"] for k in links],
            numberOfODE2Coordinates=n,
        )
        self.at, self.R = [np.array(k["at"]) for k in links], [frame(k) for k in links]
        self.where = [None] * len(M["bodies"])  # link and place in it, of every mass centre
        turns, offsets, centres, inertias = (
            exu.Matrix3DList(),
            exu.Vector3DList(),
            exu.Vector3DList(),
            exu.Matrix3DList(),
        )
        for i, k in enumerate(links):
            above_R, above = (
                (self.R[k["parent"]], self.at[k["parent"]]) if k["parent"] >= 0 else (np.eye(3), np.zeros(3))
            )
            turns.Append(above_R.T @ self.R[i])
            offsets.Append(above_R.T @ (self.at[i] - above))
            centre, inertia = self.body(i, k["body"])
            centres.Append(centre)
            inertias.Append(inertia)
        kinds = {"R": exu.JointType.RevoluteZ, "P": exu.JointType.PrismaticZ}
        self.number = mbs.AddObject(
            eu.ObjectKinematicTree(
                nodeNumber=mbs.AddNode(node),
                jointTypes=[kinds[k["kind"]] for k in links],
                linkParents=[k["parent"] for k in links],
                jointTransformations=turns,
                jointOffsets=offsets,
                linkInertiasCOM=inertias,
                linkCOMs=centres,
                linkMasses=[M["bodies"][k["body"]]["mass"] if k["body"] >= 0 else 0 for k in links],
                gravity=M["gravity"],
                jointPControlVector=[k["k"] for k in links],
                jointDControlVector=[k["c"] for k in links],
                jointPositionOffsetVector=[k["rest"] for k in links],
                jointVelocityOffsetVector=[0] * n,
            )
        )

    def body(self, link, number):
        """mass centre and inertia in the axes of the link"""
        if number < 0:
            return np.zeros(3), np.zeros((3, 3))
        b, R = M["bodies"][number], self.R[link]
        local = R.T @ (np.array(b["com"]) - self.at[link])
        self.where[number] = (link, local)
        return local, R.T @ tensor(b["inertia"]) @ R

    def marker(self, link, p, turned):
        """a point of a link or the ground, and the axes `turned` in the axes of that"""
        if link < 0:
            return self.mbs.AddMarker(eu.MarkerBodyRigid(bodyNumber=self.ground, localPosition=p)), turned
        local = self.R[link].T @ (p - self.at[link])
        marker = eu.MarkerKinematicTreeRigid(objectNumber=self.number, linkNumber=link, localPosition=local)
        return self.mbs.AddMarker(marker), self.R[link].T @ turned


def is_flat():
    return M["gravity"][2] == 0 and all(abs(k["axis"][2]) == 1 or k["kind"] == "P" for k in M["links"])


def close_loops(tree):
    joined = {}
    for o in M["loops"]:
        joined.setdefault((o["a"], o["b"]), []).append(np.array(o["at"]))
    for (a, b), points in joined.items():
        axes, turned = ([1, 1, 0, 0, 0, 0] if is_flat() else [1, 1, 1, 0, 0, 0]), np.eye(3)
        if len(points) == 2:  # a hinge through two points, less one row: with a redundant one Exudyn stands still
            way = points[1] - points[0]
            turned, axes = frame({"axis": way / np.linalg.norm(way)}), [1, 1, 1, 1, 0, 0]
        one, turn_one = tree.marker(a, sum(points) / len(points), turned)
        two, turn_two = tree.marker(b, sum(points) / len(points), turned)
        tree.mbs.AddObject(
            eu.ObjectJointGeneric(
                markerNumbers=[one, two], constrainedAxes=axes, rotationMarker0=turn_one, rotationMarker1=turn_two
            )
        )


def build(sensor_type):
    system = exu.SystemContainer()
    tree = Tree(system.AddSystem())
    close_loops(tree)
    sensors = []
    for link, local in tree.where:
        sensor = eu.SensorKinematicTree(objectNumber=tree.number, linkNumber=link, localPosition=local)
        sensor.storeInternal, sensor.writeToFile, sensor.outputVariableType = True, False, sensor_type
        sensors.append(tree.mbs.AddSensor(sensor))
    tree.mbs.Assemble()
    return system, tree.mbs, sensors


def settings_of(solver, value, until):
    s = exu.SimulationSettings()
    t = s.timeIntegration
    name = solver.removesuffix("-2")
    t.endTime = until
    t.verboseMode = 0
    s.solution.file.write = False
    s.solution.sensors.writePeriod = M["every"]
    s.parallel.numberOfThreads = 1
    small = len(M["links"]) + 3 * len(M["loops"]) < 40
    s.linearSolver.solverType = exu.LinearSolverType.EXUdense if small else exu.LinearSolverType.EigenSparse
    s.linearSolver.ignoreSingularJacobian = True
    kind = getattr(exu.DynamicSolverType, name)
    t.automaticStepSize = name in CONTROLLED
    t.adaptiveStep = name in CONTROLLED
    if name in CONTROLLED:
        t.relativeTolerance = t.absoluteTolerance = value
        t.numberOfSteps = max(1, round(until / 1e-2))
        t.initialStepSize = 1e-4
        t.minimumStepSize = 1e-12
    else:
        t.numberOfSteps = max(1, round(until / value))
    t.newton.relativeTolerance, t.newton.absoluteTolerance = 1e-8, 1e-10
    t.newton.useModifiedNewton = False
    if name in EXPLICIT:
        return s, exu.MainSolverExplicit(), kind
    t.generalizedAlpha.useIndex2Constraints = solver.endswith("-2") or name == "TrapezoidalIndex2"
    t.generalizedAlpha.useNewmark = t.generalizedAlpha.useIndex2Constraints
    t.generalizedAlpha.spectralRadius = 0.9
    t.generalizedAlpha.computeInitialAccelerations = True
    return s, exu.MainSolverImplicitSecondOrder(), None


def solve(solver, value, until, sensor_type):
    """of solvers with step control every sample is the end of a run: they land on no time but the last"""
    _, mbs, sensors = build(sensor_type)
    parts = M["samples"] if solver in CONTROLLED else 1
    took, good, step, stored = 0.0, True, 1e-4, []
    for i in range(parts):
        s, run, kind = settings_of(solver, value, until / parts)
        s.timeIntegration.startTime, s.timeIntegration.endTime = until / parts * i, until / parts * (i + 1)
        if kind is not None:
            s.timeIntegration.solverType = kind
            s.timeIntegration.initialStepSize = step
        good = bool(run.InitializeSolver(mbs, s))
        start = time.process_time()
        good = good and bool(run.SolveSteps(mbs, s))
        took += time.process_time() - start
        step = max(1e-6, run.it.currentStepSize)
        run.FinalizeSolver(mbs, s)
        stored.append([np.array(mbs.GetSensorStoredData(x)) for x in sensors])
        if not good:
            break
        mbs.systemData.SetSystemState(mbs.systemData.GetSystemState(), configuration=exu.ConfigurationType.Initial)
    return good, took, [np.concatenate([part[k] for part in stored]) for k in range(len(sensors))]


def samples(stored):
    """rows at k every; NaN: there is none"""
    out = []
    for i in range(1, M["samples"] + 1):
        for rows in stored:
            at = np.argmin(np.abs(rows[:, 0] - i * M["every"])) if len(rows) else -1
            found = at >= 0 and abs(rows[at, 0] - i * M["every"]) < 1e-9
            out += [float(x) for x in rows[at, 1:4]] if found else [math.nan] * 3
    return out


def clean(values):
    return [v if math.isfinite(v) else None for v in values]


def answer(words):
    if words[0] == "accelerations":
        solver = "GeneralizedAlpha-2" if M["loops"] else "RK44"
        # of explicit solvers accelerations are those of the end of a step, of implicit ones of the start
        until, row = (1e-3, 0) if M["loops"] else (1e-12, -1)
        _, _, stored = solve(solver, until, until, exu.OutputVariableType.Acceleration)
        return {"accelerations": clean([float(x) for rows in stored for x in rows[row, 1:4]])}
    solver, value, budget = words[0], float(words[1]), float(words[2])
    least, spent = math.inf, 0.0
    while True:
        good, took, stored = solve(solver, value, M["every"] * M["samples"], exu.OutputVariableType.Position)
        least, spent = min(least, took), spent + took
        if spent >= budget or not good:
            return {"cpu": least, "rhs": 0, "good": good, "places": clean(samples(stored))}


for line in sys.stdin:
    try:
        result = answer(line.split())
    except Exception as e:  # pylint: disable=broad-except  # whatever Exudyn raises belongs to this setting alone
        result = {"fault": str(e).strip().splitlines()[-1][:300] if str(e).strip() else type(e).__name__}
    print(json.dumps(result), file=answers, flush=True)
