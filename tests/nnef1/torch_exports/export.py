"""Write the exports of this folder: modules of PyTorch in NNEF 1.0 by torch_to_nnef, with inputs and outputs.

Each is ``NAME.nnef.tgz``, as the exporter writes it, and ``NAME.npz`` with ``in.NAME`` and ``out.NAME``. Outputs are
those of PyTorch; tract must load the model and agree. Of models in ``REFUSED`` tract must say that it does not load
them. Run it with torch, torch_to_nnef, torchvision, transformers and tract: ``python export.py [NAME…]``.
"""

from __future__ import annotations

import logging
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as functional
import torchvision
import tract
import transformers
from torch import nn
from torch_to_nnef import TractNNEF, export_model_to_nnef
from torch_to_nnef.compress import quantize_weights_min_max_Q4_0
from torch_to_nnef.inference_target.tract import TractCli

FOLDER = Path(__file__).parent
_TOLERANCE = 2e-3
_AXES = dict[str, dict[int, str]]
REFUSED = ("group_norm_of_a_batch", "mask_of_bools", "replicated_border")

# The exporter downloads tract's command line even if it is not to check anything.
TractCli.download = classmethod(lambda cls, version: types.SimpleNamespace(tract_path=Path("tract"), version=version))


class Case:
    """A module, its inputs, the symbols of their axes, and what the exporter is told besides."""

    def __init__(
        self, module: nn.Module, *inputs: torch.Tensor, axes: Sequence[Mapping[int, str]] = (), **options: Any
    ):
        self.module = module.eval()
        self.inputs = inputs
        self.axes: _AXES = {f"in_{at}": dict(each) for at, each in enumerate(axes) if each}
        self.extensions: list[str] | None = options.pop("extensions", None)
        self.options = options


class Function(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any], *modules: nn.Module):
        super().__init__()
        self.inner = nn.ModuleList(modules)
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> Any:
        return self.function(*self.inner, *inputs)


