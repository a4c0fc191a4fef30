"""One name, one type: a type that several packages use has a name that no other type of the project has.

Aliases with the same definition count as one type. Syntax nodes are the exception: all code writes ``nodes.Loop``, so
a node may have the name of another class.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from analysis.test_layers import PACKAGES
from support.sources import syntax_tree

ROOT = Path(__file__).parents[2]
SOURCES = {"analysis": "snd_analysis", "runtime": "snd_runtime", "server": "snd_server"}
_PACKAGES = sorted((f"snd_analysis.{each}" for each in PACKAGES), key=len, reverse=True)


@cache
def modules() -> Mapping[str, ast.Module]:
    """Return the syntax trees of all modules, by their names."""
    found = {}
    for folder, package in SOURCES.items():
        for path in (ROOT / folder / package).rglob("*.py"):
            name = ".".join(path.relative_to(ROOT / folder).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = syntax_tree(path)
    return found


def package_of(module: str) -> str:
    """Return the package of a module: one of ``PACKAGES`` in the analysis, a folder elsewhere."""
    found = (each for each in _PACKAGES if f"{module}.".startswith(f"{each}."))
    return next(found, ".".join(module.split(".")[:2]))


def is_node(module: str) -> bool:
    """Return whether a module defines syntax nodes."""
    return ".syntax.nodes" in module


def types_of(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the classes and type aliases at the top of a module: the name, and the definition of an alias."""
    for each in tree.body:
        match each:
            case ast.ClassDef(name=name):
                yield name, ""
            case ast.AnnAssign(
                target=ast.Name(id=name), annotation=ast.Name(id="TypeAlias"), value=ast.expr() as value
            ):
                yield name, ast.unparse(value)


def imports_of(tree: ast.Module) -> Iterator[tuple[str, str, str]]:
    """Yield the bound name, the module and the imported name of each ``from … import …``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            for each in node.names:
                yield each.asname or each.name, node.module, each.name


def used_types() -> set[tuple[str, str]]:
    """Return the types, as module and name, that a module of another package uses."""
    types = {module: dict(types_of(tree)) for module, tree in modules().items()}
    bound = {
        module: {bound: (source, name) for bound, source, name in imports_of(tree)}
        for module, tree in modules().items()
    }

    def origin(module: str, name: str) -> tuple[str, str] | None:
        seen = set()
        while name not in types.get(module, ()):
            seen.add((module, name))
            module, name = bound.get(module, {}).get(name, (module, name))
            if (module, name) in seen:
                return None
        return module, name

    used = set()
    for module, tree in modules().items():
        named = [origin(source, name) for _, source, name in imports_of(tree)]
        qualifiers = {name: f"{source}.{each}" for name, source, each in imports_of(tree)}
        for node in ast.walk(tree):
            match node:
                case ast.Attribute(value=ast.Name(id=qualifier), attr=name) if qualifier in qualifiers:
                    named.append(origin(qualifiers[qualifier], name))
        used.update(each for each in named if each is not None and package_of(each[0]) != package_of(module))
    return used


def test_a_shared_type_has_a_unique_name():
    places: dict[str, dict[str, str]] = defaultdict(dict)
    for module, tree in modules().items():
        for name, definition in () if is_node(module) else types_of(tree):
            places[name][definition or module] = module
    shared = {name for module, name in used_types() if not is_node(module)}
    assert {name: [*places[name].values()] for name in sorted(shared) if len(places[name]) > 1} == {}
    assert len(shared) > 100  # the search finds types at all


def test_nodes_are_written_with_their_module():
    taken = {name for module, tree in modules().items() if not is_node(module) for name, _ in types_of(tree)}
    nodes = {name for module, tree in modules().items() if is_node(module) for name, _ in types_of(tree)}
    bare = defaultdict(list)
    for module, tree in modules().items():
        for _, source, name in imports_of(tree):
            if name in nodes & taken and ".syntax" in source and package_of(source) != package_of(module):
                bare[name].append(module)
    assert bare == {}
