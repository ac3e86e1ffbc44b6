#!/usr/bin/env python3
"""Run shipped models by two programs and compare what they write.

Each model runs with its default and with eight other settings. Two runs are the same if their tables and their messages are the
same bytes. Where a table differs, the largest difference of a column is printed in tolerances:
|a - b| / (rtol * largest |a| of the column). The exit code is 1 if a difference exceeds a hundredth of the tolerance.

    bench/same.py build/before/tenon build/release/tenon
    bench/same.py --keep build/same build/before/tenon build/release/tenon four_bar bricard
"""
import argparse
import concurrent.futures
import csv
import hashlib
import io
import json
import math
import os
import re
import subprocess
import sys
import tempfile

SETTINGS = [
    [],
    ["--coordinates", "relative"],
    ["--integrator", "dop853"],
    ["--integrator", "abm", "--rtol", "1e-6"],
    ["--integrator", "radau5", "--rtol", "1e-6"],
    ["--method", "baumgarte-step", "--integrator", "rk4", "--step", "1e-3"],
    ["--method", "gcpi"],
    ["--method", "braun-goldfarb", "--rtol", "1e-6"],
    ["--formulation", "nullspace", "--stabilize", "none", "--breach", "record"],
]
LONGEST = 1.0  # s of motion: longer runs of chaotic models show the same differences, only larger
MOST = 0.01  # tolerances
SECONDS = 300  # a run that takes longer counts as failed, in both programs

# figures that the machine decides
NOISE = re.compile(r"[0-9.e+-]+ s of CPU")
MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models")


def until_of(model):
    with open(model, encoding="utf-8") as f:
        found = re.search(r'"until": *([0-9.e+-]+)', f.read())
    return min(float(found.group(1)), LONGEST) if found else LONGEST


def words(model, settings):
    return ["run", model, "--until", repr(until_of(model)), *settings, "--accept-doubt"]


def run(program, model, settings):
    """table and messages of one run; no table if the run took too long"""
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "x.csv")
        command = [program, *words(model, settings), "-o", table]
        try:
            done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return None, "timed out"
        text = (done.stdout + done.stderr).decode("utf-8", "replace").replace(folder, "")
        rows = ""
        if os.path.exists(table):
            with open(table, encoding="utf-8", newline="") as f:
                rows = f.read()
        return rows, f"exit code {done.returncode}\n" + NOISE.sub("", text)


def hash_of(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()[:16]


def run_or_read(keep, program, program_hash, model, settings):
    """like `run`, but a result in the folder `keep` is read, and a new one is stored there"""
    if keep is None:
        return run(program, model, settings)
    key = json.dumps([hash_of(model), *words(model, settings)])
    folder = os.path.join(keep, program_hash)
    path = os.path.join(folder, hashlib.sha256(key.encode()).hexdigest()[:24] + ".json")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            return tuple(json.load(f))
    result = run(program, model, settings)
    if result[0] is None:  # a busy machine is no result
        return result
    os.makedirs(folder, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, encoding="utf-8") as f:
        json.dump(result, f)
    os.replace(f.name, path)
    return result


def tolerance(settings):
    return float(settings[settings.index("--rtol") + 1]) if "--rtol" in settings else 1e-8


def numbers(table):
    rows = list(csv.reader(io.StringIO(table)))
    return rows[0] if rows else [], [[float(x) for x in row] for row in rows[1:]]


def difference(before, after, rtol):
    """the largest difference of a column in tolerances, and which; inf if the tables have other shapes"""
    head, a = numbers(before)
    head_after, b = numbers(after)
    if head != head_after or len(a) != len(b):
        return math.inf, "shape"
    worst, where = 0.0, ""
    for column, name in enumerate(head):
        largest = max((abs(row[column]) for row in a if math.isfinite(row[column])), default=0.0)
        for x, y in zip(a, b):
            if x[column] == y[column] or (math.isnan(x[column]) and math.isnan(y[column])):
                continue
            off = abs(x[column] - y[column]) / (rtol * largest) if largest > 0 else math.inf
            if not off <= worst:
                worst, where = off, name
    return worst, where


def compare(job):
    before, before_hash, after, keep, model, settings = job
    a, text_a = run_or_read(keep, before, before_hash, model, settings)
    b, text_b = run(after, model, settings)
    name = f"{os.path.basename(model)} {' '.join(settings)}".strip()
    if a == b and text_a == text_b:
        return name, 0.0, ""
    if a is None or b is None:
        return name, math.inf, f"{text_a.splitlines()[0]} / {text_b.splitlines()[0]}"
    worst, where = difference(a, b, tolerance(settings)) if a and b else (0.0 if a == b else math.inf, "table")
    lines = [f"    - {x}\n    + {y}" for x, y in zip(text_a.splitlines(), text_b.splitlines()) if x != y]
    detail = f"{worst:.3g} tolerances in `{where}`" if worst else "the same table"
    return name, worst, detail + ("\n" + "\n".join(lines[:4]) if lines else "")


def program_of(word):
    if not os.access(word, os.X_OK):
        raise argparse.ArgumentTypeError(f"no program: {word}")
    return os.path.abspath(word)


def model_of(word):
    """a file, or the name of a shipped model"""
    for path in (word, os.path.join(MODELS, word + ".json")):
        if os.path.isfile(path):
            return path
    raise argparse.ArgumentTypeError(f"no file and no model in models/: {word}")


def main():
    summary, _, rest = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(description=summary, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=program_of, help="the program to compare with")
    parser.add_argument("after", type=program_of, help="the program that was changed")
    parser.add_argument("models", nargs="*", type=model_of, metavar="model", help="names of models, or files; default: all of models/")
    parser.add_argument(
        "--keep", metavar="FOLDER", help="store the results of BEFORE in FOLDER, by the hash of that program; read them if they are there"
    )
    asked = parser.parse_args()
    models = asked.models or sorted(os.path.join(MODELS, f) for f in os.listdir(MODELS) if f.endswith(".json"))
    before_hash = hash_of(asked.before)
    jobs = [(asked.before, before_hash, asked.after, asked.keep, model, settings) for model in models for settings in SETTINGS]
    same = different = far = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, worst, detail in pool.map(compare, jobs):
            if not detail:
                same += 1
                continue
            different += 1
            far += not worst <= MOST
            print(f"{name}: {detail}", flush=True)
    print(f"{same} the same, {different} different, {far} by more than {MOST:g} tolerances")
    sys.exit(1 if far else 0)


if __name__ == "__main__":
    main()
