"""Arguments of ``snd shapes``: attributes, types, shapes of inputs, operators to decompose."""

from __future__ import annotations

import pytest

from support.server.shapes_output import read

MODEL = """\
import nn;

graph net {
    @dtype { T: num = real; }
    @attrib {
        n: int = 3; rate: real = 0.5; name: str = 'x'; flag: bool = true; limit: optional int;
        modes: str..(k) = ['a']; sizes: int..(2) = 1; scale: T = T(1); row: T..(2) = [T(1), T(2)];
    }
    @input { x: real[h|10, 4]; t: T[2]; xs: real[4]..(n); q: optional real[h]; rest: real[m|8]..; }
    @output { y: real[h, 4]; }
    @assert { n > 0: "{modes} {limit} {row} {name} {scale} {flag} {rate} {sizes}"; }
    @compose { y = nn.relu(x); }
}
"""


@pytest.fixture
def model(project):
    (project / "main.sknd").write_text(MODEL)
    return project


def _shapes(real, *arguments: str):
    outcome = real("shapes", ".", "--format", "json", *arguments)
    assert outcome.status == 0, outcome.stderr
    return read(outcome.stdout)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("n=(1 + 2) * 2", 6),
        ("n=5  # as in the paper", 5),
        ("rate=1.5", 1.5),
        ("flag=1 < 2", True),
        ("name=two words", "two words"),
        ("name='~'", "~"),
        ("name='a{1 + 1}'", "a2"),
        ("limit=~", None),
        ("limit=4", 4),
        ("modes=['p', 'q']", ["p", "q"]),
        ("sizes=[1, 2]", [1, 2]),
        ("sizes=7", [7, 7]),
    ],
)
def test_attributes(real, model, written, value):
    assert _shapes(real, "--attrib", written)["attributes"][written.partition("=")[0]] == value


def test_a_type_is_given_or_deduced(real, model):
    for arguments in (["--attrib", "T=int"], ["--type", "T=int"], ["--attrib", "scale=2"], ["--attrib", "row=[1, 2]"]):
        found = _shapes(real, *arguments)
        assert found["inputs"][1]["dtype"] == "int"
        assert isinstance(found["attributes"]["scale"], int)
    assert _shapes(real)["inputs"][1]["dtype"] == "real"


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("T=bool", "'T' is a generic type of 'num': write 'int' or 'real'"),
        ("T=foo", "'T' is a generic type of 'num': write 'int' or 'real'"),
        ("N=1", "the graph 'net' has no attribute 'N'; did you mean 'n'?"),
        ("other=1", "the graph 'net' has no attribute 'other'; it has 'n', 'rate'"),
        ("n", "write NAME=VALUE"),
        ("=1", "write NAME=VALUE"),
        ("n=", "'n' is of type 'int', and this is not one expression: it ends too early"),
        ("n=1; } @using { a = 2", "--attrib n=1; } @using { a = 2: 'n' is of type 'int', and this is not one"),
        ("n=1 2", "this is not one expression: found '2'"),
        ("n=1.5", "'n' is of type 'int', and this is 'real'"),
        ("n=[1]", "'n' is a single value, of type 'int', not a list"),
        ("n=~", "'n' is not optional, so it can't be null"),
        ("n=1 / 0", "'n' is of type 'int', and this has no value: the right side of '/' is 0"),
        ("n=k", "there is nothing here that 'k' could name"),
        ("n=1 + 'a'", "and this has no value: '+' takes int or real, but this is 'str'"),
        ("n=sqrt(4)", "and this has no value: 'sqrt' takes real"),
        ("n=2 ** 8192", "digits, more than snd can handle"),
        ("n=2 ** 99999999", "digits, more than snd can handle"),
        ("sizes=[0:10 ** 9]", "lists here have at most 65,536 items"),
        ("n=([0:60000, 0:60000] + ..)", "lists here have at most 65,536 items"),
        ("rate=1", "'rate' is of type 'real', and this is 'int'"),
        ("flag=1", "'flag' is of type 'bool', and this is 'int'"),
        ("name=~", "'name' is not optional"),
        ("name='a", "this string is never closed"),
        ("limit='a'", "'limit' is of type 'int', and this is 'str'"),
        ("modes=p", "the attribute 'modes' of 'net' is a pack of 'k' items"),
        ("modes=[1]", "'modes' is a pack of 'str', and this is 'int'"),
        ("sizes=[1, 2, 3]", "--attrib sizes=[1, 2, 3]: the attribute 'sizes' of 'net' is a pack of 2 items"),
        ("sizes=[1, 'a']", "the items of a list must have one type"),
        ("row=[1, 2.0]", "the items of a list must have one type"),
        ("scale='a'", "'scale' is of type 'T: num', and this is 'str'"),
    ],
)
def test_attributes_that_do_not_fit(real, model, written, message):
    outcome = real("shapes", ".", "--attrib", written)
    assert outcome.status == 2
    assert message in outcome.stderr
    assert not outcome.stdout


