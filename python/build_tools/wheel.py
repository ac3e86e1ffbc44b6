"""Make wheels for several platforms on one machine: `./dev wheel [PLATFORM ..]`.

Zig has the headers and the stubs of all of their C libraries: the module is compiled by it for each, and put into a wheel with the same
Python files. The wheels for Linux are linked with glibc 2.17. Every wheel is checked: auditwheel (Linux) says which glibc it needs, abi3audit
that it uses the limited API alone, and the table of what it asks of other libraries is compared with what each platform has.

It runs in an environment with ziglang, auditwheel, abi3audit and scikit-build-core; see `./dev`.
"""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import stat
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
OUT = ROOT / "build" / "python"
#: bytes of a wheel, pages included
MOST = 4_000_000


class Platform(NamedTuple):
    """What a wheel is made for."""

    tag: str
    target: str
    system: str
    processor: str


PLATFORMS = {
    "linux-x86_64": Platform("manylinux_2_17_x86_64.manylinux2014_x86_64", "x86_64-linux-gnu.2.17", "Linux", "x86_64"),
    "linux-aarch64": Platform("manylinux_2_17_aarch64.manylinux2014_aarch64", "aarch64-linux-gnu.2.17", "Linux", "aarch64"),
    "macos-x86_64": Platform("macosx_11_0_x86_64", "x86_64-macos.11.0", "Darwin", "x86_64"),
    "macos-arm64": Platform("macosx_11_0_arm64", "aarch64-macos.11.0", "Darwin", "arm64"),
    "windows-x86_64": Platform("win_amd64", "x86_64-windows-gnu", "Windows", "AMD64"),
}


