"""After any edits of several files, every answer is that of a fresh start (invariant 5).

Random edits, random questions in random order: diagnostics, hovers, hints, composed graphs, values of samples. Not
every revision is asked, questions are asked of old revisions, too, and edits often return to a text that was there.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from snd_analysis.base import Edit, Span
from snd_analysis.ide.evaluation.samples import Digests
from snd_analysis.ide.hover import hover
from snd_analysis.ide.inlay_hints import inlay_hints
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot, Workspace
from snd_runtime.limits import Limits
from snd_runtime.samples import evaluate_sample
from support.memory import MemoryReader, snapshot_of

FILES = {
    "main.sknd": """\
import blocks, math;

graph net {
    @input { x: real[1, 4]; }
    @output { y: real[1, 4]; }
    @variable { w: real[1, 4]; }
    @compose {
        t = blocks.twice{factor = 2.0}(x);
        u = math.add(t, w);
        y = blocks.wide{by = 0}(u);
    }
    @quantize { t: blocks.same{}; }
}

# >>> half([2.0, 4.0])
# y: real[2] = [1.0, 2.0]
operator half {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @compose { y = blocks.twice{factor = 0.5}(x); }
}
""",
    "blocks.sknd": """\
import base;

# Twice as much.
# >>> twice([1.0])
# y: real[1] = [2.0]
operator twice {
    @attrib { factor: real = 2.0; }
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @lower { y[i..] = factor * x[i..], i < s; }
}

public operator wide {
    @attrib { by: int = 1; }
    @input { x: real[b, n]; }
    @output { y: real[b, n + by]; }
    @assert { by >= 0: "cannot shrink"; }
    @compose { y = same(base.padded{by = by}(x)); }
}

operator same {
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @lower { y[i..] = x[i..], i < s; }
}
""",
    "base.sknd": """\
operator padded {
    @dtype { T: type; }
    @attrib { by: int; }
    @input { x: T[b, n]; }
    @output { y: T[b, m]; }
    @using { m = n + by; }
    @lower { y[i, j] = x[i, j], i < b, j < m; }
}
""",
}
PIECES = [
    "", " ", "\n", ";", "}", "x", "y", "q", "2.0", "1", "by", "n", "s..", "m", "factor", "blocks.same",
    "base.padded", "math.mul", "twice", "# note\n", "import base;\n", "operator other { }\n", "public ", "[b, n]",
    ", 1", "real", "int",
]  # fmt: skip


def _edit_of(text: str, random_: random.Random) -> Edit:
    start = random_.randrange(len(text) + 1)
    if random_.random() < 0.5:  # of a word
        while start and text[start - 1].isalnum():
            start -= 1
    end = min(len(text), start + random_.choice([0, 0, 1, 2, 6]))
    return Edit(Span(start, end), random_.choice(PIECES))


def _hints(snapshot: Snapshot, path: str) -> object:
    return [*inlay_hints(snapshot, path, Span(0, len(snapshot.source(path).text)))]


def _composed(snapshot: Snapshot, path: str) -> object:
    found = []
    for name in snapshot.definitions(path):
        specialization = snapshot.specialization(OperatorName(path, name))
        if specialization is not None:
            body = specialization.body
            operations = () if body is None else tuple(str(each.operator) for each in body.operations)
            values = (*specialization.inputs, *specialization.outputs)
            found.append((name, str(values), specialization.valid, len(specialization.failures), operations))
    return found


def _sample_values(snapshot: Snapshot, path: str) -> object:
    outcomes = [
        evaluate_sample(snapshot.session(), checked, Limits(seconds=5)) for _, checked in snapshot.checked_samples(path)
    ]
    return [(each.status, each.rule, each.message, str(each.results)) for each in outcomes]


def _digests(snapshot: Snapshot, path: str) -> object:
    digests = Digests(snapshot)
    return [digests.of("", OperatorName(path, name)) for name in snapshot.definitions(path)]


def _question(random_: random.Random, texts: dict[str, str]) -> Callable[[Snapshot], object]:
    path = random_.choice([*texts])
    offset = random_.randrange(len(texts[path]) + 1)
    questions: list[Callable[[Snapshot], object]] = [
        lambda snapshot: snapshot.diagnostics(path),
        lambda snapshot: hover(snapshot, path, offset),
        lambda snapshot: _hints(snapshot, path),
        lambda snapshot: _composed(snapshot, path),
        lambda snapshot: _sample_values(snapshot, path),
        lambda snapshot: _digests(snapshot, path),
    ]
    return random_.choice(questions)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32))
def test_every_answer_is_that_of_a_fresh_start(seed: int):
    random_ = random.Random(seed)
    workspace = Workspace(MemoryReader(FILES))
    for path, text in FILES.items():
        workspace.open(path, text)
    texts = dict(FILES)
    taken: list[tuple[Snapshot, dict[str, str]]] = []
    for _ in range(10):
        path = random_.choice([*FILES])
        if taken and random_.random() < 0.3:
            texts = {**texts, path: random_.choice(taken)[1][path]}
            workspace.open(path, texts[path])
        else:
            edit = _edit_of(texts[path], random_)
            texts = {**texts, path: edit.apply(texts[path])}
            workspace.edit(path, [edit])
        taken.append((workspace.snapshot(), texts))
        for _ in range(random_.choice([0, 1, 1, 3])):
            snapshot, seen = taken[-1] if random_.random() < 0.8 else random_.choice(taken)
            question = _question(random_, seen)
            assert question(snapshot) == question(snapshot_of(seen)), seen
