"""The problems, as numbers that every engine is built from.

A mechanism is a tree of links, one joint each and in the order of a walk depth first, and loops that close it. All
axes are those of the world at the start, where every coordinate is 0. A universal joint is two revolute links, a ball
three, and only the last one carries the body.

    link   {"body", "parent", "kind", "at", "axis", "rate", "k", "c", "rest"} body: index or -1; parent: index of a
           link, -1 the ground; kind: "R" or "P"; at: a point of the axis, m; rate: at the start; on the coordinate q
           acts -k (q - rest) - c qdot
    loop   {"a", "b", "at"}: a point that links a and b share; b = -1: the ground
    body   {"name", "mass", "com", "inertia"}: inertia about the mass centre, xx yy zz xy xz yz

`tenon` is a file of models/ with the constants to set, or a model made of the same numbers.
"""

import json
import math
import os

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PLANE = ([0.0, -9.81, 0.0], [0.0, 0.0, 1.0])  # gravity, axis of every hinge


class Mechanism:
    def __init__(self, dimension, gravity, until):
        self.dimension, self.gravity, self.until, self.every = dimension, gravity, until, 0.1
        self.links, self.bodies, self.loops = [], [], []
        self.joints = []  # of the model in Tenon's words: (name, fields)
        self.forces, self.start, self.file = {}, {}, None

    @property
    def samples(self):
        return round(self.until / self.every)

    def body(self, name, mass, com, inertia):
        self.bodies.append({"name": name, "mass": mass, "com": list(com), "inertia": list(inertia)})
        return len(self.bodies) - 1

    def link(self, body, parent, at, axis, kind="R", rate=0.0, k=0.0, c=0.0, rest=0.0):
        self.links.append(
            {
                "body": body,
                "parent": parent,
                "kind": kind,
                "at": list(at),
                "axis": unit(axis),
                "rate": rate,
                "k": k,
                "c": c,
                "rest": rest,
            }
        )
        return len(self.links) - 1

    def loop(self, a, b, at):
        self.loops.append({"a": a, "b": b, "at": list(at)})

    def name_of(self, link):
        """of the body that a link carries; links without one stand before the one that has it"""
        while link >= 0 and self.links[link]["body"] < 0:
            link += 1
        return "ground" if link < 0 else self.bodies[self.links[link]["body"]]["name"]

    def tenon(self):
        """the model as text, and the settings of the command line that it needs"""
        if self.file:
            name, constants = self.file
            return os.path.join(ROOT, "models", name), [f"{k}={v}" for k, v in constants.items()]
        flat = self.dimension == 2
        bodies = {}
        for b in self.bodies:
            bodies[b["name"]] = {
                "mass": b["mass"],
                "inertia": b["inertia"][2] if flat else b["inertia"],
                "position": b["com"][:2] if flat else b["com"],
            }
        model = {
            "tenon": 1,
            "dimension": self.dimension,
            "gravity": self.gravity[:2] if flat else self.gravity,
            "bodies": bodies,
            "joints": dict(self.joints),
            "run": {"until": self.until, "every": self.every},
        }
        if self.forces:
            model["forces"] = self.forces
        if self.start:
            model["start"] = self.start
        return json.dumps(model), []


def unit(v):
    length = math.sqrt(sum(x * x for x in v))
    return [x / length for x in v]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def middle(p, q):
    return [(a + b) / 2 for a, b in zip(p, q)]


def rod_in_plane(p, q, mass):
    """the moments about x and y take no part"""
    moment = mass * sum((a - b) ** 2 for a, b in zip(p, q)) / 12
    return [moment, moment, moment, 0.0, 0.0, 0.0]


def turned(p, q, along, across):
    """moments `along` the line from p to q and `across` it, on the axes of the world"""
    e = unit([b - a for a, b in zip(p, q)])
    t = [[(across if i == j else 0.0) + (along - across) * e[i] * e[j] for j in range(3)] for i in range(3)]
    return [t[0][0], t[1][1], t[2][2], t[0][1], t[0][2], t[1][2]]


def round_bar(p, q, mass, radius):
    length2 = sum((a - b) ** 2 for a, b in zip(p, q))
    return turned(p, q, mass * radius**2 / 2, mass * (3 * radius**2 + length2) / 12)


def square_bar(p, q, mass, side):
    length2 = sum((a - b) ** 2 for a, b in zip(p, q))
    return turned(p, q, mass * side**2 / 6, mass * (side**2 + length2) / 12)


def revolute(m, name, parent, child, at, axis=None):
    flat = m.dimension == 2
    fields = {"type": "revolute", "between": [parent, child], "at": at[:2] if flat else at}
    if not flat:
        fields["axis"] = axis
    m.joints.append((name, fields))


# ---- the problems ---------------------------------------------------------------------------------------


