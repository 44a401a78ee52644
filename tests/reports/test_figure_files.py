"""Figures as files of their own."""

from xml.etree import ElementTree

from gridproof_reports.drawing.style import new_drawing, to_file, to_svg


def test_a_figure_of_its_own_is_xml_whatever_it_draws() -> None:
    drawing = new_drawing(60)
    drawing.plot([0, 10, 20], [5, 9, 7], marker="o")  # matplotlib draws each marker by a reference to the first
    svg = to_svg(drawing, "three points")

    assert "xlink:href" in svg
    assert ElementTree.fromstring(to_file(svg)).tag.endswith("svg")
