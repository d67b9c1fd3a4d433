"""Python in README.md and docs/, and in docstrings, as it stands there: each document is one session. A comment in the line before
a fence, `<!-- needs: NAME -->`, leaves it out where there is no module and no program of this name (fplll: where the build has none);
`<!-- not run: REASON -->` always does. Sessions run in a folder of their own, which shows the examples and the data of tests of the repository."""
from __future__ import annotations

import doctest
import importlib
import importlib.util
import pathlib
import pkgutil
import re
import shutil
from typing import Any

import pytest

import slicepool as sp

ROOT = pathlib.Path(__file__).parents[2]
FENCE = re.compile(r"^(?:<!-- (not run|needs): ([^\n]*) -->\n)?```python\n(.*?)^```$", re.M | re.S)


def can_run(mark: str | None, value: str) -> bool:
    if value == "fplll":
        return bool(sp.info(gpus=False)["build"]["fplll"])
    if value == "fpylll" and not sp.info(gpus=False)["build"]["fplll"]:
        return False    # it is there, and this build has nothing for it
    return mark is None or (mark == "needs" and bool(importlib.util.find_spec(value) or shutil.which(value)))


def sessions() -> list[Any]:
    found = []
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        shown = [match for match in FENCE.finditer(text) if match[3].startswith(">>>")]
        fences = [match for match in shown if can_run(match[1], match[2])]
        for name in sorted({match[2] for match in shown if match[1] == "needs"} - {match[2] for match in fences}):
            left_out = pytest.mark.skip(reason=f"{path.relative_to(ROOT)}: needs {name}")
            found.append(pytest.param(path, "", id=f"{path.relative_to(ROOT)}, {name}", marks=left_out))
        if fences:    # blank lines, so that failures name the lines of the document
            session = list("\n" * text.count("\n"))
            for match in fences:
                first = text.count("\n", 0, match.start(3))
                for offset, line in enumerate(match[3].splitlines()):
                    session[first + offset] = line + "\n"
            found.append(pytest.param(path, "".join(session), id=str(path.relative_to(ROOT))))
    return found


def run(test: doctest.DocTest) -> None:
    said: list[str] = []
    results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
    assert results.attempted > 0 and results.failed == 0, "".join(said)


@pytest.mark.parametrize("path, session", sessions())
def test_documents(path: pathlib.Path, session: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "fplll" in session and not sp.info(gpus=False)["build"]["fplll"]:
        pytest.skip("this build has no fplll")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "data").symlink_to(ROOT / "tests" / "data")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setenv("SLICEPOOL_CACHE_DIR", str(tmp_path / "cache"))
    run(doctest.DocTestParser().get_doctest(session, {}, path.name, str(path), 0))


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(sp.__path__) if module.name.startswith("_") and module.name != "_slicepool"])
def test_docstrings(name: str) -> None:
    module = importlib.import_module(f"slicepool.{name}")
    for test in doctest.DocTestFinder().find(module):
        if test.examples and (test.globs or {}).get("__name__") == module.__name__:
            run(test)


def test_the_manual_names_every_public_word() -> None:
    manual = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    left_out = {"CloseVector", "CloseVectors", "NoThreeInLine", "ShortVector", "ShortVectors", "Manifest", "__version__"}    # results, which the text shows
    assert [word for word in sp.__all__ if word not in left_out and f"sp.{word}" not in manual and f"`{word}`" not in manual] == []