def test_given_twice_or_against_each_other(real, model):
    assert "'n' is given twice" in real("shapes", ".", "--attrib", "n=1", "--attrib", "n=2").stderr
    mixed = real("shapes", ".", "--attrib", "scale=1", "--attrib", "row=[1.0, 2.0]")
    assert "'row' is a pack of 'int', and this is 'real'" in mixed.stderr
    assert "this is 'real'" in real("shapes", ".", "--attrib", "T=int", "--attrib", "scale=1.0").stderr


# ---- shapes of inputs ------------------------------------------------------------------------------------------------
def _extents(tensor):
    return [_extents(item) for item in tensor["items"]] if "items" in tensor else tensor["shape"]


def test_inputs(real, model):
    found = _shapes(real, "--input", "x=3,4")
    assert [_extents(tensor) for tensor in found["inputs"]] == [[3, 4], [2], [[4]] * 3, [3], [["m"]]]
    assert _extents(found["outputs"][0]) == [3, 4]
    found = _shapes(real, "--input", "q=[5]", "--input", "rest=2; 2; 2")
    assert [_extents(tensor) for tensor in found["inputs"]] == [[5, 4], [2], [[4]] * 3, [5], [[2]] * 3]
    assert [tensor["name"] for tensor in _shapes(real, "--input", "q=~")["inputs"]] == ["x", "t", "xs", "rest"]
    assert _extents(_shapes(real, "--attrib", "n=2", "--input", "xs=4;4")["inputs"][2]) == [[4], [4]]
    assert _extents(_shapes(real, "--input", "xs=4")["inputs"][2]) == [[4]] * 3


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("z=1", "the graph 'net' has no input 'z'"),
        ("x", "write NAME=SHAPE"),
        ("x=3,b", "write the extents of a shape as numbers"),
        ("x=3,-4", "write the extents of a shape as numbers"),
        ("x=~", "'x' is not optional"),
        ("x=3,4;3,4", "'x' is a single tensor, and these are 2 shapes"),
        ("x=3", "--input x=3: the input 'x' of 'net' ('real[h|10,4]') needs rank 2, but this is 'real[3]', of rank 1"),
        ("x=3,5", "but this is 'real[3,5]', with 5 there"),
        ("x=11,4", "is at most 10, but here it is 11"),
        ("xs=4;4", "the input 'xs' of 'net' is a pack of 3 tensors, but this has 2"),
    ],
)
def test_inputs_that_do_not_fit(real, model, written, message):
    outcome = real("shapes", ".", "--input", written)
    assert outcome.status == 2
    assert message in outcome.stderr


def test_inputs_that_do_not_fit_each_other(real, model):
    outcome = real("shapes", ".", "--input", "x=3,4", "--input", "q=5")
    assert outcome.status == 2
    assert "the extent 'h', which is 3 because of the input 'x'" in outcome.stderr


def test_a_shape_that_is_given_need_not_be_declared(real, project):
    (project / "main.sknd").write_text(
        "import nn;\n\ngraph net {\n    @input { x: real[n]; z: real; }\n    @output { y: real; }\n"
        "    @compose { y = nn.relu(x); }\n}\n"
    )
    assert real("shapes", ".").status == 1
    assert real("shapes", ".", "--input", "x=3").status == 1
    found = _shapes(real, "--input", "x=3", "--input", "z=2,2")
    assert (found["outputs"][0]["shape"], found["diagnostics"]) == ([3], [])


# ---- decomposition ---------------------------------------------------------------------------------------------------
def test_operators_to_decompose_must_be_invoked(real, model):
    assert real("shapes", ".", "--decompose", "nn.relu").status == 0
    assert real("shapes", ".", "--decompose", "relu").status == 0
    outcome = real("shapes", ".", "--decompose", "nn.rleu")
    assert outcome.status == 2
    assert "invokes no operator 'nn.rleu'; did you mean 'nn.relu'?" in outcome.stderr


@pytest.mark.parametrize(("given", "extent"), [("11,5,5", "~|10"), ("10,5,6", "p|5 ..(2)")])
def test_bounds_of_extents_without_names_and_of_packs(real, project, given, extent):
    (project / "main.sknd").write_text(
        "import nn;\n\ngraph net {\n    @input { x: real[~|10, p|5 ..(2)]; }\n    @output { y: real; }\n"
        "    @compose { y = nn.relu(x); }\n}\n"
    )
    assert _shapes(real, "--input", "x=10,5,5")["outputs"][0]["shape"] == [10, 5, 5]
    outcome = real("shapes", ".", "--input", f"x={given}")
    assert outcome.status == 2
    assert f"the extent '{extent}' of the input 'x' of 'net' is at most" in outcome.stderr
