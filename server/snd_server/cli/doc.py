"""``snd doc``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from snd_server.cli.shared_options import examples
from snd_server.console.terminal import show_document
from snd_server.settings.rule_selection import nearest

if TYPE_CHECKING:
    from snd_analysis.skriptnd.names import OperatorName
    from snd_analysis.workspace import Snapshot


@click.command(short_help="Explain operators of the library.", epilog=examples("snd doc nn.conv", "snd doc torch.cat"))
@click.argument("name", required=False)
@click.option("--page", is_flag=True, help="Show the whole page of a module.")
@click.option("--picture", is_flag=True, help="Show the data flow of the samples of an operator, as SVG.")
def doc(name: str | None, page: bool, picture: bool) -> None:
    """Explain an operator of the library, as in nn.conv, or list the operators of a module, as in nn.

    The text is Markdown: signature, description, samples, demands, and the formula. NAME may also be the name of an
    operator in PyTorch, ONNX or NNEF 1.0, as in Conv2d, F.conv2d, torch.cat or MatMul; if it has several counterparts,
    they are listed. Without NAME, the modules are listed.
    """
    # The library is not read for `snd --help`.
    from snd_analysis.ide import module_page, operator_page, summaries
    from snd_analysis.skriptnd.names import LIBRARY_PREFIX, OperatorName, format_modules, library_modules
    from snd_analysis.workspace import Workspace
    from snd_server.workspace_files.files import DiskReader

    snapshot = Workspace(DiskReader()).snapshot()
    modules = (*library_modules(), *format_modules())
    if name in (None, *modules) and picture:
        raise click.UsageError("--picture takes an operator, as in nn.conv")
    if name is None:
        show_document("".join(f"{each}\n" for each in modules))
    elif name in modules and page:
        show_document(module_page(snapshot, name))
    elif name in modules:
        show_document("".join(f"{name}.{each}  {text}\n" for each, text in summaries(snapshot, name)))
    else:
        found = _operators(snapshot, name, modules)
        if len(found) > 1:
            for full, others in found.items():
                summary = dict(summaries(snapshot, full.partition(".")[0]))[full.partition(".")[2]]
                show_document(f"{full}  {summary}{_in_brackets(others)}\n")
            return
        (full,) = found
        module, _, operator = full.partition(".")
        if picture:
            _show_picture(snapshot, OperatorName(LIBRARY_PREFIX + module, operator))
            return
        show_document(operator_page(snapshot, OperatorName(LIBRARY_PREFIX + module, operator)) + "\n")


def _operators(snapshot: Snapshot, name: str, modules: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the operators of the library that a name may mean, with their names in other frameworks that match.

    Raise UsageError if there is none.
    """
    from snd_analysis.ide import operator_names
    from snd_analysis.skriptnd.names import format_modules, library_modules, operators_called
    from snd_server.running.specified_names import declared_name

    module, _, operator = name.rpartition(".")
    if module in modules:
        names = [each.name for each in operator_names(snapshot, module)]
        operator = declared_name(operator, names) if module in format_modules() else operator
        if operator in names:
            return {f"{module}.{operator}": []}
    found = operators_called(name)
    owners = [each for each in modules if name in {owned.name for owned in operator_names(snapshot, each)}]
    in_library = [each for each in owners if each in library_modules()]
    for each in in_library or ([] if found else owners):
        found.setdefault(f"{each}.{name}", [])
    if found:
        return found
    if module in modules:
        raise click.UsageError(_unknown(f"operator of '{module}'", operator, names))
    raise click.UsageError(_unknown("module", name.partition(".")[0], modules))


def _in_brackets(names: list[str]) -> str:
    return f" ({', '.join(names)})" if names else ""


def _show_picture(snapshot: Snapshot, name: OperatorName) -> None:
    from snd_analysis.ide.data_flow import sample_flows
    from snd_server.render.drawings.sample_flow_svg import sample_flow_svg

    flows = [*sample_flows(snapshot, name)]
    if not flows:
        raise click.UsageError(
            f"no sample of '{name.name}' has a vector as its input and its output; "
            "'snd graph --cell' draws the data flow of any operator"
        )
    show_document(sample_flow_svg(flows))


def _unknown(what: str, name: str, known: tuple[str, ...] | list[str]) -> str:
    close = nearest(name, known)
    return f"there is no {what} called '{name}'" + (f"; did you mean '{close}'?" if close else "")
