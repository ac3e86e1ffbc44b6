"""Write `tenon/_parts.py`: methods of the builder, one for each type of joint and force, from the tables that read models.

`./dev reference` runs it. A test holds the file against what it writes.
"""

from __future__ import annotations

import keyword
import textwrap
from typing import Any

from tenon import _core, schema

HEAD = '''"""Parts by type, with their fields: what `Mechanism` is made of.

Written by build_tools/generate.py from the tables that read models: `./dev reference`. Do not edit it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal, TypeAlias, TypedDict

    #: a number, or an expression such as "30*deg"
    Number: TypeAlias = float | str
    #: two numbers in the plane, three in space
    Vector: TypeAlias = Sequence[Number]
    #: the name of a point or body, or coordinates
    Place: TypeAlias = str | Sequence[Number]
    #: "x", "-y" .., or a vector
    Direction: TypeAlias = str | Sequence[Number]
'''


def wrapped(text: str, indent: int) -> list[str]:
    """Lines of at most 120 columns."""
    return textwrap.wrap(text, 120 - indent, break_long_words=False, break_on_hyphens=False)


def name_of(word: str) -> str:
    """A name of Python for a word of the file."""
    name = word.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def type_of(field: dict[str, Any]) -> str:
    """The annotation for what a field takes."""
    for one in field.get("allOf", []):
        field = {**field, **one}
    if "$ref" in field:
        word = field["$ref"].rsplit("/", 1)[1]
        plain = {"number": "Number", "expression": "str", "vector": "Vector", "place": "Place", "direction": "Direction"}
        return plain.get(word, "str | Mapping[str, Any]")
    if "enum" in field:
        return "Literal[" + ", ".join(repr(word).replace("'", '"') for word in field["enum"]) + "]"
    if "const" in field:
        return "Literal[" + repr(field["const"]).replace("'", '"') + "]"
    if "anyOf" in field:
        found: list[str] = []
        for one in field["anyOf"]:
            for kind in type_of(one).split(" | "):
                if kind not in found:
                    found.append(kind)
        if "Number" in found or ("float" in found and "str" in found):
            found = ["Number"] + [kind for kind in found if kind not in ("Number", "float", "str")]
        return " | ".join(found)
    kind = field.get("type")
    if kind == "array":
        item = type_of(field.get("items", {}))
        return f"Sequence[{item}]"
    return {"number": "float", "integer": "int", "string": "str", "boolean": "bool", "null": "None"}.get(
        str(kind), "Mapping[str, Any]" if kind == "object" else "Any"
    )


def doc_of(summary: str, fields: dict[str, dict[str, Any]], required: list[str]) -> list[str]:
    """The docstring: a sentence, and the fields."""
    lines = wrapped(summary[0].upper() + summary[1:] + ".", 8 + 3)
    lines[0] = '"""' + lines[0]
    if fields:
        lines.append("")
    for key, field in fields.items():
        words = field.get("description", "").replace("\\", "\\\\")
        need = "" if key in required else "; may be left out"
        more = wrapped(f"{name_of(key)}: {words}{need}", 8 + 4)
        lines += [("    " if i else "") + line for i, line in enumerate(more)]
    lines.append('"""')
    return ["        " + line if line else "" for line in lines]


def method(kind: str, word: str, summary: str, content: dict[str, Any]) -> list[str]:
    """A method that adds a part of a type."""
    fields = {k: v for k, v in content["properties"].items() if k not in ("type", "repeat")}
    required = content["required"]
    paired = kind == "joint" and "between" in required
    result = "Joint" if kind == "joint" else "str"
    head = f"    def {name_of(word)}("
    arguments = ["self", "name: str"]
    if paired:
        arguments += ["first: str", "second: str"]
        fields.pop("between")
    needed = [k for k in fields if k in required]
    free = [k for k in fields if k not in required]
    keywords = [f"{name_of(k)}: {type_of(fields[k])}" for k in needed]
    keywords += [f"{name_of(k)}: {type_of(fields[k])} | None = None" for k in free]
    keywords.append("**own: Any")
    lines = [head]
    lines += [f"        {one}," for one in arguments + ["*"] * bool(len(keywords) > 1)]
    lines += [f"        {one}," for one in keywords]
    lines.append(f"    ) -> {result}:")
    lines += doc_of(summary, fields, required)
    pairs = ['"between": [first, second]'] if paired else []
    pairs += [f'"{k}": {name_of(k)}' for k in needed + free]
    call = f'        return self._{kind}("{word}", name, {{'
    lines.append(call)
    lines += [f"            {pair}," for pair in pairs]
    lines.append("            **own,")
    lines.append("        })")
    return lines


def generate() -> str:
    """The module."""
    found: dict[str, Any] = schema()
    body = found["properties"]["bodies"]["additionalProperties"]
    fields = {k: v for k, v in body["properties"].items() if k != "repeat"}
    lines = HEAD.splitlines()
    for kind in ("method", "formulation", "stabilizer", "integrator", "coordinates"):
        names = ", ".join(f'"{name}"' for name in sorted(_core.names(kind)))
        lines.append(f"    #: names of the kind {kind}")
        lines += textwrap.wrap(
            f"{kind.title()}Name: TypeAlias = Literal[{names}]", 116, initial_indent="    ", subsequent_indent="        ", break_on_hyphens=False
        )
    lines += ["", "    class BodyFields(TypedDict, total=False):", '        """Fields of a body."""', ""]
    for key, field in fields.items():
        lines += [f"        #: {line}" for line in wrapped(field.get("description", ""), 11)]
        lines.append(f"        {name_of(key)}: {type_of(field)}")
    lines += ["", "", "class Joint(str):", '    """The name of a joint; `joint.channel("angle")` is that of a channel."""', ""]
    lines += ["    def channel(self, name: str) -> str:", '        """A channel of it, such as `A.angle`."""']
    lines += ['        return f"{self}.{name}"', "", ""]
    lines += ["class Parts:", '    """Methods that add a part, one for each type."""', ""]
    for kind in ("joint", "force"):
        lines += [f"    def _{kind}(self, type: str, name: str, fields: dict[str, Any]) -> {'Joint' if kind == 'joint' else 'str'}:"]
        lines += ["        raise NotImplementedError", ""]
    for kind in ("joint", "force"):
        docs = _core.names(kind)
        for one in found["definitions"][kind]["allOf"]:
            content = one["then"]
            word = content["properties"]["type"]["const"]
            lines += [*method(kind, word, docs[word], content), ""]
    return "\n".join(line.rstrip() for line in lines) + "\n"


if __name__ == "__main__":
    print(generate(), end="")
