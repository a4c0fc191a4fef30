"""One run of ``snd convert``: check, convert, write, and compare both models if asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator

from msgspec import Struct

from snd_analysis.base import Diagnostic, Severity
from snd_analysis.convert import Converted, NotConvertible, StoredTensor, convert_nnef1
from snd_analysis.workspace import Snapshot, tensor_path
from snd_runtime.files import InvalidFileError, read_tensor, write_npy
from snd_server.arguments import ArgumentError
from snd_server.checking import Checker
from snd_server.config import Configurations
from snd_server.discovery import NNEF1_SUFFIX
from snd_server.model_folder import MAIN
from snd_server.render import full
from snd_server.report import Report
from snd_server.selection import RuleSettings
from snd_server.showing import paint
from snd_server.terminal import say, show
from snd_server.weights import stored_files
from snd_server.writing import write_file

CLEAN, PROBLEMS, FAULT = 0, 1, 101
_WEIGHTS = "weights"


class ConvertRequest(Struct, frozen=True):
    """The command line of ``snd convert``. Memory is in bytes."""

    path: str
    output: str
    force: bool = False
    verify: bool = False
    seed: int = 0
    quiet: bool = False
    memory_bytes: int = 4 << 30
    config: str | None = None


def run_convert(request: ConvertRequest) -> int:
    """Convert a model, and return the exit status.

    Raises ArgumentError for what there is not, ConfigError, and OSError for what can't be written.
    """
    checker = Checker(Configurations(request.config), RuleSettings())
    snapshot = _demand(checker, request)
    broken = _errors(checker, request.path)
    if broken:
        show(full.render(Report((request.path,), broken, checker.source, paint=paint())))
        return PROBLEMS
    try:
        converted = convert_nnef1(snapshot, request.path, _shown_source(request.path))
    except NotConvertible as problem:
        raise ArgumentError(f"{request.path}: {problem}") from None
    main = os.path.join(request.output, MAIN)
    missing = _write(snapshot, request, converted, main)
    if not request.quiet:
        say(_summary(converted, main))
    if missing:
        others = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
        say(f"warning: '{missing[0].source}'{others}: there is no tensor file, so that there are no weights", err=True)
    # What snd writes must be what snd accepts: whatever is wrong with it, is a fault of ours.
    wrong = _errors(Checker(Configurations(request.config), RuleSettings()), main)
    if wrong:
        show(full.render(Report((main,), wrong, Checker(Configurations(), RuleSettings()).source, paint=paint())))
        say("snd itself failed: it can't express this model. Please report this, with the model", err=True)
        return FAULT
    if request.verify:
        from snd_server.verification import verify

        return verify(request, converted, main)
    return CLEAN


def _demand(checker: Checker, request: ConvertRequest) -> Snapshot:
    """Return the model, if it can be converted to where it is to go. Raises ArgumentError."""
    if not request.path.endswith(NNEF1_SUFFIX):
        raise ArgumentError(f"{request.path}: snd converts models in NNEF 1.0, and this is none")
    snapshot = checker.snapshot(request.path)
    if snapshot.file(request.path) is None:
        raise ArgumentError(f"there is no file {request.path}")
    if os.path.exists(request.output) and not os.path.isdir(request.output):
        raise ArgumentError(f"--output {request.output}: this is a file, and models are written into a folder")
    if os.path.isdir(request.output) and os.listdir(request.output) and not request.force:
        raise ArgumentError(f"--output {request.output}: the folder is not empty; --force writes into it nevertheless")
    return snapshot


def _errors(checker: Checker, path: str) -> tuple[Diagnostic, ...]:
    return tuple(each for each in checker.check(path) if each.severity is Severity.ERROR)


def _shown_source(path: str) -> str:
    """Return what the text calls the source: the last parts of its path."""
    return "/".join(path.replace(os.sep, "/").split("/")[-2:])


def _summary(converted: Converted, main: str) -> str:
    count = sum(converted.statements.values())
    others = {name: number for name, number in converted.statements.items() if name in ("nnef1", "tract")}
    parts = [f"{count - sum(others.values())} of the standard library"]
    parts += [f"{number} of '{name}'" for name, number in sorted(others.items())]
    variables = len(converted.variables)
    weights = f", {variables} variable{'' if variables == 1 else 's'}" if variables else ""
    return f"{main}: {count} statement{'' if count == 1 else 's'} ({', '.join(parts)}){weights}"


# ---- files -----------------------------------------------------------------------------------------------------------
def _write(snapshot: Snapshot, request: ConvertRequest, converted: Converted, main: str) -> list[StoredTensor]:
    """Write the module and its weights; return the variables that have none."""
    labels = {each.name: each.label for each in snapshot.stored_variables(request.path)}
    contents = stored_files(snapshot, request.path, request.memory_bytes)
    files = {name: tensor_path(request.path, label) for name, label in labels.items()}
    os.makedirs(request.output, exist_ok=True)
    write_file(main, converted.text.encode())
    folder = os.path.join(request.output, _WEIGHTS)
    missing: list[StoredTensor] = []
    for variable in converted.variables:
        content = contents.get(files.get(variable.source) or "")
        if content is None:
            missing.append(variable)
            continue
        os.makedirs(folder, exist_ok=True)
        for suffix, kept in _weights_file(content, variable):
            write_file(os.path.join(folder, f"{variable.name}{suffix}"), kept)
    return missing


def _weights_file(content: bytes, variable: StoredTensor) -> Iterator[tuple[str, bytes]]:
    """Yield the tensor file as it is; another one where the variable has another shape now. Raises ArgumentError."""
    try:
        array = read_tensor(content)
    except InvalidFileError as error:
        raise ArgumentError(f"the file of '{variable.source}': {error}") from None
    if array.shape == variable.shape:
        yield ".dat", content
    else:
        yield ".npy", write_npy(array.reshape(variable.shape))
