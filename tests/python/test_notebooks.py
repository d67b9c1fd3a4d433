"""The notebooks of examples/notebooks/: committed without outputs, and every cell runs. Cells assert what they claim.

Cells are run here one after another in one module, and what the last line of each gives is shown as a notebook shows it. That needs
nothing but Python: a kernel of Jupyter brings 90 MB of packages and sockets. Where nbclient and ipykernel are installed anyway,
the notebooks run in a kernel as well.
"""
from __future__ import annotations

import ast
import importlib.util
import json
import pathlib
import xml.etree.ElementTree as xml
from typing import Any

import pytest

NOTEBOOKS = sorted((pathlib.Path(__file__).parents[2] / "examples" / "notebooks").glob("*.ipynb"))
notebooks = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@pytest.fixture(autouse=True)
def scratch(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")


def cells_of(path: pathlib.Path) -> list[dict[str, Any]]:
    return list(json.loads(path.read_text(encoding="utf-8"))["cells"])


def code_of(path: pathlib.Path) -> list[str]:
    return ["".join(cell["source"]) for cell in cells_of(path) if cell["cell_type"] == "code"]


def skip_without_packages(path: pathlib.Path) -> None:
    """Where a cell imports what is not installed."""
    for node in (node for source in code_of(path) for node in ast.walk(ast.parse(source))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            pytest.importorskip(name or "")


def show(value: Any) -> None:
    for method in ("_repr_html_", "_repr_svg_"):
        if hasattr(value, method):
            assert "<" in getattr(value, method)()
    if hasattr(value, "_repr_svg_"):
        xml.fromstring(value._repr_svg_())
    repr(value)


def run(source: str, name: str, namespace: dict[str, Any]) -> None:
    statements = ast.parse(source)
    last = statements.body[-1]
    if isinstance(last, ast.Expr):
        statements.body.pop()
    exec(compile(statements, name, "exec"), namespace)
    if isinstance(last, ast.Expr):
        show(eval(compile(ast.Expression(last.value), name, "eval"), namespace))


def test_there_are_three() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["comparing_modes", "numerical_semigroup", "short_vectors"]
    assert len(code_of(NOTEBOOKS[1])) == 10    # as its title says


@notebooks
def test_notebooks_have_no_outputs_and_claims_that_are_asserted(path: pathlib.Path) -> None:
    for cell in cells_of(path):
        assert cell["cell_type"] == "markdown" or (cell["outputs"] == [] and cell["execution_count"] is None)
    cells = code_of(path)
    assert sum("assert " in cell for cell in cells) >= len(cells) - 1    # all but the first, which imports


@notebooks
def test_notebooks_run(path: pathlib.Path) -> None:
    skip_without_packages(path)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for number, source in enumerate(code_of(path), 1):
        run(source, f"{path.stem}, cell {number}", namespace)
    if importlib.util.find_spec("matplotlib"):
        from matplotlib import pyplot
        pyplot.close("all")


@notebooks
def test_notebooks_run_in_a_kernel(path: pathlib.Path) -> None:
    nbformat: Any = pytest.importorskip("nbformat")
    nbclient: Any = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    skip_without_packages(path)
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(notebook, kernel_name="python3").execute()
