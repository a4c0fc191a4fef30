"""Comments and facts as Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from snd_analysis.compose import Arguments, Member, Specialization
from snd_analysis.ide.evaluation import KnownSample, samples_in
from snd_analysis.ide.limits import LONGEST_CODE
from snd_analysis.model import Tensor, TensorKind, TensorValue
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.symbolic.integers import constant
from snd_analysis.symbolic.values import NULL, Pack, Value
from snd_analysis.workspace import Snapshot

LANGUAGE = "skriptnd"
"""The name of the language at code blocks."""

_ITEM = re.compile(r"\s*(?:-|\d+\.)\s")
# Names in backquotes, a colon, and their description.
_CLAUSE = re.compile(r"(?:^|; )(`\w+`(?:, `\w+`)*): (.*?)(?=; `\w+`(?:, `\w+`)*: |$)")
_SAMPLE = re.compile(r"\s*>>>(?!>)")
_DIRECTIVE = re.compile(r"\s*snd:\s*ignore")
_BLANK = re.compile(r"\s*")
_SPECIAL = re.compile(r"([\\`*_<>#\[\]|~&])")
_RUN = re.compile(r"`+")
_LINE_BREAK = re.compile(r"\r\n?")
# A line that would make the one above it a heading or that of a table, or be drawn as a line across.
_RULE = re.compile(r"^(\s*)([-=+:][-=+: \t]*)$", re.MULTILINE)


def code_block(text: str, language: str = LANGUAGE) -> str:
    """Return text on lines of its own, shown unchanged."""
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def code(text: str) -> str:
    """Code inside of a line."""
    text = " ".join(text.split())
    fence = "`" * (_longest_run(text) + 1)
    inner = f" {text} " if "`" in text else text
    return f"{fence}{inner}{fence}" if text else ""


def plain(text: str) -> str:
    """Escape words so that Markdown shows them unchanged; code in backquotes stays code.

    Code spans are decided here alone: clients get each code span with a fence that fits, and all other backquotes
    escaped. So no text can end a code span early in a client, and be read as Markdown there.
    """
    text = _LINE_BREAK.sub("\n", text)
    parts: list[str] = []
    at = 0
    for begin, end, width in _code_spans(text):
        parts += [_escaped(text[at:begin]), code(text[begin + width : end - width])]
        at = end
    return _RULE.sub(r"\1\\\2", "".join([*parts, _escaped(text[at:])]))


def _code_spans(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield where code begins and ends, and how many backquotes fence it: up to the next run that is as long."""
    runs = [found.span() for found in _RUN.finditer(text)]
    following: dict[int, list[int]] = {}
    for at in reversed(range(len(runs))):
        following.setdefault(runs[at][1] - runs[at][0], []).append(at)
    at = 0
    while at < len(runs):
        begin, opened = runs[at]
        others = following[opened - begin]
        while others and others[-1] <= at:
            others.pop()
        if others and text[opened : runs[others[-1]][0]].strip():
            at = others[-1]
            yield begin, runs[at][1], opened - begin
        at += 1


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _longest_run(text: str) -> int:
    return max(map(len, _RUN.findall(text)), default=0)


def paragraphs(parts: Iterable[str]) -> str:
    """Join the nonempty parts of a text as paragraphs."""
    return "\n\n".join(part for part in parts if part)


def bullets(lines: Sequence[str]) -> str:
    """Return a Markdown list; empty for no lines."""
    return "\n".join(f"- {line}" for line in lines)


def documentation_text(comment: str, *, samples: bool = True) -> str:
    """Return the comment above a definition, without its ``#``, as Markdown: samples become code.

    Comments use lists and code in backquotes already; any other Markdown syntax in them is escaped.
    """
    return paragraphs(_pieces(comment.split("\n"), samples))


def parameter_text(comment: str, name: str) -> str:
    """Return the part of the comment above a definition about one of its parameters, in a list: ``- `name`: …``.

    A list item may have several names, ``- `begin`, `end`: …``, or several parts, ``- `a`: …; `b`: …``.
    """
    for item in _list_items(comment):
        for names, text in _CLAUSE.findall(item):
            if name in re.findall(r"\w+", names):
                return plain(text)
    return ""


