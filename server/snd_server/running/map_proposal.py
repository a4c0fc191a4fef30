"""A proposal of rules that rename weights: ``--write-map`` pairs weights and variables by shape and by name."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.base import counted
from snd_server.limits import MOST_LISTED_NAMES
from snd_server.running.arguments import ArgumentError
from snd_server.running.pairing import KnownShape, OpenPairing, left_open, paired
from snd_server.running.weight_maps import MapRule, is_map, matched
from snd_server.workspace_files.writing import STANDARD_OUTPUT, write_file

MAP_SUFFIX = ".toml"
_PARTS = (2, 3, 4)
"""Numbers of tensors that frameworks keep as one: gates, and queries, keys and values."""
_CHANNELS_LAST: Mapping[int, tuple[int, ...]] = {2: (1, 0), 3: (2, 1, 0), 4: (3, 2, 0, 1)}
"""The order of dimensions of filters of Keras and TensorFlow, by rank."""
_ORDERED_PARTS = (("query", "key", "value"), ("q", "k", "v"))
"""Words of tensors that every framework keeps as one in this order."""


class Proposal(Struct, frozen=True):
    """Rules that rename weights, and phrases about undecided cases."""

    rules: tuple[MapRule, ...]
    notes: tuple[str, ...] = ()


def proposed_rules(weights: Mapping[str, KnownShape], variables: Mapping[str, KnownShape]) -> Proposal:
    """Return rules that give weights the names of variables where shapes and names decide that.

    A weight that is left then may hold several variables of one scope, or be a part of one, along axis 0.
    """
    weights = {name: shape for name, shape in weights.items() if "*" not in name}  # a rule can't name it
    stored = {name: _as_here(name, shape) for name, shape in weights.items()}
    pairs = paired(weights, variables, _fits, paired(stored, variables, _agree))
    rules, notes = _pair_rules(pairs, weights, variables)
    left = {name: shape for name, shape in weights.items() if name not in pairs}
    others = {name: shape for name, shape in variables.items() if name not in pairs.values()}
    fused: list[MapRule] = []
    for is_split, wholes, pieces in ((True, left, others), (False, others, left)):
        for whole, parts in _fused(wholes, pieces):
            ordered = _in_order(parts)
            if ordered is None:
                notes.append(f"open: '{whole}' fits {_listed(parts)} together, and nothing tells in which order")
            else:
                fused.append(MapRule(whole, ordered) if is_split else MapRule(ordered, whole))
    taken = {name for rule in fused for name in (*rule.sources, *rule.targets)}
    notes += map(_open_note, left_open(left, others, taken, _fits))
    return Proposal(tuple(_with_stars([*rules, *fused], weights)), tuple(notes))


def write_proposal(path: str, proposal: Proposal, wrong: str | None, command: str) -> str:
    """Write a proposal as a file for ``--map``; return a phrase about open cases.

    ``wrong`` is the mismatch of variables and mapped weights, and ``command`` the verb of the command that takes the
    file. Raise OSError, and ArgumentError for a path that no map may be written to.
    """
    demand_map(path)
    wrong = wrong or "every variable has a weight"
    title = f"Proposed by name and shape: compare each rule. {wrong[0].upper()}{wrong[1:]}."
    write_file(path, map_text(proposal.rules, [title, *proposal.notes]).encode(), MAP_SUFFIX)
    summary = f"{path}: {counted(len(proposal.rules), 'rule')}; {wrong}"
    shown = [f"  {note}" for note in proposal.notes[:MOST_LISTED_NAMES]]
    if len(proposal.notes) > MOST_LISTED_NAMES:
        shown.append(f"  and {len(proposal.notes) - MOST_LISTED_NAMES} more notes, which are in the file")
    if path == STANDARD_OUTPUT:
        return "\n".join(f"# {line}" for line in (summary, *shown))  # behind the map, which it leaves valid
    return "\n".join([f"{summary}. Compare each rule, then {command} with --map {path}", *shown])


def demand_map(path: str) -> None:
    """Raise ArgumentError for a path that no map may be written to: a map that exists is replaced, and nothing else."""
    if path == STANDARD_OUTPUT:
        return
    if not path.endswith(MAP_SUFFIX):
        raise ArgumentError(f"--write-map {path}: the name of a map ends in {MAP_SUFFIX}")
    if os.path.isfile(path) and not is_map(path):
        raise ArgumentError(f"--write-map {path}: this file exists and is no map, and is not replaced")


def map_text(rules: Iterable[MapRule], notes: Iterable[str]) -> str:
    """Return the rules as a file for ``--map``, after comments."""
    lines = [f"# {_escaped(note)}" for note in notes]
    for rule in rules:
        lines += ["", "[[rule]]", f"from = {_written(rule.source)}", f"to = {_written(rule.target)}"]
        if rule.transpose is not None:
            lines.append(f"transpose = {list(rule.transpose)}")
    return "\n".join(lines) + "\n"


def _written(names: str | tuple[str, ...]) -> str:
    quoted = [f'"{_quoted(each)}"' for each in ((names,) if isinstance(names, str) else names)]
    return quoted[0] if isinstance(names, str) else f"[{', '.join(quoted)}]"


def _quoted(name: str) -> str:
    return _escaped(name.replace("\\", "\\\\").replace('"', '\\"'))


def _escaped(text: str) -> str:
    return "".join(each if each.isprintable() else f"\\U{ord(each):08X}" for each in text)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:MOST_LISTED_NAMES])
    return f"{shown} and {len(names) - MOST_LISTED_NAMES} more" if len(names) > MOST_LISTED_NAMES else shown


def _open_note(found: OpenPairing) -> str:
    weights, variables = map(_listed, (found.weights, found.variables))
    if len(found.weights) == len(found.variables) == 1:
        return f"open: {weights} has the shape of {variables}, but another name"
    fit = "fits" if len(found.weights) == 1 else "fit"
    return f"open: {weights} {fit} {variables} by shape, and the names do not decide"


# ---- orders of dimensions --------------------------------------------------------------------------------------------
def _orders(weight: KnownShape, variable: KnownShape) -> list[tuple[int, ...]]:
    """Return the orders of dimensions in which a weight fits a variable, that which it has first."""
    if len(weight) != len(variable):
        return []
    same = tuple(range(len(weight)))
    return [
        order
        for order in dict.fromkeys((same, _CHANNELS_LAST.get(len(weight), same)))
        if all(variable[at] in (None, weight[source]) for at, source in enumerate(order))
    ]


def _fits(weight: KnownShape, variable: KnownShape) -> bool:
    return bool(_orders(weight, variable))


def _agree(weight: KnownShape, variable: KnownShape) -> bool:
    return bool(weight == variable or _orders(weight, variable)[:1] == [tuple(range(len(weight)))])


def _stored_order(name: str, rank: int) -> tuple[int, ...]:
    """Return the order of dimensions that a variable has in terms of a weight, as the name of the weight tells.

    Keras and TensorFlow have channels last, and call their filters ``kernel``.
    """
    same = tuple(range(rank))
    return _CHANNELS_LAST.get(rank, same) if re.search(r"kernel(:\d+)?$", name) else same


def _as_here(name: str, shape: KnownShape) -> KnownShape:
    return tuple(shape[at] for at in _stored_order(name, len(shape)))


def _pair_rules(
    pairs: Mapping[str, str], weights: Mapping[str, KnownShape], variables: Mapping[str, KnownShape]
) -> tuple[list[MapRule], list[str]]:
    """Return rules for pairs, and notes about weights that fit in two orders of dimensions, such as square matrices.

    These have the order of the others of their rank.
    """
    orders = {weight: _orders(weights[weight], variables[variable]) for weight, variable in pairs.items()}
    usual = {weight: _stored_order(weight, len(weights[weight])) for weight in pairs}
    known: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
    for weight, found in orders.items():
        if len(found) == 1:
            known.setdefault(usual[weight], set()).add(found[0])
    rules, unclear = [], []
    for weight, (order, *others) in orders.items():
        if others:
            alike = known.get(usual[weight], set())
            order = next(iter(alike)) if len(alike) == 1 else usual[weight]
            unclear += [] if len(alike) == 1 else [weight]
        transpose = None if order == tuple(range(len(order))) else order
        if weight != pairs[weight] or transpose is not None:
            rules.append(MapRule(weight, pairs[weight], transpose=transpose))
    if not unclear:
        return rules, []
    verb = "fits" if len(unclear) == 1 else "fit"
    return rules, [f"check: {_listed(unclear)} {verb} in two orders of dimensions, and no other weight tells which"]


# ---- several tensors in one ------------------------------------------------------------------------------------------
def _fused(wholes: Mapping[str, KnownShape], parts: Mapping[str, KnownShape]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each tensor that fits no single one, with tensors of one scope that it has along axis 0."""
    groups: dict[tuple[str, KnownShape], list[str]] = {}
    for name, shape in parts.items():
        if shape and shape[0] is not None:
            groups.setdefault((_around(name), shape), []).append(name)
    found = {
        around: ((len(names) * (shape[0] or 0), *shape[1:]), tuple(names))
        for (around, shape), names in groups.items()
        if len(names) in _PARTS
    }
    single = {
        name: shape
        for name, shape in wholes.items()
        if shape and not any(_fits(shape, other) for other in {*parts.values()})
    }
    for whole, around in paired(single, {name: shape for name, (shape, _) in found.items()}, _agree).items():
        yield whole, found[around][1]


