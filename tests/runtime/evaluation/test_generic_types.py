"""Generic types of what has no caller: each is held against its base, and all inputs of one type agree (2.13)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from snd_analysis.compose import Session, Template, compose_root
from snd_analysis.skriptnd.names import OperatorName, library_names
from snd_analysis.skriptnd.types import ALLOWED, CONCRETE
from snd_runtime.errors import EvaluationFailed
from snd_runtime.evaluation import EvaluationAnswer, EvaluationRequest, LiteralInput
from snd_runtime.evaluation.handler import evaluate
from snd_runtime.execution import Execution, StatefulGraph, bind_arrays
from support.memory import snapshot_of

IMPORTS = "".join(f"import {module};\n" for module in ("cvm", "layout", "linalg", "math", "nn", "tennis", "tosa"))
SNAPSHOT = snapshot_of({"main.sknd": IMPORTS})
VALUES = {"int": 1, "real": 1.5, "bool": True, "str": "a"}


def answer(operator: str, **inputs: object) -> EvaluationAnswer:
    module, _, name = operator.partition(".")
    given = {each: LiteralInput(value) for each, value in inputs.items()}
    request = EvaluationRequest(OperatorName(f"snd:{module}", name), inputs=given, keep=True)
    return evaluate(SNAPSHOT, request, lambda step: None)


def refusal(operator: str, **inputs: object) -> tuple[str, str]:
    (failure,) = answer(operator, **inputs).failures
    return failure.rule.name, failure.message


@pytest.mark.parametrize(
    ("operator", "inputs", "said"),
    [
        ("tosa.add", {"input1": ["a"], "input2": ["b"]}, "the input 'input1' is 'str'"),
        ("tosa.add", {"input1": [True], "input2": [True]}, "the input 'input1' is 'bool'"),
        ("tennis.sub", {"x": ["a"], "a": ["b"]}, "the input 'x' is 'str'"),
        ("math.add", {"x": ["a"], "y": ["b"]}, "the input 'x' is 'str'"),
        ("math.add", {"x": [True]}, "the input 'x' is 'bool'"),  # the other one would be made
    ],
)
def test_a_value_outside_the_base_is_refused(operator, inputs, said):
    rule, message = refusal(operator, **inputs)
    assert rule == "generic-outside-base"
    assert message == f"'T: num' of '{operator}' can be int or real, but {said}"


def test_a_type_outside_the_base_is_refused_where_it_is_given():
    request = EvaluationRequest(OperatorName("snd:math", "add"), dtypes={"T": "bool"})
    (failure,) = evaluate(SNAPSHOT, request, lambda step: None).failures
    assert failure.message == "'T: num' of 'math.add' can be int or real, but it is given as 'bool'"


def test_inputs_of_one_generic_type_agree():
    rule, message = refusal("math.add", x=[1], y=[True])
    assert rule == "generic-conflict"
    assert message == "'T' of 'math.add' is 'int' because of the input 'x', but 'bool' because of the input 'y'"


@pytest.mark.parametrize(("x", "y"), [([1], [1.5]), ([1.5], [1])])
def test_ints_may_be_given_for_reals(x, y):
    arrays = answer("math.add", x=x, y=y).arrays
    assert arrays is not None
    assert arrays["z"].tolist() == [2.5]  # type: ignore[union-attr]


def _generic_operators() -> Iterator[tuple[str, str, str]]:
    """Yield the operators of the library with a generic type that an input has, and the name of that input."""
    for module in ("cvm", "layout", "linalg", "math", "nn", "tennis", "tosa"):
        for name in library_names(module).definitions:
            template = Session(SNAPSHOT).template(OperatorName(f"snd:{module}", name))
            if template is None or not name or name.startswith("_"):
                continue
            for generic in template.generics:
                member = next((each for each in template.inputs if each.node.type.text == generic.name.text), None)
                if member is not None and member.node.pack is None:
                    yield f"{module}.{name}", generic.base.text, member.name


def test_every_operator_of_the_library_refuses_what_its_bases_exclude():
    tried = 0
    for operator, base, name in _generic_operators():
        for dtype in CONCRETE.keys() - ALLOWED[base]:
            assert refusal(operator, **{name: [VALUES[dtype]]})[0] == "generic-outside-base", (operator, dtype)
            tried += 1
    assert tried > 100


def _add() -> tuple[Session, Template]:
    session = Session(SNAPSHOT)
    template = session.template(OperatorName("snd:math", "add"))
    assert template is not None
    return session, template


def test_arrays_outside_the_base_bind_to_nothing():
    session, template = _add()
    with pytest.raises(
        EvaluationFailed, match=r"'T: num' of 'math.add' can be int or real, but the input 'x' is 'bool'"
    ):
        bind_arrays(session, template, [np.array([True]), np.array([True])])
    with pytest.raises(EvaluationFailed, match="is 'int' because of the input 'x', but 'str' because of the input 'y'"):
        bind_arrays(session, template, [np.array([1]), np.array(["a"])])


def test_arrays_of_ints_and_reals_are_reals():
    session, template = _add()
    arrays = [np.array([1]), np.array([1.5])]
    graph = StatefulGraph(session, bind_arrays(session, template, arrays), Execution())
    assert graph.run(arrays)["z"].tolist() == [2.5]  # type: ignore[union-attr]


def test_composing_holds_given_types_against_their_bases():
    session, template = _add()
    (failure,) = compose_root(session, template, {}, {"T": "str"}, {}).failures
    assert failure.message == "'T: num' of 'math.add' can be int or real, but it is given as 'str'"