def p1(n):
    """planar chain of n links of 0.3 m, let go from a bent pose"""
    m = Mechanism(2, PLANE[0], {1: 10.0, 10: 2.0}.get(n, 1.0))
    end, parent = [0.0, 0.0, 0.0], -1
    for i in range(n):
        angle = -0.9 + 0.6 * math.sin(0.8 * i)
        start, end = end, [end[0] + 0.3 * math.cos(angle), end[1] + 0.3 * math.sin(angle), 0.0]
        b = m.body(f"link{i + 1}", 0.25, middle(start, end), rod_in_plane(start, end, 0.25))
        revolute(m, f"pin{i + 1}", "ground" if parent < 0 else f"link{i}", f"link{i + 1}", start)
        parent = m.link(b, parent, start, PLANE[1])
    return m


def p2(n):
    """IFToMM A02: n four-bars in a row, through their singular positions"""
    m = Mechanism(2, PLANE[0], 10.0)
    m.file = ("n_four_bar.json", {"N": n})
    couplers = []
    for i in range(n + 1):
        p, q, r = [float(i), 0.0, 0.0], [float(i), 1.0, 0.0], [i + 1.0, 1.0, 0.0]
        link = m.link(m.body(f"link{i}", 1.0, middle(p, q), rod_in_plane(p, q, 1.0)), -1, p, PLANE[1], rate=-1.0)
        if couplers:
            m.loop(couplers[-1], link, q)
        if i < n:
            b = m.body(f"coupler{i + 1}", 1.0, middle(q, r), rod_in_plane(q, r, 1.0))
            couplers.append(m.link(b, link, q, PLANE[1], rate=1.0))
    return m


def p3():
    """slider-crank with a spring on the slider, let go at 20 rad/s"""
    m = Mechanism(2, PLANE[0], 10.0)
    r, length, rate, angle = 0.1, 0.3, 20.0, math.pi / 3
    pin = [r * math.cos(angle), r * math.sin(angle), 0.0]
    tip = [pin[0] + math.sqrt(length**2 - pin[1] ** 2), 0.0, 0.0]
    rod_rate = -r * rate * math.cos(angle) / (tip[0] - pin[0])
    crank = m.link(
        m.body("crank", 0.5, middle([0, 0, 0], pin), rod_in_plane([0, 0, 0], pin, 0.5)),
        -1,
        [0, 0, 0],
        PLANE[1],
        rate=rate,
    )
    rod = m.link(
        m.body("rod", 1.0, middle(pin, tip), rod_in_plane(pin, tip, 1.0)), crank, pin, PLANE[1], rate=rod_rate - rate
    )
    b = m.body("slider", 1.0, tip, [1e-3, 1e-3, 1e-3, 0.0, 0.0, 0.0])
    slider = m.link(b, -1, tip, [1, 0, 0], kind="P", rate=-pin[1] * rate - rod_rate * (tip[1] - pin[1]), k=100.0)
    m.loop(rod, slider, tip)
    revolute(m, "A", "ground", "crank", [0, 0])
    revolute(m, "B", "crank", "rod", pin)
    revolute(m, "C", "rod", "slider", tip)
    m.joints.append(("guide", {"type": "prismatic", "between": ["ground", "slider"], "at": tip[:2], "axis": [1, 0]}))
    m.forces = {"spring": {"type": "spring", "on": "guide.shift", "stiffness": 100}}
    m.start = {"A.rate": rate}
    return m


def p4():
    """IFToMM A04, Bricard: one row is redundant in every position"""
    m = Mechanism(3, [0.0, -9.81, 0.0], 5.0)
    m.file = ("bricard.json", {})
    p = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]
    axes, parent = [[0, 1, 0], [0, 0, -1], [-1, 0, 0], [0, 1, 0], [0, 0, -1]], -1
    for i in range(5):
        b = m.body(f"link{i + 1}", 1.0, middle(p[i], p[i + 1]), square_bar(p[i], p[i + 1], 1.0, 0.1))
        parent = m.link(b, parent, p[i], axes[i])
    for x in (-0.5, 0.5):  # two points of an axis are a hinge
        m.loop(parent, -1, [x, 0.0, 1.0])
    return m


def arm():
    """7 hinges about axes that slope to the left and to the right in turn, let go stretched out"""
    m = Mechanism(3, [0.0, 0.0, -9.81], 2.0)
    m.file = ("spatial_chain.json", {"N": 7})
    parent = -1
    for i in range(1, 8):
        p, q = [0.2 * (i - 1), 0.0, 0.0], [0.2 * i, 0.0, 0.0]
        axis = [0.0, 1.0, 1.0 - 2.0 * (i % 2)]
        parent = m.link(m.body(f"link{i}", 0.5, middle(p, q), round_bar(p, q, 0.5, 0.01)), parent, p, axis)
    return m


