"""Packages import only packages below them, by their interfaces (invariant 1).

Every import counts: at the top of a file, under ``TYPE_CHECKING``, and inside of functions.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from support.sources import syntax_tree

ROOT = Path(__file__).parents[2]
ANALYSIS = ROOT / "analysis/snd_analysis"
LAZY = {"lark"}
"""Libraries that the analysis may import inside functions only: they are not loaded at start-up."""
LIBRARIES = {"msgspec", "z3"}
"""Libraries of the analysis, besides the standard library; proofs alone import z3, which is an extra."""
OUTSIDE_WORLD = {"os", "io", "time", "datetime", "socket", "subprocess", "threading", "multiprocessing", "random"}

PACKAGES = (
    "base",
    "rules",
    "db",
    "symbolic",
    "model",
    "skriptnd.limits",
    "skriptnd.syntax",
    "skriptnd.evaluate",
    "skriptnd.names",
    "skriptnd.types",
    "skriptnd.samples",
    "skriptnd.lints",
    "skriptnd.format",
    "nnef1.limits",
    "nnef1.syntax",
    "nnef1.names",
    "nnef1.assertions",
    "nnef1.lints",
    "nnef1.format",
    "compose",
    "formats",
    "nnef1.elaborate",
    "workspace",
    "proofs",
    "convert",
    "ide",
    "libraries",
)
"""The packages of the analysis: each may import those before it. Invariant 1 in ARCHITECTURE.md."""
MOST_FILES_IN_A_CYCLE = 3
MOST_FILES_IN_A_FOLDER = 20


@cache
def _nodes(path: Path) -> tuple[tuple[ast.Import | ast.ImportFrom | ast.Call, bool], ...]:
    """The imports and calls of a file, and whether each stands outside of any function."""
    found = []
    open_nodes: list[tuple[ast.AST, bool]] = [(syntax_tree(path), True)]
    while open_nodes:
        node, is_outside = open_nodes.pop()
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Call):
            found.append((node, is_outside))
        is_outside = is_outside and not isinstance(node, ast.FunctionDef)
        open_nodes += [(child, is_outside) for child in ast.iter_child_nodes(node)]
    return tuple(found)


def _imports(package: str) -> Iterator[tuple[Path, str, bool]]:
    """File, module and whether the import stands outside of any function, for each import of a package."""
    for path in sorted((ROOT / package).rglob("*.py")):
        for node, is_outside in _nodes(path):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield path.relative_to(ROOT), alias.name, is_outside
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}: imports are absolute"
                for alias in node.names:
                    yield path.relative_to(ROOT), f"{node.module}.{alias.name}", is_outside


def _violations(package: str, *forbidden: str) -> list[str]:
    return [f"{path}: {name}" for path, name, _ in _imports(package) if name.partition(".")[0] in forbidden]


# ---- the packages of the analysis ------------------------------------------------------------------------------------
def _module_name(path: Path) -> str:
    """``compose.root`` for analysis/snd_analysis/compose/root.py; a package has the name of its folder."""
    parts = path.relative_to(ANALYSIS).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def _modules() -> dict[str, Path]:
    return {_module_name(path): path for path in ANALYSIS.rglob("*.py")}


@cache
def _exported(package: str) -> frozenset[str]:
    """The names in ``__all__`` of a package, or imported as themselves; one of them may also be a module's."""
    body = syntax_tree(_modules()[package]).body
    aliases = (alias for node in body if isinstance(node, ast.ImportFrom) for alias in node.names)
    if reexported := frozenset(alias.name for alias in aliases if alias.name == alias.asname):
        return reexported
    for node in body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return frozenset(ast.literal_eval(node.value))
    return frozenset()


def _module_of(name: str) -> str:
    """The module that an imported name is taken from."""
    package, _, last = name.rpartition(".")
    return package if name not in _modules() or last in _exported(package) else name


@cache
def _edges(folder: str = "analysis/snd_analysis") -> frozenset[tuple[Path, str]]:
    """Importing file and imported module of the analysis, for each import of that in a folder."""
    found = set()
    for path, imported, _ in _imports(folder):
        name = imported.removeprefix("snd_analysis.")
        if name != imported:
            found.add((ROOT / path, _module_of(name)))
    return frozenset(found)


def _inner_edges() -> set[tuple[str, str]]:
    """Importing and imported module of the analysis."""
    return {(_module_name(path), imported) for path, imported in _edges() if _modules()[imported] != path}


