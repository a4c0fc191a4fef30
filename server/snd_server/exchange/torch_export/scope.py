"""The statements of a ``forward`` function, with the names and sizes that they see."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from snd_analysis.model import Tensor, TensorValue, tensors_of
from snd_analysis.symbolic.integers import Integer
from snd_runtime.execution.plain import plain
from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.graph_export.scope import NameTable, TensorScope
from snd_server.exchange.torch_export.limits import MOST_WRITTEN
from snd_server.exchange.torch_export.merging import number

DTYPES = {"real": "torch.float32", "int": "torch.int64", "bool": "torch.bool"}
_OF_MODULES = frozenset([
    "add_module", "apply", "bfloat16", "buffers", "call_super_init", "children", "compile", "cpu", "cuda", "double",
    "dump_patches", "eval", "extra_repr", "float", "forward", "get_buffer", "get_extra_state", "get_parameter",
    "get_submodule", "half", "ipu", "load_state_dict", "modules", "mtia", "named_buffers", "named_children",
    "named_modules", "named_parameters", "parameters", "register_buffer", "register_module", "register_parameter",
    "requires_grad_", "set_extra_state", "set_submodule", "share_memory", "state_dict", "to", "to_empty", "train",
    "training", "type", "xpu", "zero_grad",
])  # fmt: skip
"""Names that every module has."""
_TAKEN = frozenset(["self", "torch", "nn", "F", *_OF_MODULES])
_WORD = re.compile(r"[A-Za-z_]\w*")
_EXTREME = re.compile(r"^(\w+) (<\?|>\?) (\w+)$")


def fit(name: str) -> str:
    """Return an identifier of Python."""
    plain_name = re.sub(r"\W", "_", name).rstrip("_") or "tensor"
    plain_name = f"_{plain_name}" if plain_name[0].isdigit() else plain_name
    return f"{plain_name}_" if keyword.iskeyword(plain_name) or plain_name in _TAKEN else plain_name


class TorchScope(TensorScope[NameTable]):
    """Statements of a function, or of an indented block in it."""

    def __init__(self, root: NameTable, parent: TorchScope | None = None) -> None:
        super().__init__(root, parent)
        self.lines: list[str] = []
        self.sizes: list[tuple[Integer, str]] = [] if parent is None else parent.sizes
        """Extents of inputs that are not numbers, with expressions for them."""
        self._lists: dict[str, int] = {} if parent is None else parent._lists
        """Lengths of sequences of tensors, by name."""

    def mark(self) -> Any:
        """Return the number of statements."""
        return len(self.lines)

    def return_to(self, mark: Any) -> None:
        """Drop later statements."""
        del self.lines[mark:]

    def valued(self, tensor: Tensor) -> str:
        """Return the text of a tensor that only its value determines."""
        if tensor.value is None:
            raise Unsuitable(f"'{tensor.name}' has no value here")
        if isinstance(tensor.value, Integer) and tensor.value.value is None:
            return self.extent(tensor.value)
        try:
            value = plain(tensor.value)
        except ValueError:
            raise Unsuitable(f"the value of '{tensor.name}' is known in the run only") from None
        return self.literal(value, tensor) if tensor.shape != () else written(value)

    def literal(self, value: Any, tensor: Tensor) -> str:
        """Return the text of a constant tensor."""
        shape, dtype = self.shape(tensor.shape or ()), DTYPES[tensor.dtype or "real"]
        if not isinstance(value, list | tuple):
            return f"torch.full({shape}, {written(value)}, dtype={dtype})"
        return f"torch.tensor({written(value)}, dtype={dtype}).reshape({shape})"

    def array(self, array: np.ndarray[Any, Any], wanted: str) -> str:
        """Return the text of a constant."""
        if array.ndim == 0:
            return written(array.item())
        kind = {"f": "real", "i": "int", "b": "bool"}.get(array.dtype.kind, "")
        if kind not in DTYPES:
            raise Unsuitable("PyTorch has no strings")
        if array.size and np.all(array == array.reshape(-1)[0]):
            filling = array.reshape(-1)[0].item()
            return f"torch.full({tuple(array.shape)}, {written(filling)}, dtype={DTYPES[kind]})"
        if array.size > MOST_WRITTEN:
            raise Unsuitable("a constant of many elements")
        return f"torch.tensor({written(array.tolist())}, dtype={DTYPES[kind]}).reshape({tuple(array.shape)})"

    def add(self, names: Sequence[str], expression: str, tensors: Iterable[Tensor] = ()) -> None:
        """Add a statement; a comment shows the shapes of its results."""
        shown = ", ".join(f"[{', '.join(map(str, each.shape or ()))}]" for each in tensors)
        self.lines.append(f"{', '.join(names)} = {expression}" + (f"  # {shown}" if shown else ""))

    def keep(self, name: str, items: list[str]) -> None:
        """Let the names in ``items`` be those of the items of a sequence."""
        items[:] = [f"{name}[{at}]" for at in range(len(items))]
        self._lists[name] = len(items)

    def listed(self, items: Sequence[str]) -> str:
        """Return the text of a list: the name of a sequence that has exactly these items, or all of them."""
        name = items[0].partition("[")[0] if items else ""
        is_whole = self._lists.get(name) == len(items) and list(items) == [f"{name}[{at}]" for at in range(len(items))]
        return name if is_whole else f"[{', '.join(items)}]"

    # ---- sizes -------------------------------------------------------------------------------------------------------
    def see(self, name: str, tensor: Tensor) -> None:
        """Let the extents of an input be those of this name."""
        for axis, extent in enumerate(tensor.shape or ()):
            if isinstance(extent, Integer) and extent.value is None and all(extent != one for one, _ in self.sizes):
                self.sizes.append((extent, f"{name}.shape[{axis}]"))

    def shape(self, extents: Iterable[object]) -> str:
        """Return the text of a shape."""
        items = [self.extent(each) for each in extents]
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"

    def extent(self, extent: object) -> str:
        """Return an extent as a number or an expression. Raise Unsuitable if nothing gives it."""
        if not isinstance(extent, Integer):
            raise Unsuitable("the rank is known in the run only")
        if extent.value is not None:
            return number(extent.value)
        for known, text in self.sizes:
            if known == extent:
                return text
        pair = _EXTREME.match(str(extent))
        if pair is not None:
            function = "min" if pair[2] == "<?" else "max"
            return f"{function}({self._word(pair[1])}, {self._word(pair[3])})"
        known_texts = {str(known): text for known, text in self.sizes}
        text = str(extent)
        words = set(_WORD.findall(text))
        if not words <= known_texts.keys() or re.search(r"\\|<\?|>\?|\?", text):
            raise Unsuitable(f"the extent '{text}' is known in the run only")
        return _WORD.sub(lambda match: known_texts[match[0]], text.replace("/", "//"))

    def _word(self, word: str) -> str:
        """Return a number, or the extent of an input by its name. Raise Unsuitable."""
        if word.isdigit():
            return number(int(word))
        found = next((text for known, text in self.sizes if str(known) == word), None)
        if found is None:
            raise Unsuitable(f"the extent '{word}' is known in the run only")
        return found


def written(value: Any) -> str:
    """Return a value as Python writes it."""
    match value:
        case bool():
            return str(value)
        case int():
            return str(value)
        case float():
            return repr(value) if np.isfinite(value) else f"float({str(value)!r})"
        case list() | tuple():
            return f"[{', '.join(map(written, value))}]"
    raise Unsuitable(f"a value that Python has no number for: {value}")


def first_tensor(value: TensorValue) -> Tensor | None:
    """Return the first tensor of a value."""
    return next(iter(tensors_of(value)), None)
