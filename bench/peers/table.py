"""What the measurements say: best settings, ratios, and the table as text, Markdown, JSON and page. No engine is needed
here.

A run is {"problem", "engine", "build", "setting", "cpu", "error"}: s of stepping, m; error None: it did not come to
its end. `build` is "release" or "native"; engines that come as a wheel alone have their release entry in both tables.
"""

import html
import json
import math

TARGETS = (1e-3, 1e-6)  # m
TIE = 1.3  # ratios closer to 1 than this are ties: other users of the machine can do as much
PEERS = ("MuJoCo", "Pinocchio", "Exudyn")
TENON = ("default", "looser", "recommended")
BUILDS = ("release", "native")


def meets(run, target):
    return run["error"] is not None and math.isfinite(run["error"]) and run["error"] <= target


def cheapest(runs, target):
    """the run of least time whose error is within the target; None: there is none"""
    good = [r for r in runs if meets(r, target)]
    return min(good, key=lambda r: r["cpu"]) if good else None


def finalists(runs, target, most=3):
    """those that may be the cheapest once they are measured again"""
    best = cheapest(runs, target)
    if best is None:
        return []
    near = [r for r in runs if meets(r, target) and r["cpu"] <= TIE * best["cpu"]]
    return sorted(near, key=lambda r: r["cpu"])[:most]


def in_build(run, engine, build):
    return run["engine"] == engine and (run["build"] == build or run["build"] == "wheel")


def ratio(peer, tenon):
    """how many times less time Tenon takes; None: one of both does not reach the target"""
    return peer["cpu"] / tenon["cpu"] if peer and tenon else None


def verdict(value, peer, tenon):
    if peer and not tenon:
        return "misses"
    if tenon and not peer:
        return "alone"
    if not tenon:
        return "none"
    if value < 1 / TIE:
        return "loses"
    return "wins" if value > TIE else "ties"


def row_of(runs, problem, build, target):
    """one line of the table"""
    mine = [r for r in runs if r["problem"] == problem]
    row = {"problem": problem, "build": build, "target": target, "peers": {}, "tenon": {}, "ratio": {}, "verdict": {}}
    for name in PEERS:
        row["peers"][name] = cheapest([r for r in mine if in_build(r, name, build)], target)
    found = [r for r in row["peers"].values() if r]
    best = min(found, key=lambda r: r["cpu"]) if found else None
    row["best_peer"] = best["engine"] if best else None
    for entry in TENON:
        wanted = [
            r for r in mine if in_build(r, "Tenon", build) and r["entry"] == entry and r.get("for", target) == target
        ]
        row["tenon"][entry] = cheapest(wanted, target)
        row["ratio"][entry] = ratio(best, row["tenon"][entry])
        row["verdict"][entry] = verdict(row["ratio"][entry], best, row["tenon"][entry])
    return row


def rows_of(runs, problems):
    return [row_of(runs, p, b, t) for t in TARGETS for b in BUILDS for p in problems]


def count(rows, entry, build):
    """how often an entry wins, ties, loses; alone: no peer reached the target; misses: Tenon did not; none: nobody"""
    words = {"wins": 0, "ties": 0, "loses": 0, "alone": 0, "misses": 0, "none": 0}
    for r in rows:
        if r["build"] == build:
            words[r["verdict"][entry]] += 1
    return words


# ---- figures --------------------------------------------------------------------------------------------


def digits(value):
    """three of them"""
    if value is None:
        return "—"
    if value == 0:
        return "0"
    places = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:.{places}f}"


def milliseconds(run):
    return digits(run["cpu"] * 1e3) if run else "—"


def times(value, word):
    if value is None:
        return {"misses": "misses", "alone": "alone", "none": "—"}[word]
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def cells(row):
    """of one line: problem, a time for each peer with its setting, times of Tenon, ratios"""
    out = [row["problem"]]
    for name in PEERS:
        run = row["peers"][name]
        out.append(f"{milliseconds(run)} ({run['setting']})" if run else "—")
    for entry in TENON:
        run = row["tenon"][entry]
        out.append(milliseconds(run) + (f" ({run['setting']})" if run and entry != "default" else ""))
    return out + [times(row["ratio"][e], row["verdict"][e]) for e in TENON]