def _package(module: str) -> str | None:
    """Return the package of a module; None if it is in none of them."""
    return next((name for name in PACKAGES if module == name or module.startswith(f"{name}.")), None)


def _cycles(edges: set[tuple[str, str]]) -> list[set[str]]:
    """The sets of modules that import each other, directly or through others (strongly connected components)."""
    following: dict[str, set[str]] = {}
    preceding: dict[str, set[str]] = {}
    for importer, imported in edges:
        following.setdefault(importer, set()).add(imported)
        preceding.setdefault(imported, set()).add(importer)

    def reached(start: str, steps: dict[str, set[str]]) -> set[str]:
        found, open_ends = {start}, [start]
        while open_ends:
            news = steps.get(open_ends.pop(), set()) - found
            found |= news
            open_ends += news
        return found

    left, cycles = set(following), []
    while left:
        start = left.pop()
        cycle = reached(start, following) & reached(start, preceding)
        left -= cycle
        cycles.append(cycle)
    return cycles


def test_there_is_something_to_look_at():
    assert len(list(_imports("analysis/snd_analysis"))) > 1000
    assert len(_inner_edges()) > 500


def test_every_module_is_in_a_package():
    homeless = {name for name, path in _modules().items() if path.name != "__init__.py" and _package(name) is None}
    assert homeless == set()


def test_packages_import_only_those_before_them():
    def rank(module: str) -> int:
        package = _package(module)
        return len(PACKAGES) if package is None else PACKAGES.index(package)

    upwards = {f"{importer} -> {imported}" for importer, imported in _inner_edges() if rank(importer) < rank(imported)}
    assert upwards == set()


def test_packages_are_imported_by_their_interfaces():
    """Imports from outside a package are names that an ``__init__.py`` of it exports, or a module with ``__all__``."""
    reached = set()
    for folder in ("analysis/snd_analysis", "runtime/snd_runtime", "server/snd_server", "server/snd"):
        for path, imported in _edges(folder):
            package = _package(imported)
            inside = path.is_relative_to(ANALYSIS) and _package(_module_name(path)) == package
            is_interface = imported == package or _exported(imported) or _modules()[imported].name == "__init__.py"
            if package is not None and not inside and not is_interface:
                reached.add(imported)
    assert reached == set()


def test_no_module_hides_what_its_package_loads_when_it_is_used():
    """Importing ``base/difference.py`` makes ``base.difference`` that module, whatever the package exports."""
    late = [
        (name, ast.literal_eval(module))
        for name, path in _modules().items()
        for call in re.findall(r"loaded_when_used\(__name__, (.*)\)", path.read_text(encoding="utf-8"))
        for module in call.split(", ")
    ]
    assert len(late) > 10
    assert [(name, module) for name, module in late if module in _exported(name)] == []


def test_no_cycle_has_many_files():
    cycles = [cycle for cycle in _cycles(_inner_edges()) if len(cycle) > MOST_FILES_IN_A_CYCLE]
    assert cycles == []


def test_folders_are_small():
    sizes = Counter(path.parent for path in _modules().values())
    large = {str(folder.relative_to(ANALYSIS)) for folder, size in sizes.items() if size > MOST_FILES_IN_A_FOLDER}
    assert large == set()


# ---- the packages of the runtime and the rooms of the server ---------------------------------------------------------
ORDERS = {
    "runtime/snd_runtime": (
        "rules", "errors", "limits", "values", "picture", "summary", "generators", "deviation", "files", "lowering",
        "conditions", "intrinsics", "worker", "execution", "evaluation", "samples",
    ),
    "server/snd_server": (
        "limits", "extras", "console", "workspace_files", "settings", "checking", "render", "running", "exchange",
        "commands", "mcp", "lsp", "cli",
    ),
    "server/snd_server/lsp": ("limits", "wire", "session", "diagnostics", "values", "features", "server"),
}  # fmt: skip
"""The parts of packages, files and folders: each may import those before it."""
REGISTRY = "lsp.server"
"""The module that lists what registers itself with it: the modules of ``lsp`` name its type."""


