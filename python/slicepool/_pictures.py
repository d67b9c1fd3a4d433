"""Pictures for notebooks: tables as HTML, solutions as SVG."""
from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

_CELL = 12  # pixels of a cell of a grid


def table(title: str, head: Iterable[Any], rows: Iterable[Iterable[Any]], more: str = "") -> str:
    """An HTML table with a caption, and a line below it."""
    def line(cells: Iterable[Any], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(line(row, "td") for row in rows)
    below = f"<p>{html.escape(more)}</p>" if more else ""
    return f"<table><caption>{html.escape(title)}</caption><thead>{line(head, 'th')}</thead><tbody>{body}</tbody></table>{below}"


def sheet(points: npt.NDArray[Any], n: int, columns: int = 6) -> str:
    """Solutions, shape (k, 2n, 2), side by side as one SVG."""
    side = n * _CELL
    pitch = side + 2 * _CELL
    rows = -(-len(points) // columns) if len(points) else 0
    width = min(max(len(points), 1), columns) * pitch
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{max(rows, 1) * pitch}">']
    for number, solution in enumerate(np.asarray(points).tolist()):
        left, top = _CELL + number % columns * pitch, _CELL + number // columns * pitch
        lines = "".join(f"M{left} {top + i * _CELL}h{side}M{left + i * _CELL} {top}v{side}" for i in range(n + 1))
        parts.append(f'<path d="{lines}" stroke="#ccc" fill="none"/>')
        parts += [f'<circle cx="{left + (x + 0.5) * _CELL:g}" cy="{top + (y + 0.5) * _CELL:g}" r="{_CELL / 3:g}"/>' for x, y in solution]
    return "".join(parts) + "</svg>"
