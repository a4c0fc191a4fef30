"""``tract_resource_get``: values of JSON files are known when the graph is read.

The Python package of tract can't enable this registry, so that nothing is compared with it.
"""

from __future__ import annotations

import pytest

from snd_analysis.base import OperatorName
from snd_analysis.model import Tensor
from support.memory import snapshot_of

_HEAD = "version 1.0;\nextension tract_registry tract_core;\nextension tract_registry tract_resource;\n"
_JSON = '{"model": {"shape": [2, 3], "scales": [0.5, 2], "a b": {"on": true}, "name": "relu", "none": null}}'


def _problems(body: str, json: str | None = _JSON) -> list[str]:
    text = f"{_HEAD}graph net(x) -> (y)\n{{\n    {body}\n}}\n"
    files = {"graph.nnef": text, **({} if json is None else {"config/settings.json": json})}
    return [each.message for each in snapshot_of(files).diagnostics("graph.nnef")]


def _get(key: str) -> str:
    return f"tract_resource_get(label = 'config/settings', key = {key})"


def test_shapes_and_numbers():
    text = f"""{_HEAD}graph net(x) -> (y)
{{
    x = external(shape = {_get("'$.model.shape'")});
    y = reshape(mul(x, {_get("'$.model.scales[0]'")}), shape = [{_get("'$.model.shape[1]'")}, 2]);
}}
"""
    snapshot = snapshot_of({"graph.nnef": text, "config/settings.json": _JSON})
    assert snapshot.diagnostics("graph.nnef") == ()
    graph = snapshot.compose(OperatorName("graph.nnef", "net")).graph
    assert graph is not None
    (output,) = graph.outputs.values()
    assert isinstance(output, Tensor)
    assert [str(each) for each in output.shape or ()] == ["3", "2"]


@pytest.mark.parametrize("key", ["\"$.model['a b'].on\"", "\"$['model'].scales\"", '"$.model.name"'])
def test_forms_of_keys(key: str):
    assert _problems(f"a = {_get(key)}; x = external(shape = [2]); y = mul(x, 2.0);") == []


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("'$.model.size'", "'config/settings.json' has no value at '$.model.size'"),
        ("'$.model.shape[2]'", "'config/settings.json' has no value at '$.model.shape[2]'"),
        ("'$.model.none'", "'config/settings.json' has no value at '$.model.none'"),
        ("'$.model'", "'config/settings.json' has an object at '$.model'"),
        ("3", "'key' is a string"),
    ],
)
def test_what_is_not_there(key: str, message: str):
    assert _problems(f"x = external(shape = [2]); y = mul(x, {_get(key)});") == [message]


@pytest.mark.parametrize("json", ["{", "[" * 100_000, f'{{"model": {"9" * 5_000}}}'])
def test_files_that_are_no_json(json: str):
    value = _get("'$.model'")
    problems = _problems(f"x = external(shape = [2]); y = mul(x, {value});", json)
    assert problems == ["'config/settings.json' is no JSON"]


@pytest.mark.parametrize("json", [None, _JSON])
def test_nothing_is_known_without_the_file_or_of_other_keys(json: str | None):
    key = "'$.model.shape'" if json is None else "'$..shape'"
    assert _problems(f"x = external(shape = [2]); y = reshape(x, shape = {_get(key)});", json) == []


def test_no_file_outside_of_the_folder_is_read():
    body = "x = external(shape = [2]); y = mul(x, tract_resource_get(label = '../settings', key = '$.model.none'));"
    assert _problems(body) == []