@cache
def _edges_in(package: str) -> frozenset[tuple[str, str]]:
    """Importing and imported module of a package, such as ``checking.cache``, but for the type of the registry."""
    root = ROOT / package
    prefix = root.relative_to(ROOT / package.partition("/")[0]).as_posix().replace("/", ".") + "."
    modules = {".".join(path.relative_to(root).with_suffix("").parts) for path in root.rglob("*.py")}
    found = set()
    for path, imported, _ in _imports(package):
        importer = ".".join((ROOT / path).relative_to(root).with_suffix("").parts)
        name = imported.removeprefix(prefix)
        while name not in modules and "." in name:
            name = name.rpartition(".")[0]
        if imported.startswith(prefix) and name in modules - {importer} and not f"{prefix}{name}".endswith(REGISTRY):
            found.add((importer, name))
    return frozenset(found)


@pytest.mark.parametrize("package", ORDERS)
def test_every_file_has_its_part(package: str):
    root = ROOT / package
    files = {path.stem for path in root.glob("*.py")} - {"__init__", "__main__"}
    folders = {path.parent.name for path in root.glob("*/__init__.py")}
    assert sorted(files | folders) == sorted(ORDERS[package])


@pytest.mark.parametrize("package", ORDERS)
def test_parts_import_only_those_before_them(package: str):
    order = ORDERS[package]

    def rank(module: str) -> int:
        part = module.partition(".")[0]
        return order.index(part) if part in order else len(order)

    edges = _edges_in(package)
    assert {f"{importer} -> {imported}" for importer, imported in edges if rank(importer) < rank(imported)} == set()


@pytest.mark.parametrize("package", ORDERS)
def test_no_cycle_of_parts_has_many_files(package: str):
    assert [cycle for cycle in _cycles({*_edges_in(package)}) if len(cycle) > MOST_FILES_IN_A_CYCLE] == []


@pytest.mark.parametrize("package", ["runtime/snd_runtime", "server/snd_server"])
def test_folders_of_parts_are_small(package: str):
    sizes = Counter(path.parent for path in (ROOT / package).rglob("*.py") if path.name != "__init__.py")
    assert {str(folder) for folder, size in sizes.items() if size > MOST_FILES_IN_A_FOLDER} == set()


def test_most_features_get_a_session_and_no_server():
    """The parameters of a feature limit its abilities: ``register`` alone has the server, to name its methods."""
    whole = {
        path.stem
        for path in (ROOT / "server/snd_server/lsp/features").glob("*.py")
        if re.search(r"def (?!register\b)\w+\([^)]*\bserver: SndServer", path.read_text(encoding="utf-8"))
    }
    # Evaluations report progress, proofs begin tasks, and refactorings ask the client to apply edits.
    assert whole == {"custom_requests", "proofs", "refactoring"}


# ---- the world outside -----------------------------------------------------------------------------------------------
def test_analysis_imports_no_libraries_but_its_own():
    for path, name, is_outside in _imports("analysis/snd_analysis"):
        top = name.partition(".")[0]
        if top in LAZY:
            assert not is_outside, f"{path}: {name} is to be imported where it is needed"
        else:
            assert top in {"snd_analysis", *LIBRARIES, *sys.stdlib_module_names}, f"{path}: {name}"


FORKS = ("threading.Condition", "threading.Lock", "threading.get_ident", "os")


def test_analysis_has_no_files_no_clock_and_no_chance():
    # Threads with databases of their own share the analysis of the library, and a fork waits for them.
    forks = [f"analysis/snd_analysis/base/forks.py: {each}" for each in FORKS]
    locks = [
        "analysis/snd_analysis/compose/specializations.py: threading.Lock",
        "analysis/snd_analysis/db/storage.py: threading.Lock",
        "analysis/snd_analysis/db/storage.py: threading.RLock",
    ]
    assert _violations("analysis/snd_analysis", *OUTSIDE_WORLD) == [*forks, *locks]


def test_analysis_opens_no_files():
    """Its own grammar and library come through ``importlib.resources``."""
    calls = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted((ROOT / "analysis").rglob("*.py"))
        for node, _ in _nodes(path)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("open", "print", "input")
    ]
    assert calls == []


def test_runtime_does_not_import_the_server():
    assert _violations("runtime", "snd_server") == []


def test_the_python_interface_is_on_top():
    """``snd`` is for programs of others; nothing of ours imports it."""
    inside = [path for path in _violations("server", "snd") if not path.startswith("server/snd/")]
    assert _violations("runtime", "snd") == _violations("analysis", "snd") == inside == []


def test_only_the_language_server_knows_lsp():
    lsp = Path("server/snd_server/lsp")
    for path, name, _ in _imports("server"):
        if name.partition(".")[0] in ("lsprotocol", "pygls", "cattrs", "attrs", "websockets"):
            assert lsp in path.parents, f"{path}: {name}"
