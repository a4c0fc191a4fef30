"""After any edits of a long graph, its diagnostics and composition equal those of a fresh start.

Statements of a long block that an edit leaves alone keep their results. Invariant 5 of ARCHITECTURE.md.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from enum import Enum

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from snd_analysis.base import Edit, Span
from snd_analysis.compose import LastingModel, Session, Specialization, compose_root, specialization_of
from snd_analysis.model import Operation, Place, Tensor
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot, Workspace
from support.memory import MemoryReader, snapshot_of
from support.sampling import tries

# Nothing here imports the library: a fresh workspace would read it anew each time.
OPS = """\
operator same {
    @dtype { T: type; }
    @input { x: T[s..]; }
    @output { y: T[s..]; }
    @lower { y[i..] = x[i..], i < s; }
}

operator add {
    @input { x: real[s..]; z: real[s..]; }
    @output { y: real[s..]; }
    @lower { y[i..] = x[i..] + z[i..], i < s; }
}

operator scaled {
    @attrib { factor: real = 1.0; }
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @assert { factor > 0.0: "the factor must be positive"; }
    @lower { y[i..] = factor * x[i..], i < s; }
}

operator wider {
    @attrib { by: int = 1; }
    @input { x: real[b, n]; }
    @output { y: real[b, n + by]; }
    @lower { y[i, j] = 0.0, i < b, j < n + by; }
}

operator halves {
    @input { x: real[s..]; }
    @output { y: real[s..]..(2); }
    @compose { a = same(x); b = same(x); y = [a, b]; }
}

operator less {
    @input { x: real[s..]; }
    @output { y: bool[]; }
}

operator found {
    @input { x: real[b, n]; }
    @output { y: real[b, ~|n]; }
}

