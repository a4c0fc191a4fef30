"""Pictures of the data flow of samples: `snd doc nn.conv --picture`, and those of docs/library."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from support.library_pictures import FOLDER, library_flows, library_pictures

FLOWS = library_flows()


def test_the_pictures_of_the_library_are_those_of_its_samples(request: pytest.FixtureRequest):
    """``make docs`` and ``pytest --update-goldens`` write them."""
    pictures = library_pictures()
    if request.config.getoption("--update-goldens"):
        for name, content in pictures.items():
            (FOLDER / name).write_text(content, encoding="utf-8", newline="")
    assert {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()} == pictures
    for content in pictures.values():
        ElementTree.fromstring(content)
        assert "prefers-color-scheme:dark" in content


def test_every_mode_has_its_picture():
    def drawn(name: str) -> str:
        return " ".join(flow.invocation for flow in FLOWS[name])

    assert all(method in drawn("layout.pad") for method in ("REFLECT", "SYMMETRIC", "REPLICATE"))
    assert all(word in drawn("nn.conv") for word in ("stride=[2]", "dilation=[2]", "padding=[0,0]"))
    assert all(mode in drawn("image.resize") for mode in ("LINEAR", "CUBIC"))
    assert all(mode in drawn("image.nearest_resize") for mode in ("ALIGNED", "ASYMMETRIC", "CEIL"))


@pytest.mark.parametrize("name", ["layout.pad", "layout.shuffle", "image.nearest_resize", "image.nearest_upsample"])
def test_what_only_moves_elements_shows_equal_values_at_both_ends(name: str):
    for flow in FLOWS[name]:
        assert len(flow.edges) > 1
        for element, result in flow.edges:
            assert float(flow.elements[element]) == float(flow.results[result]), flow.invocation


def test_windows_have_as_many_lines_as_elements_inside():
    flows = {flow.invocation: flow.edges for flow in FLOWS["nn.conv"]}
    assert flows["conv{dilation=[2], padding=[0,0]}"] == ((0, 0), (2, 0), (1, 1), (3, 1))
    assert flows["conv{stride=[2]}"] == ((0, 0), (1, 0), (2, 1), (3, 1))
    assert [result for _, result in flows["conv"]] == [0, 0, 1, 1, 1, 2, 2, 2, 3, 3]


def test_doc_shows_the_picture_of_an_operator(real):
    outcome = real("doc", "nn.conv", "--picture")
    assert outcome.status == 0
    assert outcome.stdout == library_pictures()["nn.conv.svg"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (("nn",), "--picture takes an operator, as in nn.conv"),
        ((), "--picture takes an operator, as in nn.conv"),
        (("rand.uniform",), "no sample of 'uniform' has a vector as its input and its output"),
    ],
)
def test_doc_says_why_there_is_no_picture(real, name, said):
    outcome = real("doc", *name, "--picture")
    assert outcome.status == 2
    assert said in outcome.stderr
