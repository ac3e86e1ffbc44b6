"""Examples of documents and notebooks run; pages that are written from docstrings are up to date."""

from __future__ import annotations

import importlib.util
import json
import re
import warnings
from pathlib import Path
from typing import Any

import pytest
import tenon

HERE = Path(__file__).resolve().parent.parent


def blocks(path: Path) -> list[str]:
    """Blocks of Python of a page."""
    return re.findall(r"^```py\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def execute(pieces: list[str], name: str) -> dict[str, Any]:
    """All pieces in one namespace."""
    space: dict[str, Any] = {"__name__": "__main__"}
    for i, piece in enumerate(pieces):
        exec(compile(piece, f"{name}, block {i + 1}", "exec"), space)
    return space


def test_the_tutorial_runs(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    pieces = blocks(root / "docs" / "python.md")
    assert len(pieces) >= 7
    execute(pieces, "docs/python.md")
    said = capsys.readouterr().out
    assert "trusted (1001, 2) 10.0" in said
    assert "body 'b': unknown key 'mas' (leg.json:2:19) - did you mean 'mass'?" in said


@pytest.mark.parametrize("page", ["README.md", "python/README.md"])
def test_readmes_run(page: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tenon.Result, "show", lambda self: None)
    (tmp_path / "four_bar.json").write_text((root / "models" / "four_bar.json").read_text(encoding="utf-8"), encoding="utf-8")
    pieces = blocks(root / page)
    assert pieces
    execute(pieces, page)


@pytest.mark.parametrize("path", sorted((HERE / "notebooks").glob("*.ipynb")), ids=lambda p: p.stem)
def test_notebooks_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells in order, in one namespace, as Jupyter would; nothing in them is for IPython alone."""
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tenon.Result, "show", lambda self, height=0: None)
    book = json.loads(path.read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 3 and all(not cell["outputs"] for cell in book["cells"] if cell["cell_type"] == "code")
    with warnings.catch_warnings():
        warnings.simplefilter("default", tenon.DoubtWarning)
        execute(cells, path.name)
    import matplotlib.pyplot as plt

    plt.close("all")


def test_there_are_six_notebooks() -> None:
    assert len(list((HERE / "notebooks").glob("*.ipynb"))) == 6


def test_the_reference_is_up_to_date(root: Path) -> None:
    spec = importlib.util.spec_from_file_location("reference", root / "python" / "build_tools" / "reference.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.reference() == (root / "docs" / "python-reference.md").read_text(encoding="utf-8"), "./dev reference"