def _list_items(comment: str) -> Iterator[str]:
    item: list[str] = []
    for line in comment.split("\n"):
        begins = _ITEM.match(line)
        if item and not begins and line.strip() and line[:1].isspace():
            item.append(line.strip())
            continue
        if item:
            yield " ".join(item)
        item = [line[begins.end() :].strip()] if begins else []
    if item:
        yield " ".join(item)


def _pieces(lines: Sequence[str], samples: bool) -> Iterator[str]:
    pending: list[str] = []
    sample: list[str] = []
    for line in [*lines, ""]:
        blank = _BLANK.fullmatch(line) is not None
        if _SAMPLE.match(line) or (sample and not blank):
            if pending:
                yield plain("\n".join(pending))
                pending = []
            sample.append(line.strip())
            continue
        if sample:
            if samples:
                yield code_block("\n".join(sample))
            sample = []
        if _DIRECTIVE.match(line):
            continue
        if not blank:
            if _ITEM.match(line) and pending and not _in_list(pending):
                yield plain("\n".join(pending))
                pending = []
            pending.append(line.rstrip())
        elif pending:
            yield plain("\n".join(pending))
            pending = []


def _in_list(lines: Sequence[str]) -> bool:
    return _ITEM.match(lines[0]) is not None


# ---- definitions bound by one invocation: symbolic values have numbers there -----------------------------------------
KnownShapes: TypeAlias = "tuple[tuple[int, ...], ...] | None"
"""The shape of an input, or the shapes of the tensors in a pack; None for null."""


class Example(Struct, frozen=True):
    """One invocation of a definition."""

    specialization: Specialization
    phrase: str
    """Phrase that names the binding: ``in the sample …``."""


Examples: TypeAlias = "Callable[[OperatorName], Example | None]"
"""The invocation that explains a definition."""


def no_example(name: OperatorName) -> Example | None:
    """Return None: the language has no examples."""
    return None


def first_sample(snapshot: Snapshot, name: OperatorName) -> Example | None:
    """Return the first sample of a definition in its file that composes."""
    for sample in samples_in(snapshot, name.path):
        if sample.target == name and (found := example_of(sample)) is not None:
            return found
    return None


def example_of(sample: KnownSample) -> Example | None:
    """Return the binding of a sample; None if it does not compose."""
    specialization = sample.specialization
    written = " ".join(line.lstrip("#").strip().lstrip(">.").strip() for line in sample.name.code.splitlines())
    short = written if len(written) <= LONGEST_CODE else f"{written[: LONGEST_CODE - 1].rstrip()}…"
    return None if specialization is None else Example(specialization, f"in the sample {code(short)}")


def run_of(
    snapshot: Snapshot,
    name: OperatorName,
    attributes: Mapping[str, Value],
    dtypes: Mapping[str, str],
    shapes: Mapping[str, KnownShapes],
) -> Example | None:
    """Return the binding of a run with these attributes, generic types and shapes of inputs.

    None if it does not compose.
    """
    session = snapshot.session()
    template = session.template(name)
    if template is None or any(generic.name.text not in dtypes for generic in template.generics):
        return None
    inputs = tuple(_input(member, dtypes, shapes.get(member.name)) for member in template.inputs)
    types = tuple(dtypes[generic.name.text] for generic in template.generics)
    specialization = session.specialization(template, Arguments(types, attributes, inputs))
    return Example(specialization, "in this run") if specialization.valid and not specialization.failures else None


def _input(member: Member, dtypes: Mapping[str, str], shapes: KnownShapes) -> TensorValue:
    written = member.node.type.text
    dtype = dtypes.get(written, written)
    if shapes is None:
        return NULL
    if member.node.pack is None:
        return _tensor(member.name, dtype, shapes[0])
    return Pack([_tensor(f"{member.name}[{at}]", dtype, shape) for at, shape in enumerate(shapes)], dtype=dtype)


def _tensor(name: str, dtype: str, shape: tuple[int, ...]) -> Tensor:
    return Tensor(name, dtype, tuple(constant(extent) for extent in shape), TensorKind.INPUT)
