"""Tables: what comparisons, studies and sweeps give."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

__all__ = ["Table"]


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


class Table:
    """Rows of the same columns: `table["error"]` is a column, `table[0]` a row as a dictionary."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self._rows = [dict(row) for row in rows]
        #: names of the columns
        self.columns: list[str] = []
        for row in self._rows:
            self.columns += [name for name in row if name not in self.columns]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._rows)

    def __getitem__(self, what: str | int) -> Any:
        if isinstance(what, int):
            return self._rows[what]
        if what not in self.columns:
            raise KeyError(what)
        return [row.get(what) for row in self._rows]

    def where(self, **conditions: object) -> Table:
        """The rows that have these values."""
        return Table([row for row in self._rows if all(row.get(k) == v for k, v in conditions.items())])

    def frame(self) -> Any:
        """As a DataFrame of pandas."""
        import pandas

        return pandas.DataFrame(self._rows, columns=self.columns)

    def __repr__(self) -> str:
        shown = [self.columns] + [[_cell(row.get(name)) for name in self.columns] for row in self._rows[:60]]
        width = [min(48, max(len(line[i]) for line in shown)) for i in range(len(self.columns))]
        lines = ["  ".join(cell[:w].ljust(w) for cell, w in zip(line, width, strict=True)).rstrip() for line in shown]
        if len(self._rows) > 60:
            lines.append(f".. {len(self._rows)} rows")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from html import escape

        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(_cell(row.get(name)))}</td>" for name in self.columns) + "</tr>"
            for row in self._rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