def _around(name: str) -> str:
    """Return the scope that the parts of a layer have in common: ``attention.query.filter`` is in ``attention``."""
    scopes = name.split(".")
    return ".".join((*scopes[:-2], "", scopes[-1])) if len(scopes) > 2 else ".".join(scopes[:-1])


def _in_order(parts: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return parts in the order of their names: queries, keys and values, or ``a``, ``b``, or 0, 1; None for others."""
    differing = [{*re.findall(r"[^\W\d_]+|\d+", part.lower())} for part in parts]
    own = [[*words - set.intersection(*differing)] for words in differing]
    if any(len(words) != 1 for words in own):
        return None
    (*words,) = (word for (word,) in own)
    for known in _ORDERED_PARTS:
        if {*words} <= {*known}:
            return tuple(sorted(parts, key=lambda part: known.index(words[parts.index(part)])))
    places = [int(word) if word.isdecimal() else ord(word) if len(word) == 1 else -1 for word in words]
    if sorted(places) != [*range(min(places), min(places) + len(parts))]:
        return None
    return tuple(sorted(parts, key=lambda part: places[parts.index(part)]))


# ---- stars -----------------------------------------------------------------------------------------------------------
def _with_stars(rules: Sequence[MapRule], weights: Mapping[str, KnownShape]) -> Iterator[MapRule]:
    """Yield one rule for rules that differ only in numbers, if it matches the same weights as they do."""
    starred = {id(rule): _starred(rule) for rule in rules}
    counts = Counter(filter(None, starred.values()))
    done: set[MapRule] = set()
    for rule in rules:
        general = starred[id(rule)]
        if general is None or counts[general] < 2:
            yield rule
        elif general not in done:
            members = [each for each in rules if starred[id(each)] == general]
            sources = {name for each in members for name in each.sources}
            if matched(weights, general) == sources:
                done.add(general)
                yield general
            else:
                yield rule


def _starred(rule: MapRule) -> MapRule | None:
    """Return a rule with a star for each number of its names; None if weight and variable have different numbers."""
    names = (*rule.sources, *rule.targets)
    numbers = [re.findall(r"\d+", name) for name in names]
    if not numbers[0] or any(each != numbers[0] for each in numbers) or any("*" in name for name in names):
        return None
    source, target = (
        tuple(re.sub(r"\d+", "*", each) for each in side) if isinstance(side, tuple) else re.sub(r"\d+", "*", side)
        for side in (rule.source, rule.target)
    )
    return replace(rule, source=source, target=target)