def tree():
    """30 freedoms: a trunk of two links, and four limbs of seven"""
    m = Mechanism(3, [0.0, 0.0, -9.81], 1.0)

    def add(name, parent, p, q, axis):
        above = m.name_of(parent)
        b = m.body(name, 0.5, middle(p, q), round_bar(p, q, 0.5, 0.02))
        revolute(m, f"to_{name}", above, name, p, axis)
        return m.link(b, parent, p, axis)

    trunk = add("trunk1", -1, [0.0, 0.0, 0.0], [0.0, 0.0, 0.3], [1, 0, 0])
    trunk = add("trunk2", trunk, [0.0, 0.0, 0.3], [0.0, 0.1, 0.6], [0, 1, 0])
    for limb in range(4):
        turn = 0.4 + limb * math.pi / 2
        way, parent, end = [math.cos(turn), math.sin(turn), 0.3], trunk, [0.0, 0.1, 0.6]
        axes = [[0, 0, 1], cross([0, 0, 1], way), way, cross([0, 0, 1], way), way, cross([0, 0, 1], way), [0, 0, 1]]
        for i in range(7):
            bend = [way[0], way[1], way[2] - 0.15 * i]
            start, end = end, [a + 0.2 * b for a, b in zip(end, unit(bend))]
            parent = add(f"limb{limb + 1}_{i + 1}", parent, start, end, axes[i])
    return m


def stewart():
    """Stewart platform on six legs with springs and dampers, let go with the springs pressed"""
    m = Mechanism(3, [0.0, 0.0, -9.81], 3.0)
    rb, rp, h, k, c, rest = 0.5, 0.3, 0.6, 5000.0, 20.0, 0.02
    base, top = [-10, 10, 110, 130, 230, 250], [-50, 50, 70, 170, 190, 290]
    platform = None
    for i in range(6):
        a, b = math.radians(base[i]), math.radians(top[i])
        foot, ball = [rb * math.cos(a), rb * math.sin(a), 0.0], [rp * math.cos(b), rp * math.sin(b), h]
        half, way = middle(foot, ball), [y - x for x, y in zip(foot, ball)]
        rim = [-math.sin(a), math.cos(a), 0.0]
        side = unit(cross(rim, way))
        n = i + 1
        barrel = m.body(f"barrel{n}", 1.5, middle(foot, half), round_bar(foot, half, 1.5, 0.025))
        piston = m.body(f"piston{n}", 0.6, middle(half, ball), round_bar(half, ball, 0.6, 0.012))
        leg = m.link(barrel, m.link(-1, -1, foot, rim), foot, side)
        leg = m.link(piston, leg, half, way, kind="P", k=k, c=c, rest=rest * (1 + 0.2 * math.sin(n)))
        m.joints.append(
            (f"foot{n}", {"type": "universal", "between": ["ground", f"barrel{n}"], "at": foot, "axes": [rim, side]})
        )
        m.joints.append(
            (f"slide{n}", {"type": "prismatic", "between": [f"barrel{n}", f"piston{n}"], "at": half, "axis": way})
        )
        m.joints.append((f"ball{n}", {"type": "spherical", "between": [f"piston{n}", "platform"], "at": ball}))
        m.forces[f"spring{n}"] = {
            "type": "spring",
            "on": f"slide{n}.shift",
            "stiffness": k,
            "damping": c,
            "rest": rest * (1 + 0.2 * math.sin(n)),
        }
        if platform is not None:
            m.loop(leg, platform, ball)
            continue
        moments = [12 * (3 * rp**2 + 0.02**2) / 12] * 2 + [12 * rp**2 / 2, 0.0, 0.0, 0.0]
        plate = m.body("platform", 12.0, [0.0, 0.0, h], moments)
        for axis in ([0, 0, 1], [0, 1, 0]):
            leg = m.link(-1, leg, ball, axis)
        platform = m.link(plate, leg, ball, [1, 0, 0])
    return m


def ring(n):
    """a closed ring of n links of 0.3 m, hung at one joint, let go from a tilted regular polygon"""
    m = Mechanism(2, PLANE[0], 2.0)
    radius, tilt = 0.3 / (2 * math.sin(math.pi / n)), 0.3
    corner = [
        [
            radius * math.cos(tilt + 2 * math.pi * i / n) - radius * math.cos(tilt),
            radius * math.sin(tilt + 2 * math.pi * i / n) - radius * math.sin(tilt),
            0.0,
        ]
        for i in range(n)
    ]
    corner.append(list(corner[0]))
    parent = -1
    for i in range(n):
        b = m.body(
            f"link{i + 1}", 0.25, middle(corner[i], corner[i + 1]), rod_in_plane(corner[i], corner[i + 1], 0.25)
        )
        revolute(m, f"pin{i + 1}", "ground" if parent < 0 else f"link{i}", f"link{i + 1}", corner[i])
        parent = m.link(b, parent, corner[i], PLANE[1])
    revolute(m, "close", "ground", f"link{n}", corner[n])
    m.loop(parent, -1, corner[n])
    return m