HEAD = (
    ["problem"]
    + [f"{p}, ms" for p in PEERS]
    + [f"Tenon {e}, ms" for e in TENON]
    + [f"best peer / Tenon {e}" for e in TENON]
)
AGAINST = {
    "release": "release against the wheels",
    "native": "native against Pinocchio with -march=native, and the wheels",
}


def groups(rows):
    for target in TARGETS:
        for build in BUILDS:
            mine = [r for r in rows if r["target"] == target and r["build"] == build]
            if mine:
                yield f"error at most {target:g} m, {AGAINST[build]}", mine


def counts_as_text(rows):
    lines = []
    for build in dict.fromkeys(r["build"] for r in rows):
        for entry in TENON:
            c = count(rows, entry, build)
            lines.append(f"{build}, {entry}: " + ", ".join(f"{n} {w}" for w, n in c.items() if n))
    return lines


def text(rows, facts):
    lines = [f"{k}: {v}" for k, v in facts.items() if isinstance(v, str)]
    for title, mine in groups(rows):
        table = [HEAD] + [cells(r) for r in mine]
        width = [max(len(line[i]) for line in table) for i in range(len(HEAD))]
        lines += ["", title]
        for line in table:
            lines.append(
                "  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(line, width))).rstrip()
            )
    return "\n".join(lines + [""] + counts_as_text(rows)) + "\n"


def of_builds(release, native):
    """one figure, or both where there are two"""
    return release if release == native or native is None else f"{release} / {native}"


