"""Small modules in the forms that people write. This file needs PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

Case = tuple[nn.Module, tuple[torch.Tensor, ...], Any]


class BasicBlock(nn.Module):
    def __init__(self, inner: int, outer: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inner, outer, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outer)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(outer, outer, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outer)
        self.downsample = None
        if stride != 1:
            self.downsample = nn.Sequential(nn.Conv2d(inner, outer, 1, stride, bias=False), nn.BatchNorm2d(outer))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        y += x if self.downsample is None else self.downsample(x)
        return self.relu(y)


class ResNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 4, 3, 1, 1)
        self.layer1 = nn.Sequential(BasicBlock(4, 4), BasicBlock(4, 4))
        self.layer2 = nn.Sequential(BasicBlock(4, 8, 2), BasicBlock(8, 8))
        self.layer3 = nn.Sequential(BasicBlock(8, 12, 2), BasicBlock(12, 12))
        self.fc = nn.Linear(12, 5)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = self.layer3(self.layer2(self.layer1(F.relu(self.conv1(image)))))
        return self.fc(torch.flatten(F.adaptive_avg_pool2d(x, 1), 1)).softmax(-1)


class Attention(nn.Module):
    def __init__(self, channels: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(channels, 3 * channels)
        self.proj = nn.Linear(channels, channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, channels = x.shape
        parts = self.qkv(x).split(channels, 2)
        q, k, v = (each.view(batch, length, self.heads, -1).transpose(1, 2) for each in parts)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.proj(y.transpose(1, 2).reshape(batch, length, channels))


class Block(nn.Module):
    def __init__(self, channels: int, heads: int) -> None:
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(channels), nn.LayerNorm(channels)
        self.attn = Attention(channels, heads)
        self.mlp = nn.Sequential(nn.Linear(channels, 2 * channels), nn.GELU(), nn.Linear(2 * channels, channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tokens, self.positions = nn.Embedding(11, 8), nn.Embedding(6, 8)
        self.blocks = nn.ModuleList(Block(8, 2) for _ in range(3))
        self.norm = nn.LayerNorm(8)

    def forward(self, index: torch.Tensor) -> torch.Tensor:
        x = self.tokens(index) + self.positions(torch.arange(index.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.tokens.weight.T


class RunningMean(nn.Module):
    """A module that changes buffers when it runs."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))
        self.register_buffer("window", torch.zeros(4, 3))
        self.linear = nn.Linear(3, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.mean.mul_(0.5).add_(x.mean(0), alpha=0.5)
        self.window[:] = torch.cat([self.window[1:], x[:1]])
        return self.linear(x - self.mean) + self.window.sum()


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(3, 4, 2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(8, 3)
        self.cell = nn.RNNCell(3, 2)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y, (h, c) = self.lstm(x)
        z, g = self.gru(y)
        return z, h, c, self.cell(g[0])


class Function(nn.Module):
    """A module without weights."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> Any:
        return self.function(*inputs)


def _activations(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return (
        F.gelu(x), F.gelu(x, approximate="tanh"), F.silu(x), F.mish(x), F.hardswish(x), F.hardsigmoid(x), F.elu(x),
        F.selu(x), F.softplus(x, 2.0), F.leaky_relu(x), F.relu6(x), F.hardtanh(x), F.logsigmoid(x), F.softsign(x),
        F.tanhshrink(x), F.softmax(x, 1), F.log_softmax(x, -1),
        F.glu(x), torch.clamp(x, -0.5, 0.3), F.threshold(x, 0, 1),
    )  # fmt: skip


def _shapes(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return (
        x.flatten(1), x.permute(2, 0, 1), x[:, 1:, ::2], x[..., -1], x.roll(1, 2), x.flip(1), x.repeat(1, 2, 1),
        x.unfold(2, 2, 1), torch.stack([x, x], 1), x.chunk(2, -1)[1], F.pad(x, (1, 2)),
        F.pad(x, (1, 1), mode="reflect"),
        x.repeat_interleave(2, 1), x.unbind(1)[0], torch.tril(x), x.unflatten(2, (2, 2)), x.mT, x.expand(5, 2, 3, 4),
        torch.einsum("bij,bkj->bik", x, x),
    )  # fmt: skip


def _reductions(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return (
        x.sum(), x.mean(1), x.max(1).values, x.max(1).indices, x.std(2), x.var(dim=(0, 1), unbiased=False),
        x.norm(dim=1), x.cumsum(1), x.amax((1, 2)), x.argmax(-1), x.logsumexp(1), x.topk(2, -1).values,
        x.sort(-1).indices, (x > 0).any(1), (x > 0).sum(), x.prod(1),
    )  # fmt: skip


def _arithmetic(x: torch.Tensor, y: torch.Tensor, i: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return (
        x + 2, 2 - x, x * y, x / y, x // 0.3, torch.where(x > y, x, y), x.pow(2), y.abs() ** x, torch.maximum(x, y),
        x.masked_fill(x < 0, -1.0), i + x, i * 2, i // 2, i % 3, i / 2, (i > 1) & (i < 4), x.eq(y), x.round(),
        torch.rsqrt(x.abs() + 1), i.float(), x.long(), x.new_zeros(3) + 1,
        i.to(torch.int32) * 3, torch.sub(x, y, alpha=2),
    )  # fmt: skip


def _indices(x: torch.Tensor, i: torch.Tensor) -> tuple[torch.Tensor, ...]:
    rows = i[None].expand(4, -1)
    return (
        x[i], x[:, i], x[i, i], x.gather(1, rows), x.index_select(1, i), F.embedding(i, x), F.one_hot(i, 5),
        x.scatter(1, rows, 0.5), x.scatter_add(1, rows, x[:, :3]),
    )  # fmt: skip


def _windows(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    weight = torch.arange(2 * 2 * 9).reshape(2, 2, 3, 3) / 36
    return (
        F.conv2d(x, weight, stride=2, padding=1), F.conv2d(x, weight, padding="same"), F.conv2d(x[0], weight),
        F.conv_transpose2d(x, weight, stride=2, padding=1, output_padding=1), F.max_pool2d(x, 3, 2, 1),
        F.max_pool2d(x, 2, ceil_mode=True), F.avg_pool2d(x, 3, 2, 1), F.adaptive_avg_pool2d(x, (3, 2)),
        F.adaptive_max_pool2d(x, 1), F.interpolate(x, scale_factor=2), F.interpolate(x, size=(9, 4), mode="bilinear"),
        F.interpolate(x, size=(9, 4), mode="bilinear", align_corners=True), F.group_norm(x, 2), F.instance_norm(x),
        F.pixel_shuffle(x.repeat(1, 2, 1, 1), 2),
    )  # fmt: skip


def _repeated(x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, ...]:
    y = torch.rsub(x, 2, alpha=3)
    return x, y, torch.rsub(x, w, alpha=2), y, x, y


def _masked(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.scaled_dot_product_attention(x, x, x, attn_mask=mask)


def cases() -> dict[str, Case]:
    """Return all modules, each with example inputs and dynamic extents."""
    torch.manual_seed(0)
    encoder = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(8, 2, 12, batch_first=True), 2, enable_nested_tensor=False
    )
    x = torch.randn
    return {
        "resnet": (ResNet(), (x(3, 3, 8, 8),), ({0: "batch"},)),
        "gpt": (GPT(), (torch.tensor([[3, 1, 4, 1, 5]]),), None),
        "encoder": (encoder, (x(3, 4, 8),), ({0: "batch", 1: "length"},)),
        "running_mean": (RunningMean(), (x(5, 3),), ({0: "rows"},)),
        "recurrent": (Recurrent(), (x(2, 4, 3),), None),
        "activations": (Function(_activations), (x(2, 3, 4),), None),
        "shapes": (Function(_shapes), (x(2, 3, 4),), None),
        "reductions": (Function(_reductions), (x(2, 3, 4),), None),
        "arithmetic": (Function(_arithmetic), (x(3, 4), x(3, 4), torch.arange(12).reshape(3, 4) % 7), None),
        "masked": (
            Function(_masked),
            (x(1, 2, 3, 4), torch.tensor([[True, False, True], [False] * 3, [True] * 3])),
            None,
        ),
        "repeated": (Function(_repeated), (x(3, 4), x(3, 4)), None),
        "indices": (Function(_indices), (x(4, 5), torch.tensor([0, 2, 1])), None),
        "windows": (Function(_windows), (x(1, 2, 7, 5),), None),
    }
