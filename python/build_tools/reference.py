"""Write docs/python-reference.md from the docstrings. `./dev reference` runs it; a test holds the page against it."""

from __future__ import annotations

import inspect
import textwrap
from typing import Any

import tenon

HEAD = """# Python: reference

Everything public of the package, from its docstrings. [python.md](python.md) is the tutorial. Methods of `Mechanism` for types of joints and
forces have the fields of [reference.md](reference.md), by the same names.
"""


def signature(value: Any) -> str:
    """Its arguments, without those that only Python needs."""
    found = inspect.signature(value)
    kept = [p.replace(annotation=inspect.Parameter.empty) for n, p in found.parameters.items() if n not in ("self", "cls")]
    return str(found.replace(parameters=kept, return_annotation=inspect.Signature.empty))


def doc(value: Any) -> str:
    """Its docstring, with code as blocks."""
    text = inspect.getdoc(value) or ""
    lines: list[str] = []
    for block in text.split("\n\n"):
        if block.startswith("    "):
            lines += ["```text", textwrap.dedent(block), "```", ""]
        else:
            lines += [block, ""]
    return "\n".join(lines)


def of_class(name: str, value: Any) -> list[str]:
    """A class with its properties and methods."""
    lines = [f"## {name}", "", doc(value)]
    from tenon import _core, _parts

    left_out = set(dir(_parts.Parts)) if name == "Mechanism" else set()
    members = [m for m in dir(value) if not m.startswith("_") and m not in left_out and m not in dir(object)]
    if issubclass(value, (Exception, Warning, str)) and name not in ("Body", "Joint"):
        members = []
    for member in members:
        found = inspect.getattr_static(value, member)
        if isinstance(found, property) or type(found).__name__ == "getset_descriptor":
            first = " ".join((inspect.getdoc(found) or "").split("\n\n")[0].split())
            lines += [f"- `{member}`: {first}"]
    lines += [""] if lines[-1].startswith("- ") else []
    for member in members:
        found = inspect.getattr_static(value, member)
        inherited = issubclass(value, str) and member in dir(str)
        if inherited or not callable(getattr(value, member)) or isinstance(found, property):
            continue
        try:
            arguments = signature(getattr(value, member))
        except ValueError:
            arguments = "(..)"
        lines += [f"### {name}.{member}", "", f"`{member}{arguments}`", "", doc(getattr(value, member))]
    del _core
    return lines


def reference() -> str:
    """The page."""
    lines = [HEAD]
    for name in sorted(tenon.__all__, key=str.lower):
        value = getattr(tenon, name)
        if name == "__version__":
            continue
        if inspect.isclass(value):
            lines += of_class(name, value)
        else:
            lines += [f"## {name}", "", f"`tenon.{name}{signature(value)}`", "", doc(value)]
    text = "\n".join(line.rstrip() for line in "\n".join(lines).split("\n"))
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.strip() + "\n"


if __name__ == "__main__":
    print(reference(), end="")
