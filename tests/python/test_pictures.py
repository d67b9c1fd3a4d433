"""What notebooks show is well formed and shows what was found."""
from __future__ import annotations

import xml.etree.ElementTree as xml

import slicepool as sp


def test_tables_have_the_first_rows() -> None:
    F = sp.Factorizations([6, 9, 20], 600)
    page = xml.fromstring(f"<div>{F._repr_html_()}</div>")
    cells = [[int(cell.text or "") for cell in row] for row in page.findall(".//tbody/tr")]
    assert cells == [[rank, *F[rank]] for rank in range(8)]
    assert page.findtext(".//caption") == f"{F!r}: {len(F)}" and page.findtext("p") == f".. {len(F) - 8} more"
    assert xml.fromstring(f"<div>{sp.Factorizations([6, 9, 20], 1)._repr_html_()}</div>").findall(".//tbody/tr") == []
    with sp.options(memory_limit="1MiB"):
        assert sp.Factorizations([6, 9, 20], 10**9)._repr_html_() == "Factorizations([6, 9, 20], 1000000000)"


def test_vectors_are_a_table() -> None:
    V = sp.short_vectors([[1, 0], [0, 1]], 9)
    rows = xml.fromstring(f"<div>{V._repr_html_()}</div>").findall(".//tbody/tr")
    assert [row[1].text for row in rows] == [str(v.vector) for v in V.vectors[:8]]


def test_solutions_are_points_of_a_grid() -> None:
    R = sp.no_three_in_line(6)
    picture = xml.fromstring(R._repr_svg_())
    grids = picture.findall("{*}path")
    circles = [(float(c.get("cx", "")), float(c.get("cy", ""))) for c in picture.findall("{*}circle")]
    assert len(grids) == min(R.count, 12) and len(circles) == len(set(circles)) == 12 * len(grids)
    first = {((x - 18) / 12, (y - 18) / 12) for x, y in circles[:12]}
    assert first == {tuple(map(float, point)) for point in R.solutions[0].tolist()}
    xml.fromstring(sp.no_three_in_line(6, solutions=False)._repr_svg_())
