"""Writes the models of this folder: tiny networks as both of PyTorch's exporters write them.

    python tests/support/onnx_models/torch/generate.py [NAME…]

It takes torch, transformers, onnxscript, onnx and onnxruntime; snd does not depend on the first three. Names end with
the exporter: ``dynamo`` or ``script``.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import torch
import transformers
from torch import nn
from torch._higher_order_ops.scan import scan
from torch.nn import functional

HERE = Path(__file__).parent
MODELS: dict[str, Callable[[Path], None]] = {}
KEPT = {"pkg.torch.onnx.name_scopes", "pkg.torch.onnx.class_hierarchy"}


def exported(*names: str, shapes: Any = None, inputs: tuple[str, ...] = ("x",), opset: int | None = None) -> Any:
    """Register a function that returns a module and its arguments, under the names of files."""

    def register(function: Callable[[], tuple[nn.Module, tuple[Any, ...]]]) -> Any:
        for name in names:
            MODELS[name] = lambda path, name=name: _export(function, path, name, shapes, inputs, opset)
        return function

    return register


def _export(function: Any, path: Path, name: str, shapes: Any, inputs: tuple[str, ...], opset: int | None) -> None:
    torch.manual_seed(5)
    module, arguments = function()
    with torch.no_grad():
        for each in module.parameters():  # equal ones would be stored once
            each.copy_(torch.randn_like(each) / max(each.shape[-1], 4) ** 0.5 + (each.ndim == 1))
    module.eval()
    version = {} if opset is None else {"opset_version": opset}
    if name.endswith("dynamo"):
        symbols: dict[str, Any] = {}
        dynamic = (
            None
            if shapes is None
            else tuple(
                {axis: symbols.setdefault(each, torch.export.Dim(each)) for axis, each in axes.items()}
                for axes in shapes
            )
        )
        torch.onnx.export(
            module,
            arguments,
            path,
            dynamo=True,
            external_data=False,
            dynamic_shapes=dynamic,
            input_names=inputs,
            **version,
        )
    else:
        axes = dict(zip(inputs, shapes, strict=True)) if shapes is not None else None
        torch.onnx.export(
            module,
            arguments,
            path,
            dynamo=False,
            input_names=[*inputs],
            output_names=["y"],
            dynamic_axes=axes,
            **version,
        )


class Block(nn.Module):
    def __init__(self, channels: int, more: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, more, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(more)
        self.conv2 = nn.Conv2d(more, more, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(more)
        self.downsample = nn.Conv2d(channels, more, 1, stride) if stride > 1 else nn.Identity()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.bn2(self.conv2(functional.relu(self.bn1(self.conv1(x)))))
        return functional.relu(y + self.downsample(x))


class ResNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 3, 2, 1)
        self.layer1 = nn.Sequential(Block(6, 6, 1), Block(6, 6, 1))
        self.layer2 = nn.Sequential(Block(6, 10, 2), Block(10, 10, 1))
        self.fc = nn.Linear(10, 4)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = functional.max_pool2d(functional.relu(self.conv1(image)), 3, 2, 1)
        x = self.layer2(self.layer1(x))
        return self.fc(functional.adaptive_avg_pool2d(x, 1).flatten(1))


@exported("resnet-dynamo", "resnet-script", shapes=({0: "batch"},), inputs=("image",))
def resnet() -> Any:
    return ResNet(), (torch.randn(2, 3, 36, 44),)


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(12, 3, 20, batch_first=True), 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.encoder(x)


@exported("encoder-script", shapes=({0: "batch"},), opset=17)
@exported("encoder_14-script", shapes=({0: "batch"},), opset=14)
def encoder() -> Any:
    return Encoder(), (torch.randn(2, 7, 12),)


class First(nn.Module):
    """The first result of a model of transformers."""

    def __init__(self, model: nn.Module, *names: str) -> None:
        super().__init__()
        self.model, self.names = model, names

    def forward(self, ids: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        return self.model(**dict(zip(self.names, (ids, other), strict=True)), return_dict=True)[0]


SIZES = {
    "hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 20, "vocab_size": 25,
    "max_position_embeddings": 16,
}  # fmt: skip
SEQUENCES = ({0: "batch", 1: "seq"}, {0: "batch", 1: "seq"})


@exported("bert-dynamo", "bert-script", shapes=SEQUENCES, inputs=("ids", "mask"))
def bert() -> Any:
    model = transformers.BertModel(transformers.BertConfig(**SIZES), add_pooling_layer=False)
    return First(model, "input_ids", "attention_mask"), (torch.randint(0, 25, (2, 7)), torch.ones(2, 7).long())


class Cached(nn.Module):
    """A step of a language model, with the keys and values of the steps before."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(
        self,
        ids: torch.Tensor,
        mask: torch.Tensor,
        k0: torch.Tensor,
        v0: torch.Tensor,
        k1: torch.Tensor,
        v1: torch.Tensor,
    ) -> tuple[torch.Tensor, ...]:
        cache = transformers.DynamicCache()
        cache.update(k0, v0, 0)
        cache.update(k1, v1, 1)
        result = self.model(input_ids=ids, attention_mask=mask, past_key_values=cache, use_cache=True)
        layers = result.past_key_values.layers
        return result.logits, *(each for layer in layers for each in (layer.keys, layer.values))


CACHE = {0: "batch", 2: "past"}