def markdown(rows):
    """a table for each error; release / native where they differ"""
    head = ["problem", *[f"{p}, ms" for p in PEERS], "setting of the best peer", *[f"Tenon {e}, ms" for e in TENON]]
    head += [f"best peer / Tenon {e}" for e in TENON]
    lines = []
    for target in TARGETS:
        lines += ["", f"Error at most {target:g} m:", "", "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
        mine = [r for r in rows if r["target"] == target]
        for problem in dict.fromkeys(r["problem"] for r in mine):
            pair = [next((r for r in mine if (r["problem"], r["build"]) == (problem, b)), None) for b in BUILDS]
            lines.append("| " + " | ".join(merged(problem, *pair)) + " |")
    return "\n".join(lines) + "\n"


def merged(problem, release, native):
    def both(figure):
        return of_builds(figure(release), figure(native) if native else None)

    def setting(row):
        best = row["peers"][row["best_peer"]] if row["best_peer"] else None
        return f"{best['engine']} {best['setting']}" if best else "—"

    out = [problem, *[both(lambda r, p=p: milliseconds(r["peers"][p])) for p in PEERS], both(setting)]
    out += [both(lambda r, e=e: milliseconds(r["tenon"][e])) for e in TENON]
    return out + [both(lambda r, e=e: times(r["ratio"][e], r["verdict"][e])) for e in TENON]


def as_json(rows, runs, facts):
    return json.dumps({"facts": facts, "rows": rows, "runs": runs}, indent=1, allow_nan=False) + "\n"


# ---- page -----------------------------------------------------------------------------------------------

COLOR = {"Tenon": "#0b6e4f", "MuJoCo": "#c44900", "Pinocchio": "#3454d1", "Exudyn": "#8f2d91"}
STYLE = """body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:1250px;padding:0 1em;color:#222}
table{border-collapse:collapse;margin:.5em 0 2em;font-size:13px}
td,th{border-bottom:1px solid #ddd;padding:.25em .6em;text-align:right}td:first-child,th:first-child{text-align:left}
.wins{color:#0b6e4f;font-weight:600}.loses,.misses{color:#b00020;font-weight:600}
figure{display:inline-block;margin:0 1em 1em 0}figcaption{font-weight:600}svg{background:#fafafa}"""


def spot(x, low, high, size):
    return size * (math.log10(x) - low) / (high - low)


def plot(runs, problem):
    """error over CPU time, both on log axes; Tenon's entries are filled"""
    points = [
        r
        for r in runs
        if r["problem"] == problem and r["error"] and math.isfinite(r["error"]) and r["cpu"] > 0 and r["error"] < 10
    ]
    if not points:
        return ""
    wide, high, left, top = 380, 250, 50, 10
    xs, ys = [math.log10(r["cpu"] * 1e3) for r in points], [math.log10(r["error"]) for r in points]
    x0, x1, y0, y1 = math.floor(min(xs)), math.ceil(max(xs) + 1e-9), math.floor(min(ys)), math.ceil(max(ys) + 1e-9)
    parts = [f'<svg width="{wide + left + 20}" height="{high + top + 40}" role="img">']
    for x in range(x0, x1 + 1):
        at = left + wide * (x - x0) / (x1 - x0)
        parts.append(
            f'<path d="M{at:.1f} {top}v{high}" stroke="#ddd"/><text x="{at:.1f}" y="{top + high + 16}" font-size="11" '
            f'text-anchor="middle">{10.0**x:g} ms</text>'
        )
    for y in range(y0, y1 + 1, max(1, (y1 - y0) // 7)):
        at = top + high - high * (y - y0) / (y1 - y0)
        parts.append(
            f'<path d="M{left} {at:.1f}h{wide}" stroke="#ddd"/><text x="{left - 5}" y="{at + 4:.1f}" font-size="11" '
            f'text-anchor="end">1e{y}</text>'
        )
    for r in points:
        x = left + spot(r["cpu"] * 1e3, x0, x1, wide)
        y = top + high - spot(r["error"], y0, y1, high)
        color = COLOR[r["engine"]]
        fill = color if r["engine"] == "Tenon" else "none"
        size = 4.5 if r["engine"] == "Tenon" else 3
        label = html.escape(
            f"{r['engine']} {r['setting']} ({r['build']}): {r['error']:.2g} m, {digits(r['cpu'] * 1e3)} ms"
        )
        place = f'cx="{x:.1f}" cy="{y:.1f}" r="{size}"'
        parts.append(f'<circle {place} fill="{fill}" stroke="{color}"><title>{label}</title></circle>')
    parts.append("</svg>")
    return (
        f"<figure><figcaption>{html.escape(problem)}: error in m over CPU time</figcaption>{''.join(parts)}</figure>"
    )


def page(rows, runs, facts):
    """one file that needs nothing else"""
    out = [
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Tenon and its peers</title>',
        f"<style>{STYLE}</style>",
        "<h1>Tenon and its peers</h1><dl>",
    ]
    out += [
        f"<dt><b>{html.escape(k)}</b></dt><dd>{html.escape(v)}</dd>" for k, v in facts.items() if isinstance(v, str)
    ]
    out.append("</dl><p>" + "<br>".join(html.escape(line) for line in counts_as_text(rows)) + "</p>")
    for title, mine in groups(rows):
        out.append(
            f"<h2>{html.escape(title)}</h2><table><tr>"
            + "".join(f"<th>{html.escape(h)}</th>" for h in HEAD)
            + "</tr>"
        )
        for r in mine:
            shown = cells(r)
            words = [""] * (len(shown) - len(TENON)) + [r["verdict"][e] for e in TENON]
            out.append(
                "<tr>" + "".join(f'<td class="{w}">{html.escape(c)}</td>' for c, w in zip(shown, words)) + "</tr>"
            )
        out.append("</table>")
    legend = " ".join(f'<span style="color:{c}">{n}</span>' for n, c in COLOR.items())
    out.append(f"<h2>All settings</h2><p>{legend}. Point at a mark to see its setting.</p>")
    out += [plot(runs, p) for p in dict.fromkeys(r["problem"] for r in rows)]
    return "\n".join(out) + "</html>\n"
