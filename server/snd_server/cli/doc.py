"""``snd doc``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from snd_server.console.terminal import show_document
from snd_server.settings.rule_selection import nearest

if TYPE_CHECKING:
    from snd_analysis.skriptnd.names import OperatorName
    from snd_analysis.workspace import Snapshot


@click.command(short_help="Explain operators of the library.")
@click.argument("name", required=False)
@click.option("--page", is_flag=True, help="Show the whole page of a module.")
@click.option("--picture", is_flag=True, help="Show the data flow of the samples of an operator, as SVG.")
def doc(name: str | None, page: bool, picture: bool) -> None:
    """Explain an operator of the library, as in nn.conv, or list the operators of a module, as in nn.

    The text is Markdown: signature, description, samples, demands, and the formula. Without NAME, the modules are
    listed.
    """
    if picture and "." not in (name or ""):
        raise click.UsageError("--picture takes an operator, as in nn.conv")
    # The library is not read for `snd --help`.
    from snd_analysis.ide import module_page, operator_names, operator_page, summaries
    from snd_analysis.skriptnd.names import LIBRARY_PREFIX, OperatorName, format_modules, library_modules
    from snd_analysis.workspace import Workspace
    from snd_server.workspace_files.files import DiskReader

    snapshot = Workspace(DiskReader()).snapshot()
    modules = (*library_modules(), *format_modules())
    if name is None:
        show_document("".join(f"{each}\n" for each in modules))
        return
    module, _, operator = name.partition(".")
    if module not in modules:
        owners = [
            each for each in modules if not operator and module in {o.name for o in operator_names(snapshot, each)}
        ]
        if owners:
            full = " or ".join(f"'snd doc {each}.{module}'" for each in owners)
            raise click.UsageError(f"'{module}' is an operator: write {full}")
        raise click.UsageError(_unknown("module", module, modules))
    if not operator and page:
        show_document(module_page(snapshot, module))
        return
    if not operator:
        show_document("".join(f"{module}.{each}  {text}\n" for each, text in summaries(snapshot, module)))
        return
    names = [each.name for each in operator_names(snapshot, module)]
    if module in format_modules():
        from snd_server.running.specified_names import declared_name

        operator = declared_name(operator, names)
    if operator not in names:
        raise click.UsageError(_unknown(f"operator of '{module}'", operator, names))
    if picture:
        _show_picture(snapshot, OperatorName(LIBRARY_PREFIX + module, operator))
        return
    show_document(operator_page(snapshot, OperatorName(LIBRARY_PREFIX + module, operator)) + "\n")


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