@exported(
    "llama-dynamo", shapes=({0: "batch", 1: "seq"}, {0: "batch", 1: "total"}, CACHE, CACHE, CACHE, CACHE),
    inputs=("ids", "mask", "key_0", "value_0", "key_1", "value_1"),
)  # fmt: skip
def llama() -> Any:
    config = transformers.LlamaConfig(**{**SIZES, "num_attention_heads": 2}, num_key_value_heads=1)
    caches = [torch.randn(2, 1, 5, 6) for _ in range(4)]
    model = Cached(transformers.LlamaForCausalLM(config))
    return model, (torch.randint(0, 25, (2, 3)), torch.ones(2, 8).long(), *caches)


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(5, 6, 2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(12, 4, batch_first=True)
        self.head = nn.Linear(4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.gru(self.lstm(x)[0])[0][:, -1])


@exported("recurrent-script", shapes=({0: "batch", 1: "time"},))
def recurrent() -> Any:
    return Recurrent(), (torch.randn(2, 7, 5),)


class Images(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.same = nn.Conv2d(3, 4, (3, 5), dilation=(2, 1), padding=(2, 2), padding_mode="reflect")
        self.up = nn.ConvTranspose2d(4, 4, 3, stride=2, padding=1, output_padding=1, groups=2)
        self.norm = nn.GroupNorm(2, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = functional.silu(self.norm(self.up(functional.avg_pool2d(self.same(x), 3, 2, 1, ceil_mode=True))))
        y = functional.interpolate(y, scale_factor=2, mode="bilinear") + functional.interpolate(
            y, scale_factor=2, mode="bicubic"
        )
        return functional.pixel_shuffle(functional.pad(y, (1, 2, 0, 1)), 2)


@exported("images-dynamo", "images-script", shapes=({0: "batch"},))
def images() -> Any:
    return Images(), (torch.randn(2, 3, 8, 9),)


class Branches(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.left, self.right, self.cell = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        def step(state: torch.Tensor, item: torch.Tensor) -> Any:
            new = torch.tanh(self.cell(state) + item)
            return new, new * 2

        y = torch.cond(x.sum() > 0, lambda x: self.left(x).relu(), lambda x: self.right(x) - 1, (x,))
        last, every = scan(step, torch.zeros(2, 4), y, dim=0)
        return last + every.sum(0)


@exported("branches-dynamo")
def branches() -> Any:
    return Branches(), (torch.randn(5, 2, 4),)


class Indexing(nn.Module):
    def forward(self, x: torch.Tensor, at: torch.Tensor) -> Any:
        best, places = x.topk(3)
        masked = x.masked_fill(x > 0.5, -1e9).softmax(-1).cumsum(1)
        scattered = x.scatter_add(1, at, x[:, :2]) + torch.einsum("bi,bj->bi", x, x)
        return best, places, masked, scattered, torch.gather(x, 1, at), x[at[:, 0]], x.tril(1)


@exported("indexing-dynamo", inputs=("x", "at"))
def indexing() -> Any:
    return Indexing(), (torch.randn(4, 6), torch.tensor([[0, 1], [2, 3], [1, 0], [3, 3]]))


class Dense(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1, self.norm, self.fc2 = nn.Linear(8, 16), nn.LayerNorm(16), nn.Linear(16, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc2(functional.gelu(self.norm(self.fc1(x))))


@exported("half-dynamo", shapes=({0: "batch"},))
def half() -> Any:
    return Dense().half(), (torch.randn(2, 8).half(),)


class Small(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2, self.fc = nn.Conv2d(3, 4, 3), nn.Conv2d(4, 6, 3), nn.Linear(6, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(functional.relu(self.conv2(functional.relu(self.conv1(x)))).mean((2, 3)))


def _small() -> Any:
    return Small(), (torch.randn(2, 3, 9, 10),)


def _quantized(path: Path, form: str) -> None:
    from onnxruntime import quantization

    class Reader(quantization.CalibrationDataReader):
        def __init__(self) -> None:
            self._rest = iter([{"x": torch.randn(2, 3, 9, 10).numpy()} for _ in range(4)])

        def get_next(self) -> Any:
            return next(self._rest, None)

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source.onnx"
        _export(_small, source, "script", ({0: "batch"},), ("x",), 17)
        if form == "dynamic":
            quantization.quantize_dynamic(source, path)
        else:
            quantization.quantize_static(
                source, path, Reader(), quant_format=quantization.QuantFormat[form], per_channel=form == "QDQ"
            )


MODELS["quantized_qdq-script"] = lambda path: _quantized(path, "QDQ")
MODELS["quantized_operators-script"] = lambda path: _quantized(path, "QOperator")
MODELS["quantized_dynamic-script"] = lambda path: _quantized(path, "dynamic")


def _slim(path: Path) -> None:
    """Leave out parts that no reader of the model needs: stack traces are most of a file, and contain local paths."""
    model = onnx.load(path)
    graphs = [model.graph, *model.functions]
    while graphs:
        graph = graphs.pop()
        for node in graph.node:
            kept = [each for each in node.metadata_props if each.key in KEPT]
            del node.metadata_props[:]
            node.metadata_props.extend(kept)
            node.ClearField("doc_string")
            graphs += [each.g for each in node.attribute if each.HasField("g")]
        del graph.value_info[:]
        named = [*graph.input, *graph.output, *graph.initializer] if isinstance(graph, onnx.GraphProto) else []
        for each in (graph, *named):
            del each.metadata_props[:]
            each.ClearField("doc_string")
    del model.metadata_props[:]
    onnx.save(model, path)


if __name__ == "__main__":
    torch.set_num_threads(1)
    for name in sys.argv[1:] or MODELS:
        MODELS[name](HERE / f"{name}.onnx")
        _slim(HERE / f"{name}.onnx")