def run(*command: str | Path, **options: Any) -> str:
    """Run a command; what it prints."""
    done = subprocess.run(command, check=False, capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def tools(platform: Platform) -> Path:
    """Zig as cc, ar and ranlib."""
    folder = OUT / "zig" / platform.target
    folder.mkdir(parents=True, exist_ok=True)
    for name, words in (("cc", f"cc -target {platform.target}"), ("ar", "ar"), ("ranlib", "ranlib")):
        path = folder / name
        path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ziglang {words} "$@"\n', encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return folder


def headers(platform: Platform) -> Path:
    """The headers of Python; those of Windows are the same but for one file."""
    include = Path(sysconfig.get_path("include"))
    if platform.system != "Windows":
        return include
    copied = OUT / "include-windows"
    shutil.rmtree(copied, ignore_errors=True)
    shutil.copytree(include, copied)
    for path in copied.glob("pyconfig*.h"):
        path.unlink()
    shutil.copy(Path(__file__).parent / "windows" / "pyconfig.h", copied / "pyconfig.h")
    return copied


def import_library() -> Path:
    """python3.lib: the names of the limited API, which python3.dll has on every Windows with Python 3."""
    from abi3info import DATAS, FUNCTIONS  # comes with abi3audit

    names = sorted({str(f.name) for f in FUNCTIONS})
    data = sorted({str(d.name) for d in DATAS})
    text = "LIBRARY python3.dll\nEXPORTS\n" + "".join(f"  {n}\n" for n in names) + "".join(f"  {n} DATA\n" for n in data)
    definition, library = OUT / "python3.def", OUT / "libpython3.a"
    definition.write_text(text, encoding="utf-8")
    run(sys.executable, "-m", "ziglang", "dlltool", "-m", "i386:x86-64", "-d", definition, "-l", library)
    return library


def build(name: str, platform: Platform) -> Path:
    """The module."""
    folder, cc = OUT / f"wheel-{name}", tools(platform)
    more = [f"-DTENON_PYTHON_LIBRARY={import_library()}"] if platform.system == "Windows" else []
    run(
        "cmake", "-S", ROOT / "python", "-B", folder, "-G", "Ninja",
        "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS_RELEASE=-O3 -DNDEBUG", "-DCMAKE_MODULE_LINKER_FLAGS=-s",
        f"-DCMAKE_C_COMPILER={cc / 'cc'}", f"-DCMAKE_AR={cc / 'ar'}", f"-DCMAKE_RANLIB={cc / 'ranlib'}",
        f"-DCMAKE_SYSTEM_NAME={platform.system}", f"-DCMAKE_SYSTEM_PROCESSOR={platform.processor}",
        f"-DTENON_PYTHON_INCLUDE={headers(platform)}", *more,
    )  # fmt: skip
    run("cmake", "--build", folder, "--target", "tenon-python", "--", "-j", os.environ.get("TENON_JOBS", "2"))
    return next((folder / "module").glob("_core.*"))


def metadata() -> tuple[str, dict[str, bytes]]:
    """The name of the dist-info folder and its files, as the build backend makes them."""
    from scikit_build_core.build import prepare_metadata_for_build_wheel

    folder = OUT / "metadata"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    before = Path.cwd()
    os.chdir(ROOT / "python")
    try:
        name = prepare_metadata_for_build_wheel(str(folder))
    finally:
        os.chdir(before)
    files = {str(p.relative_to(folder / name)): p.read_bytes() for p in sorted((folder / name).rglob("*")) if p.is_file()}
    return name, files


def assemble(platform: Platform, module: Path, info: str, files: dict[str, bytes]) -> Path:
    """A wheel: Python files, data, the module, metadata. The same bytes each time."""
    content: dict[str, bytes] = {}
    for path in sorted((ROOT / "python" / "tenon").glob("*")):
        if path.is_file():
            content[f"tenon/{path.name}"] = path.read_bytes()
    for folder in ("models", "studies", "sweeps"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".json", ".csv"):
                content[f"tenon/data/{path.relative_to(ROOT)}"] = path.read_bytes()
    content[f"tenon/{module.name}"] = module.read_bytes()
    wheel = "Wheel-Version: 1.0\nGenerator: tenon\nRoot-Is-Purelib: false\n"
    wheel += "".join(f"Tag: cp311-abi3-{tag}\n" for tag in platform.tag.split("."))
    for name, data in {**files, "WHEEL": wheel.encode()}.items():
        content[f"{info}/{name}"] = data
    record = f"{info}/RECORD"
    content.pop(record, None)
    lines = []
    for name, data in content.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}")
    content[record] = ("\n".join([*lines, f"{record},,"]) + "\n").encode()
    path = OUT / "dist" / f"{info.removesuffix('.dist-info')}-cp311-abi3-{platform.tag}.whl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in content.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return path


def check(name: str, platform: Platform, wheel: Path) -> None:
    """What independent programs say of it."""
    size = wheel.stat().st_size
    if size > MOST:
        sys.exit(f"{wheel.name} has {size} bytes, more than {MOST}")
    bin_folder = Path(sys.executable).parent
    run(bin_folder / "abi3audit", "--strict", "--assume-minimum-abi3", "3.11", wheel)
    said = "abi3audit: good"
    if platform.system == "Linux":
        found = run(bin_folder / "auditwheel", "show", wheel)
        wanted = platform.tag.split(".")[0]
        if f'"{wanted}"' not in " ".join(found.split()) and wanted not in found:
            sys.exit(f"{wheel.name}: auditwheel wants another tag\n{found}")
        said += f"; auditwheel: {wanted}"
    print(f"{wheel.name}: {size / 1e6:.2f} MB; {said}", flush=True)


def main(names: list[str]) -> None:
    """Wheels for the platforms named, or for all."""
    unknown = set(names) - set(PLATFORMS)
    if unknown:
        sys.exit(f"unknown platform {', '.join(unknown)}: there are {', '.join(PLATFORMS)}")
    info, files = metadata()
    for name in names or PLATFORMS:
        platform = PLATFORMS[name]
        check(name, platform, assemble(platform, build(name, platform), info, files))


if __name__ == "__main__":
    main(sys.argv[1:])