operator both {
    @input { x: real[b, n]; }
    @output { y: real[b, ~|n]; z: real[b, n]; }
}
"""
TEMPLATES = [
    "{new} = ops.same({old});",
    "{new} = ops.same({old});",
    "{new} = ops.add({old}, {other});",
    "{new} = ops.add({old}, {other});",
    "{new} = ops.add({old}, w{at});",
    "{new} = ops.scaled{{factor = {at}.0}}({old});",
    "{new} = l{at}: ops.same({old});",
    "{new} = own({old});",
    "{new} = 1.5;",
    "{new} = ({old});",
    "{new}: real[r{at}, c{at}] = ops.same({old});",
    "[{new}, h{at}] = ops.halves({old});",
    "p{at}..(2) = ops.halves({old}); {new} = p{at}[1];",
    "{new} = if ops.less({old}) then ops.same({old}) else ops.add({old}, {other});",
    "{new} = if flag then ops.same({old}) else {{ t = ops.same({other}); yield t; }};",
    "{new} = with c = {old} do..(3) {{ t = ops.add(c, {other}); yield t; }};",
    "{new} = with c = {old} unroll..(i -> 2) ops.same(c);",
    "{new} = with c = {old} while ops.less(c) do ops.add(c, {other});",
    "d{at} = ops.found({old}); {new} = ops.same({old});",
    "{new}: real[1, 8] = {{ q, ~ = ops.both({old}); yield q; }};",
    "{new}: real[1, 8] = {{ ~, q = ops.both({old}); yield q; }};",
    "e{at} = ops.wider{{by = {at}}}({old}); {new} = ops.same({old});",
]
PIECES = [
    "", " ", "\n", ";", "{", "}", "(", ")", "[", "]", "=", ",", "q", "0", "x", "y", "w1", "w2", "flag", "ops.",
    "ops.same", "ops.add(x, x)", "ops.wider{by = 1}(x)", "ops.nothing(x)", "nowhere", "new = ops.same(x);", "l1: ",
    "a1", "a2", "a3", "a10 = ops.same(x);", "# c\n", "~", "real[1, 9]", "-1.0", "null", "@update {", "é",
]  # fmt: skip
LINES = [
    "        a{at} = ops.same(x);\n",
    "        z{at} = ops.wider{{by = {at}}}(x);\n",
    "\n",
    "        l{at}: ops.same(x);\n",
    "        y = ops.same(a{at});\n",
    "        = ;\n",
    "        k = if a{at} then x else x;\n",
]
NAME = OperatorName("main.sknd", "net")


def program(random_: random.Random, count: int) -> str:
    """Return a graph of many statements, each naming earlier ones."""
    statements, before = [], ["x"]
    for at in range(count):
        new = f"a{at}"
        old, other = random_.choice(before[-3:]), random_.choice(before)
        written = random_.choice(TEMPLATES).format(new=new, old=old, other=other, at=at % 70)
        statements.append(f"        {written}\n")
        before.append(new)
    variables = "".join(f"        w{at}: real[1, {8 if at % 9 else 'n'}];\n" for at in range(70))
    return (
        "import ops;\n\noperator own {\n    @input { x: real[s..]; }\n    @output { y: real[s..]; }\n"
        "    @compose { y = ops.same(x); }\n}\n\n"
        "# >>> net([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]])\n"
        "graph net {\n    @attrib { flag: bool = true; n: int = 8; }\n    @input { x: real[1, 8]; }\n"
        f"    @output {{ y: real[1, 8]; }}\n    @variable {{\n{variables}    }}\n    @compose {{\n{''.join(statements)}"
        "        y = ops.same(x);\n    }\n    @update { w1 = ops.same(w1); }\n    @quantize { }\n}\n"
    )


def edit_of(text: str, random_: random.Random) -> Edit:
    """An edit in any line, mostly inside of the long blocks."""
    kind = random_.random()
    lowest = text.find("@variable") if kind < 0.9 else 0
    start = random_.randrange(max(lowest, 0), len(text) + 1)
    if kind < 0.3:  # a line is inserted, removed or written twice
        start = text.rfind("\n", 0, start) + 1
        end = text.find("\n", start) + 1 or len(text)
        if kind < 0.1:
            return Edit(Span(start, start), random_.choice(LINES).format(at=random_.randrange(70)))
        return Edit(Span(start, end), text[start:end] * random_.choice([0, 2]))
    end = min(len(text), start + random_.choice([0, 0, 0, 1, 1, 2, 5, 40]))
    return Edit(Span(start, end), random_.choice(PIECES))


def described(value: object, moved: Callable[[Place], Place]) -> object:
    """A composed value in plain terms: tensors by what they are and which of them are the same."""
    numbers: dict[int, int] = {}

    def plain(value: object) -> object:
        if isinstance(value, Tensor):
            if id(value) in numbers:
                return numbers[id(value)]
            numbers[id(value)] = len(numbers)
        if isinstance(value, Place):
            value = moved(value)
            return value.path, value.definition, value.span
        if isinstance(value, Specialization):
            return value.template.name
        if isinstance(value, Mapping):
            return {str(name): plain(each) for name, each in value.items()}
        if isinstance(value, list | tuple):
            return [plain(each) for each in value]
        if isinstance(value, Struct) and type(value).__module__.startswith(
            ("snd_analysis.model", "snd_analysis.compose.failure")
        ):
            return {name: plain(getattr(value, name)) for name in value.__struct_fields__}
        segments = getattr(value, "segments", None)
        if segments is not None:
            return "pack", plain(segments)
        element = getattr(value, "element", None)
        if element is not None:
            return "run", str(value.length), plain(element)
        return value if isinstance(value, Enum) else str(value)

    return plain(value)


def composed(snapshot: Snapshot, lasting: LastingModel | None) -> object:
    """The graph and its failures; None if there is no such graph."""
    template = snapshot.template(NAME)
    if template is None:
        return None
    specialization = compose_root(Session(snapshot), template, {}, {}, lasting=lasting)
    return described(
        (specialization.failures, specialization.body, specialization.inputs, specialization.outputs), template.moved
    )


def everything(snapshot: Snapshot) -> object:
    """Return the diagnostics, and the target of every name."""
    uses = [
        (use.span.shifted(start), str(use.role), type(use.target).__name__, getattr(use.target, "name", ""))
        for start, definition in snapshot.tree("main.sknd").definitions
        for use in snapshot.resolution("main.sknd", definition).uses
    ]
    return snapshot.diagnostics("main.sknd"), uses, [*samples(snapshot)]


def samples(snapshot: Snapshot) -> Iterator[object]:
    """The graphs that the samples invoke, composed for what these give."""
    for _, checked in snapshot.checked_samples("main.sknd"):
        specialization = None if checked.operation is None else specialization_of(checked.operation)
        if specialization is not None:
            known = (
                specialization.failures,
                specialization.body,
                specialization.inputs,
                specialization.outputs,
                specialization.valid,
                specialization.checks,
            )
            yield described(known, specialization.template.moved)


@settings(max_examples=tries(1, 12), deadline=None)
@given(st.integers(0, 2**32))
def test_incremental_equals_fresh(seed: int):
    random_ = random.Random(seed)
    text = program(random_, random_.choice([80, 80, 160]))  # a row of statements, or some
    files = {"main.sknd": text, "ops.sknd": OPS}
    workspace = Workspace(MemoryReader(files))
    workspace.open("main.sknd", text)
    lasting = LastingModel()
    undo = [text]
    older: list[tuple[Snapshot, str]] = []
    for _ in range(10):
        choice = random_.random()
        if choice < 0.25:  # mistakes are mostly taken back
            text = random_.choice(undo[-3:])
            workspace.open("main.sknd", text)
        else:
            edit = edit_of(text, random_)
            undo.append(text)
            text = edit.apply(text)
            workspace.edit("main.sknd", [edit])
        snapshot = workspace.snapshot()
        if random_.random() < 0.2:
            older.append((snapshot, text))  # to be asked later
            continue
        # As in ``snd check``, no results are kept by statement.
        fresh = Workspace(MemoryReader({**files, "main.sknd": text}), edited=False).snapshot()
        assert everything(snapshot) == everything(fresh), text
        assert composed(snapshot, lasting) == composed(fresh, None), text
    for snapshot, seen in older:
        assert everything(snapshot) == everything(snapshot_of({**files, "main.sknd": seen})), seen


@pytest.mark.parametrize("replacement", ["q", "  ", ""])
def test_what_an_edit_leaves_alone_is_not_worked_out_again(replacement: str):
    """Tensors in front of an edit are the same objects after it; behind it they are if they are alike."""
    lines = "".join(f"        a{at + 1} = ops.same(a{at});\n" for at in range(100))
    text = (
        "import ops;\ngraph net {\n    @input { x: real[4]; }\n    @output { y: real[4]; }\n    @compose {\n"
        f"        a0 = ops.same(x);\n{lines}        y = ops.same(a100);\n    }}\n}}\n"
    )
    workspace = Workspace(MemoryReader({"main.sknd": text, "ops.sknd": OPS}))
    workspace.open("main.sknd", text)
    lasting = LastingModel()
    before = _tensors(workspace.snapshot(), lasting)
    at = text.index("(a49)") + 1
    workspace.edit("main.sknd", [Edit(Span(at, at), replacement)])
    after = _tensors(workspace.snapshot(), lasting)
    same = {name for name, tensor in before.items() if after.get(name) is tensor}
    assert {f"a{at}" for at in range(48)} <= same
    behind = {f"a{at}" for at in range(52, 101)}
    assert behind.isdisjoint(same) if replacement == "q" else behind <= same
    workspace.edit("main.sknd", [Edit(Span(at, at + len(replacement)), "")])
    again = _tensors(workspace.snapshot(), lasting)
    assert behind <= {name for name, tensor in before.items() if again.get(name) is tensor}


def _tensors(snapshot: Snapshot, lasting: LastingModel) -> dict[str, object]:
    template = snapshot.template(NAME)
    assert template is not None
    body = compose_root(Session(snapshot), template, {}, {}, lasting=lasting).body
    assert body is not None
    return dict(body.tensors)


def test_a_graph_for_a_sample_is_composed_again_only_where_it_was_edited():
    lines = "".join(f"        a{at + 1} = ops.same(a{at});\n" for at in range(100))
    text = (
        "import ops;\n# >>> net([1.0, 2.0])\ngraph net {\n    @input { x: real[2]; }\n    @output { y: real[2]; }\n"
        f"    @compose {{\n        a0 = ops.same(x);\n{lines}        y = ops.same(a100);\n    }}\n}}\n"
    )
    workspace = Workspace(MemoryReader({"main.sknd": text, "ops.sknd": OPS}))
    workspace.open("main.sknd", text)

    def operations() -> list[Operation]:
        ((_, checked),) = workspace.snapshot().checked_samples("main.sknd")
        assert checked.operation is not None
        assert checked.operation.body is not None
        return [*checked.operation.body.operations]

    before = operations()
    at = text.index("a51 = ")
    workspace.edit("main.sknd", [Edit(Span(at, at), " ")])
    after = operations()
    assert len(before) == len(after) == 102
    again = sum(one is not other for one, other in zip(before, after, strict=True))
    assert again < 10, "those that were read again"
