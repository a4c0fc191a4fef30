"""Operators of a module of the library invoked on arrays, composed ones, too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from snd_analysis.compose import Session
from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.execution import Execution, bind_arrays, execute, value_of
from support.memory import snapshot_of

FLOAT64 = np.dtype(np.float64)


def invoker(module: str, real: np.dtype[Any] = FLOAT64) -> Callable[..., Any]:
    """Return a function that runs an operator of a module by its name, and returns its output, or the tuple of them.

    An invalid invocation raises EvaluationFailed.
    """
    session = Session(snapshot_of({"main.sknd": f"import {module};\n"}))

    def invoke(name: str, *inputs: Any, dtypes: Sequence[str] = (), **attributes: Any) -> Any:
        template = session.template(OperatorName(f"snd:{module}", name))
        assert template is not None, name
        arrays = [[*map(np.asarray, each)] if isinstance(each, tuple) else np.asarray(each) for each in inputs]
        given = {key: value_of(each) for key, each in attributes.items()}
        specialization = bind_arrays(session, template, arrays, given, dtypes, real)
        found = tuple(execute(session, specialization, arrays, Execution(real=real)).outputs.values())
        return found[0] if len(found) == 1 else found

    return invoke


def same(found: Any, expected: Any) -> None:
    """Demand equal shapes and equal elements of an int tensor: nothing is rounded."""
    expected = np.asarray(expected)
    assert found.dtype.kind == "i"
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found, expected)