PROBLEMS = {
    "P1-1": (lambda: p1(1), "planar chain, 1 link"),
    "P1-10": (lambda: p1(10), "planar chain, 10 links"),
    "P1-100": (lambda: p1(100), "planar chain, 100 links"),
    "P2-1": (lambda: p2(1), "four-bar through singular positions"),
    "P2-10": (lambda: p2(10), "10 four-bars through singular positions"),
    "P2-40": (lambda: p2(40), "40 four-bars through singular positions"),
    "P3": (p3, "slider-crank with spring"),
    "P4": (p4, "Bricard"),
    "arm": (arm, "arm, 7 hinges in space"),
    "tree": (tree, "tree, 30 hinges in space"),
    "stewart": (stewart, "Stewart platform on springs"),
    "ring": (lambda: ring(10), "closed ring of 10 links"),
}


# ---- the same numbers for each engine -------------------------------------------------------------------


def numbers(values):
    return " ".join(f"{v:.17g}" for v in values)


def listing(m):
    """lines that peer_pinocchio reads"""
    lines = [
        f"mechanism {len(m.links)} {len(m.bodies)} {len(m.loops)} {numbers(m.gravity)} {m.every:.17g} {m.samples}"
    ]
    for k in m.links:
        lines.append(
            f"{k['body']} {k['parent']} {k['kind']} {numbers(k['at'])} {numbers(k['axis'])} "
            f"{numbers([k['rate'], k['k'], k['c'], k['rest']])}"
        )
    for b in m.bodies:
        lines.append(f"{numbers([b['mass']])} {numbers(b['com'])} {numbers(b['inertia'])}")
    for o in m.loops:
        lines.append(f"{o['a']} {o['b']} {numbers(o['at'])}")
    return "\n".join(lines) + "\n"


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def mjcf(m):
    """links without a body are joints of the body that follows; ints of `order` are links, in the order of qpos"""
    children = {}
    for i, k in enumerate(m.links):
        children.setdefault(k["parent"], []).append(i)
    out, order = [], []

    def carried(i):
        while m.links[i]["body"] < 0:
            i += 1
        return m.bodies[m.links[i]["body"]]["name"]

    def emit(i, origin, depth):
        chain = [i]
        while m.links[chain[-1]]["body"] < 0:
            chain.append(chain[-1] + 1)
        at = m.links[i]["at"]
        b = m.bodies[m.links[chain[-1]]["body"]]
        pad = "  " * depth
        out.append(f'{pad}<body name="{b["name"]}" pos="{numbers(minus(at, origin))}">')
        for j in chain:
            k = m.links[j]
            kind = "hinge" if k["kind"] == "R" else "slide"
            out.append(
                f'{pad}  <joint type="{kind}" pos="{numbers(minus(k["at"], at))}" axis="{numbers(k["axis"])}" '
                f'stiffness="{k["k"]:.17g}" springref="{k["rest"]:.17g}" damping="{k["c"]:.17g}"/>'
            )
            order.append(j)
        out.append(
            f'{pad}  <inertial pos="{numbers(minus(b["com"], at))}" mass="{b["mass"]:.17g}" '
            f'fullinertia="{numbers(b["inertia"])}"/>'
        )
        for j in children.get(chain[-1], []):
            emit(j, at, depth + 1)
        out.append(f"{pad}</body>")

    for i in children.get(-1, []):
        emit(i, [0, 0, 0], 2)
    equal = []
    first_at = {}
    for i, k in enumerate(m.links):  # the frame of a body is at its first joint
        if k["body"] >= 0:
            j = i
            while j > 0 and m.links[j - 1]["body"] < 0:
                j -= 1
            first_at[i] = m.links[j]["at"]
    for o in m.loops:
        two = f' body2="{carried(o["b"])}"' if o["b"] >= 0 else ""
        equal.append(
            f'    <connect body1="{carried(o["a"])}"{two} anchor="{numbers(minus(o["at"], first_at[o["a"]]))}"/>'
        )
    text = [
        "<mujoco>",
        '  <compiler angle="radian" autolimits="false"/>',
        f'  <option gravity="{numbers(m.gravity)}"/>',
        "  <worldbody>",
    ]
    text += out + ["  </worldbody>"]
    if equal:
        text += ["  <equality>"] + equal + ["  </equality>"]
    return "\n".join(text + ["</mujoco>"]) + "\n", order