def _convolutions() -> Case:
    layers = nn.Sequential(
        nn.Conv2d(3, 8, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU6(),
        nn.Conv2d(8, 8, 3, padding=2, dilation=2, groups=8), nn.Hardswish(), nn.MaxPool2d(3, 2, 1),
        nn.Conv2d(8, 6, (1, 2), padding_mode="reflect", padding=(0, 1)), nn.AvgPool2d(2, 1),
        nn.ConvTranspose2d(6, 4, 3, stride=2, padding=1, output_padding=1, groups=2), nn.PReLU(4),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(1), nn.Linear(4, 5), nn.LogSoftmax(-1),
    )  # fmt: skip
    return Case(layers, torch.randn(2, 3, 16, 20), axes=[{0: "B"}])


def _waves() -> Case:
    layers = nn.Sequential(
        nn.Conv1d(1, 4, 5, stride=2, padding=2), nn.GELU(), nn.BatchNorm1d(4), nn.ConstantPad1d((2, 0), 0.5),
        nn.utils.parametrizations.weight_norm(nn.Conv1d(4, 4, 3, groups=2)), nn.ELU(),
        nn.ConvTranspose1d(4, 2, 4, stride=2, padding=1), nn.Tanh(),
    )  # fmt: skip
    return Case(layers, torch.randn(1, 1, 24), axes=[{2: "T"}])


def _recurrent(kind: type[nn.RNNBase], **options: Any) -> Case:
    def flat(layer: nn.Module, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y, state = layer(x)
        return (y, *state) if isinstance(state, tuple) else (y, state)

    return Case(Function(flat, kind(4, 5, batch_first=True, **options)), torch.randn(2, 6, 4), axes=[{0: "B", 1: "S"}])


def _lstm_with_state() -> Case:
    def flat(layer: nn.Module, x: torch.Tensor, h: torch.Tensor, c: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y, (h, c) = layer(x, (h, c))
        return y, h, c

    inputs = torch.randn(1, 6, 4), torch.randn(1, 1, 5), torch.randn(1, 1, 5)
    return Case(Function(flat, nn.LSTM(4, 5, batch_first=True)), *inputs, axes=[{1: "S"}])


def _causal_attention() -> Case:
    def attend(x: torch.Tensor) -> torch.Tensor:
        n = x.shape[1]
        scores = torch.einsum("bsd,btd->bst", x, x) / 8**0.5
        mask = torch.triu(torch.ones(n, n, dtype=torch.bool), 1)
        return torch.softmax(scores.masked_fill(mask, float("-inf")), -1) @ x

    return Case(Function(attend), torch.randn(2, 5, 8), axes=[{0: "B", 1: "S"}])


def _grouped_queries() -> Case:
    def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)

    keys = (torch.randn(2, 2, 6, 8) for _ in range(2))
    axes = [{0: "B", 2: "S"}, {0: "B", 2: "T"}, {0: "B", 2: "T"}, {0: "B", 2: "S", 3: "T"}]
    return Case(Function(attend), torch.randn(2, 4, 3, 8), *keys, torch.randn(2, 1, 3, 6), axes=axes)


def _mask_of_bools() -> Case:
    def attend(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return functional.scaled_dot_product_attention(x, x, x, attn_mask=mask)

    mask = torch.ones(1, 1, 5, 5, dtype=torch.bool).tril()
    return Case(Function(attend), torch.randn(1, 2, 5, 4), mask, axes=[{2: "S"}, {2: "S", 3: "S"}])


def _encoder_layer() -> Case:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True)
    return Case(layer, torch.randn(2, 5, 8), axes=[{0: "B", 1: "S"}])


def _indices() -> Case:
    def index(x: torch.Tensor, at: torch.Tensor) -> tuple[torch.Tensor, ...]:
        values, places = torch.topk(x, 3, dim=1)
        return (
            torch.gather(x, 1, at), torch.cumsum(x, 1), values, places, x[:, 1::2], x[:, -1], torch.roll(x, 2, 1),
            x.flip(2), torch.index_select(x, 2, torch.tensor([3, 0])), torch.where(x > 0, x, x.exp() - 1),
            x.argmax(2), torch.scatter(x, 1, torch.zeros_like(at), x[:, :3]),
        )  # fmt: skip

    return Case(Function(index), torch.randn(2, 7, 4), torch.randint(0, 7, (2, 3, 4)), axes=[{0: "B"}, {0: "B"}])


def _resized() -> Case:
    def resize(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        near = functional.interpolate(x, scale_factor=2, mode="nearest")
        smooth = functional.interpolate(x, scale_factor=2, mode="bilinear")
        return near, smooth, functional.pad(x, (2, 1, 0, 1), mode="reflect"), functional.pad(x, (0, 2, 1, 0), value=3.0)

    return Case(Function(resize), torch.randn(1, 3, 4, 5), axes=[{0: "B"}])


def _spectrum() -> Case:
    def transform(x: torch.Tensor) -> torch.Tensor:
        window = torch.hann_window(8)
        return torch.stft(x, 8, 4, window=window, center=False, return_complex=True).abs()

    return Case(Function(transform), torch.randn(2, 32), axes=[{0: "B"}])


def _quantized() -> Case:
    layers = nn.Sequential(nn.Linear(32, 64), nn.SiLU(), nn.Linear(64, 32))
    return Case(quantize_weights_min_max_Q4_0(layers), torch.randn(2, 32), axes=[{0: "B"}])


def _of_16_bits() -> Case:
    layers = nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8), nn.GELU("tanh"), nn.Linear(8, 4)).half()
    return Case(layers, torch.randn(2, 8).half(), axes=[{0: "B"}], force_linear_accumulation_in_f32=True)


def _vision_transformer() -> Case:
    model = torchvision.models.VisionTransformer(
        image_size=16, patch_size=8, num_layers=1, num_heads=2, hidden_dim=8, mlp_dim=16, num_classes=3
    )
    return Case(model, torch.randn(1, 3, 16, 16), axes=[{0: "B"}])


_SMALL = {
    "vocab_size": 40, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 24,
    "max_position_embeddings": 32,
}  # fmt: skip


def _ids(*shape: int) -> torch.Tensor:
    return torch.randint(0, 40, shape)


def _bert() -> Case:
    def encode(model: nn.Module, ids: torch.Tensor, positions: torch.Tensor, kinds: torch.Tensor) -> torch.Tensor:
        return model(input_ids=ids, position_ids=positions, token_type_ids=kinds).last_hidden_state

    model = transformers.BertModel(transformers.BertConfig(**_SMALL))
    inputs = _ids(1, 6), torch.arange(6)[None], torch.zeros(1, 6, dtype=torch.int64)
    return Case(Function(encode, model), *inputs, axes=[{1: "S"}] * 3)


def _cached(model: nn.Module, heads: int, half: bool = False, **options: Any) -> Case:
    """Return a language model with the keys and values of earlier tokens, its mask and positions as inputs."""

    def decode(
        model: nn.Module, ids: torch.Tensor, at: torch.Tensor, mask: torch.Tensor, *past: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        cache = transformers.DynamicCache(config=model.config)
        (layer,) = cache.layers
        layer.keys, layer.values, layer.is_initialized = *past, True
        layer.dtype, layer.device = past[0].dtype, past[0].device
        found = model(input_ids=ids, position_ids=at, attention_mask=mask, past_key_values=cache, use_cache=True)
        return found.logits, layer.keys, layer.values

    def stored(*shape: int) -> torch.Tensor:
        return torch.randn(shape).to(torch.float16 if half else torch.float32)

    mask = torch.triu(torch.full((1, 1, 3, 7), -1e4), 5).to(stored().dtype)
    inputs = _ids(1, 3), torch.arange(4, 7)[None], mask, stored(1, heads, 4, 4), stored(1, heads, 4, 4)
    axes = [{1: "S"}, {1: "S"}, {2: "S", 3: "T"}, {2: "P"}, {2: "P"}]
    function = Function(decode, model.half() if half else model)
    return Case(function, *inputs, axes=axes, extensions=["tract_assert T == P + S"], **options)


def _llama(**options: Any) -> Case:
    config = transformers.LlamaConfig(**_SMALL, num_key_value_heads=2)
    return _cached(transformers.LlamaForCausalLM(config), 2, **options)


def _qwen_of_16_bits() -> Case:
    model = transformers.Qwen2ForCausalLM(transformers.Qwen2Config(**_SMALL, num_key_value_heads=2))
    wide = ("force_attention_inner_in_f32", "force_norm_in_f32", "force_linear_accumulation_in_f32")
    return _cached(model, 2, half=True, **dict.fromkeys(wide, True))


def _t5() -> Case:
    config = transformers.T5Config(vocab_size=40, d_model=8, d_kv=4, d_ff=16, num_layers=1, num_heads=2)
    model = transformers.T5EncoderModel(config)
    return Case(Function(lambda model, ids: model(input_ids=ids).last_hidden_state, model), _ids(1, 6))


def _wav2vec2() -> Case:
    config = transformers.Wav2Vec2Config(
        **(_SMALL | {"num_attention_heads": 2}),
        conv_dim=(8, 8),
        conv_stride=(5, 2),
        conv_kernel=(10, 3),
        num_feat_extract_layers=2,
        num_conv_pos_embeddings=4,
        num_conv_pos_embedding_groups=2,
        feat_extract_norm="layer",
    )
    model = transformers.Wav2Vec2ForCTC(config)
    return Case(Function(lambda model, x: model(x).logits, model), torch.randn(1, 200), axes=[{1: "S"}])


def _state_space() -> Case:
    config = transformers.MambaConfig(vocab_size=40, hidden_size=8, num_hidden_layers=1, state_size=4)
    model = transformers.MambaForCausalLM(config)
    return Case(Function(lambda model, ids: model(input_ids=ids, use_cache=False).logits, model), _ids(1, 5))


CASES: Mapping[str, Callable[[], Case]] = {
    "convolutions": _convolutions,
    "waves": _waves,
    "lstm_of_both_directions": lambda: _recurrent(nn.LSTM, num_layers=2, bidirectional=True),
    "gru": lambda: _recurrent(nn.GRU),
    "lstm_with_state": _lstm_with_state,
    "causal_attention": _causal_attention,
    "grouped_queries": _grouped_queries,
    "encoder_layer": _encoder_layer,
    "indices": _indices,
    "resized": _resized,
    "spectrum": _spectrum,
    "quantized": _quantized,
    "of_16_bits": _of_16_bits,
    "vision_transformer": _vision_transformer,
    "bert": _bert,
    "llama_with_cache": _llama,
    "llama_with_fragments": lambda: _llama(reify_sdpa_operator=False),
    "qwen_of_16_bits": _qwen_of_16_bits,
    "t5": _t5,
    "wav2vec2": _wav2vec2,
    "state_space": _state_space,
    "group_norm_of_a_batch": lambda: Case(nn.GroupNorm(2, 4), torch.randn(2, 4, 3), axes=[{0: "B"}]),
    "mask_of_bools": _mask_of_bools,
    "replicated_border": lambda: Case(nn.ReplicationPad1d(2), torch.randn(2, 3, 6), axes=[{0: "B"}]),
}


def _export(name: str) -> None:
    torch.manual_seed(0)
    case = CASES[name]()
    with torch.no_grad():
        found = case.module(*case.inputs)
    outputs = found if isinstance(found, tuple) else (found,)
    target = TractNNEF(
        TractNNEF.latest_version(),
        check_io=False,
        dump_identity_properties=False,
        dynamic_axes=case.axes,
        **case.options,
    )
    names = [f"in_{at}" for at in range(len(case.inputs))], [f"out_{at}" for at in range(len(outputs))]
    path = export_model_to_nnef(
        case.module, case.inputs, FOLDER / f"{name}.nnef", target, input_names=names[0], output_names=names[1],
        custom_extensions=case.extensions, compression_level=9, log_level=logging.ERROR,
    )  # fmt: skip
    inputs = [each.numpy() for each in case.inputs]
    expected = [each.numpy() for each in outputs]
    stored = {f"in.{each}": array for each, array in zip(names[0], inputs, strict=True)}
    stored |= {f"out.{each}": array for each, array in zip(names[1], expected, strict=True)}
    np.savez_compressed(FOLDER / f"{name}.npz", **stored)
    loader = tract.nnef().with_tract_extra().with_tract_transformers()
    try:
        model = loader.load(str(path)).into_runnable()
    except tract.TractError:
        if name not in REFUSED:
            raise
        return
    if name in REFUSED:
        raise AssertionError(f"tract loads {name}")
    for one, other in zip(expected, model.run(inputs), strict=True):
        array = other.to_numpy()
        scale = max(float(np.abs(one).max()), 1e-3)
        assert array.shape == one.shape, name
        np.testing.assert_allclose(array, one, rtol=0, atol=_TOLERANCE * scale, err_msg=name)


if __name__ == "__main__":
    torch.set_num_threads(1)
    for each in sys.argv[1:] or CASES:
        _export(each)
