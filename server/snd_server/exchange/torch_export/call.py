"""One invocation of an operator, in the form for its expression in PyTorch."""

from __future__ import annotations

from collections.abc import Sequence

from snd_analysis.model import Tensor, tensors_of
from snd_analysis.symbolic.values import Pack
from snd_server.exchange.graph_export.call import GraphCall
from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.torch_export.merging import number
from snd_server.exchange.torch_export.scope import DTYPES, TorchScope


class TorchCall(GraphCall[TorchScope]):
    """An invocation in a ``forward`` function."""

    def write(self, expression: str) -> None:
        """Add the statement that computes the only result."""
        self.scope.add([self.target], expression, [self.output])

    def write_all(self, expression: str) -> None:
        """Add the statement that computes all results."""
        names = [name for each in self.names for name in each]
        tensors = [tensor for value in self.operation.outputs for tensor in tensors_of(value)]
        if not names:
            raise Unsuitable("it has no result")
        comma = [f"{names[0]},"] if len(names) == 1 else names
        self.scope.add(comma, expression, tensors)

    def tensor(self, at: int = 0) -> str:
        """Return an argument as a tensor, also if it is a number."""
        value = self.inputs[at]
        text = self.input(at)
        is_number = isinstance(value, Tensor) and value.value is not None and value.shape == ()
        return f"torch.tensor({text}, dtype={DTYPES[value.dtype or 'real']})" if is_number else text  # type: ignore[union-attr]

    def ints(self, attribute: str) -> list[int]:
        """Return an attribute that is a list of ints."""
        return [int(each) for each in self[attribute]]

    def axes(self, attribute: str = "axes", at: int = 0) -> list[int]:
        """Return axes of an argument, counted from the first one."""
        return [each % max(self.rank(at), 1) for each in self.ints(attribute)]

    def extents(self, attribute: str) -> list[str]:
        """Return an attribute that is a list of ints; extents that only the run knows are expressions."""
        value = self.callee.attributes[attribute]
        if not isinstance(value, Pack) or value.items is None:
            raise Unsuitable(f"the attribute '{attribute}' is known in the run only")
        return [self.scope.extent(each) for each in value.items]

    @property
    def target_shape(self) -> str:
        """The shape of the only result."""
        return self.scope.shape(self.output.shape or ())


def per_axis(values: Sequence[int]) -> str:
    """Return an argument such as a stride: one number if all are equal."""
    marks = [number(each) for each in values]
    return marks[0] if len(set(values)) == 1 else f"({', '.join(marks)})"
