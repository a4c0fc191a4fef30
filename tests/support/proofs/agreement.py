"""Verdicts of snd about a random operator, compared with runs of it with many sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from time import thread_time

from msgspec.structs import replace

from snd_analysis.base import Severity
from snd_analysis.proofs import Proof, Verdict, proofs_of_operator
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot
from snd_server.checking import proving
from support.memory import snapshot_of
from support.proofs.enumeration import Broken, NotJudgedError, Outcome, Sizes, run
from support.proofs.random_operators import Operator, lines_of

CERTAIN = {"access-out-of-range", "index-out-of-range", "negative-extent"}
"""Rules whose errors say that every run fails."""
_HEADS = {"using": "@using {", "assert": "@assert {", "output": "@output {", "formula": "@lower {"}


def disagreements(operator: Operator, seed: int, tries: int) -> list[str]:
    """Return the statements of snd that runs contradict."""
    lines = lines_of(operator, "op")
    text = "\n".join(lines) + "\n"
    snapshot = snapshot_of({"m.sknd": text})
    errors = [each for each in snapshot.diagnostics("m.sknd") if each.severity is Severity.ERROR]
    outcomes = [*outcomes_of(operator, Random(seed), tries)]
    if all(outcome.is_refused or _is_asserted(outcome) for _, outcome in outcomes):
        return []  # no sizes satisfy the assertions
    outcomes = [each for each in outcomes if not each[1].is_refused]
    starts = {part: lines.index(f"    {head}") + 2 for part, head in _HEADS.items() if f"    {head}" in lines}
    if errors:
        certain = [each for each in errors if each.rule.name in CERTAIN]
        return [*_false_alarms(certain, text, outcomes, starts, operator)] if len(certain) == len(errors) else []
    proofs = [
        confirmed(each, snapshot) for each in proofs_of_operator(snapshot, OperatorName("m.sknd", "op"), thread_time)
    ]
    known = {}
    for each in proofs:
        if not each.condition.startswith("the assertion"):
            line = text.count("\n", 0, each.span.start) + 1
            known.setdefault((line, each.condition.replace(" ", "")), []).append(each)
    found = [*_wrong_proofs(known, outcomes, starts)]
    return [*found, *_wrong_refutations(operator, proofs)]


def confirmed(proof: Proof, snapshot: Snapshot) -> Proof:
    """Return a verdict with a counterexample that was evaluated; unknown if none fails."""
    if proof.verdict is not Verdict.REFUTED:
        return proof
    for candidate in proof.candidates:
        why = proving._failure(proof, candidate, snapshot, proving._evaluated_here)
        if why is not None:
            return replace(proof, candidates=(candidate,), reason=why)
    return replace(proof, verdict=Verdict.UNKNOWN)


def outcomes_of(operator: Operator, rng: Random, tries: int) -> Iterator[tuple[Sizes, Outcome]]:
    """Yield random sizes with their outcomes."""
    for at in range(tries):
        most = (2, 3, 5, 8)[at % 4]
        sizes: Sizes = {name: rng.randint(0, most) for name in operator.extents}
        sizes |= {name: rng.randint(0, most) for name in operator.lengths}
        if operator.has_rank:
            sizes["d"] = rng.randint(0, min(most, 6))
            sizes["s"] = tuple(rng.randint(0, 2 if sizes["d"] > 3 else 3) for _ in range(sizes["d"]))
        for name, type_ in operator.attributes.items():
            if type_ == "int":
                sizes[name] = rng.randint(-most // 2, most)
            elif type_ == "bool":
                sizes[name] = rng.random() < 0.5
            elif type_ == "str":
                sizes[name] = rng.choice("ABC")
            else:
                sizes[name] = tuple(rng.randint(-1, most) for _ in range(sizes["q"]))
        sizes["has w"] = any(each.optional for each in operator.inputs) and rng.random() < 0.5
        try:
            outcome = run(operator, sizes)
        except NotJudgedError:
            continue
        if not _lacks_extents(operator, sizes):
            yield sizes, outcome


def _is_asserted(outcome: Outcome) -> bool:
    """Return whether an assertion, or a helper symbol, has no value."""
    return any(each.part in ("using", "assert") for each in outcome.broken)


def _lacks_extents(operator: Operator, sizes: Sizes) -> bool:
    """Return whether an empty pack leaves an extent without a value: nothing runs then."""
    tensors = [each for each in operator.inputs if each.length and sizes[each.length] == 0]
    others = {part[1] for each in operator.inputs if each not in tensors for part in each.shape if part[0] == "var"}
    return any(part[1] not in others for each in tensors for part in each.shape)


def _false_alarms(errors, text, outcomes, starts, operator) -> Iterator[str]:  # type: ignore[no-untyped-def]
    for error in errors:
        line = text.count("\n", 0, error.location.span.start) + 1
        number = line - starts.get("formula", 10**6)
        for sizes, outcome in outcomes:
            if outcome.broken or (number >= 0 and number not in outcome.ran):
                continue
            if error.rule.name == "negative-extent" and 0 in map(sizes.get, operator.lengths):
                continue  # no tensor of an empty pack has the extent
            yield f"{error.rule.name} at line {line} is a false alarm: {sizes}"
            break


def _conditions(broken: Broken, starts: dict[str, int]) -> tuple[int, str]:
    line = starts[broken.part] + broken.number
    match broken.kind:
        case "negative":
            return line, f"no extent of '{broken.name}' is negative"
        case "division":
            return line, "no divisor is zero"
        case "item":
            return line, "each item is in its pack"
        case "exponent":
            return line, "no exponent is negative"
        case "extremum":
            return line, "no minimum or maximum is that of an empty pack"
        case "cast":
            return line, "each real has an int value"
        case "index":
            return line, f"the index '{broken.text}' of '{broken.name}' is in bounds"
        case "unwritten":
            return line, f"each element of '{broken.name}' is written, and once"
    return line, f"of '{broken.name}'"


def _wrong_proofs(
    known: dict[tuple[int, str], list[Proof]], outcomes: list[tuple[Sizes, Outcome]], starts: dict[str, int]
) -> Iterator[str]:
    everything = [each for proofs in known.values() for each in proofs]
    are_all_proved = all(each.verdict is Verdict.PROVED for each in everything)
    seen = set()
    for sizes, outcome in outcomes:
        for broken in outcome.broken:
            if broken in seen:
                continue
            seen.add(broken)
            line, condition = _conditions(broken, starts)
            if broken.kind == "twice":
                texts = (
                    f"each element of '{broken.name}' is written, and once",
                    f"'=' writes no element of '{broken.name}' twice",
                )
                same = [each for text in texts for each in known.get((line, text.replace(" ", "")), ())]
            else:
                same = known.get((line, condition.replace(" ", "")), [])
            if same and all(each.verdict is Verdict.PROVED for each in same):
                yield f"proved, but not so: line {line}, {condition} with {sizes}"
            elif are_all_proved:
                yield f"all is proved, but line {line} fails ({broken.kind} {broken.name} {broken.text}) with {sizes}"


def _wrong_refutations(operator: Operator, proofs: list[Proof]) -> Iterator[str]:
    for proof in proofs:
        if proof.verdict is Verdict.REFUTED:
            sizes = _sizes_of(operator, proof.candidates[0].sample)
            if sizes is None:
                continue
            try:
                outcome = run(operator, sizes)
            except NotJudgedError:
                continue
            if not outcome.broken and not _lacks_extents(operator, sizes):
                yield f"refuted, but not so: {proof.condition} by {proof.candidates[0].sample} ({proof.reason})"


def _sizes_of(operator: Operator, sample: str) -> Sizes | None:
    """Return the sizes of an invocation."""
    head, _, arguments = sample.partition("(")
    sizes: Sizes = {}
    for name, type_ in operator.attributes.items():
        match = re.search(rf"\b{name}=(\[[^\]]*\]|'[^']*'|[^,}}]+)", head)
        if match is None:
            return None
        value = match[1].strip("'")
        sizes[name] = (
            tuple(map(int, re.findall(r"-?\d+", value))) if type_.startswith("int..") else value == "true"
            if type_ == "bool" else int(value) if type_ == "int" else value
        )  # fmt: skip
        if type_.startswith("int.."):
            sizes["q"] = len(sizes[name])
    rest = arguments
    for tensor in operator.inputs:
        if tensor.length:
            match = re.match(r"\[((?:\w+\[[\d,]*\](?:, )?)*)\]", rest)
            if match is None:
                return None
            shapes = [tuple(map(int, re.findall(r"\d+", each))) for each in re.findall(r"\w+\[([\d,]*)\]", match[1])]
            sizes[tensor.length] = len(shapes)
        else:
            match = re.match(r"(null|\w+\[([\d,]*)\])", rest)
            if match is None:
                if not tensor.optional:
                    return None
                sizes["has w"] = False
                break
            shapes = [tuple(map(int, re.findall(r"\d+", match[2])))] if match[2] is not None else []
            sizes["has w"] = tensor.optional and bool(shapes)
        rest = rest[match.end() :].removeprefix(", ")
        for shape in shapes[:1]:
            named = [part for part in tensor.shape if part[0] == "var"]
            for part, extent in zip(named, shape, strict=False):
                sizes.setdefault(part[1], extent)
            if len(named) < len(tensor.shape):
                sizes["s"] = shape[len(named) :]
                sizes["d"] = len(sizes["s"])
    return sizes | {name: 0 for name in operator.extents if name not in sizes}
