"""``snd doc``."""

from __future__ import annotations

import click

from snd_server.selection import nearest
from snd_server.terminal import show_document


@click.command(short_help="Explain operators of the library.")
@click.argument("name", required=False)
@click.option("--page", is_flag=True, help="Show the whole page of a module.")
def doc(name: str | None, page: bool) -> None:
    """Explain an operator of the library, as in nn.conv, or list those of a module, as in nn.

    The text is Markdown: signature, description, samples, what is demanded, and the formula. Without NAME, the modules
    are listed.
    """
    # The library is not read for `snd --help`.
    from snd_analysis.ide import module_page, operator_names, operator_page, summaries
    from snd_analysis.skriptnd.names import LIBRARY_PREFIX, OperatorName, format_modules, library_modules
    from snd_analysis.workspace import Workspace
    from snd_server.files import DiskReader

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
        from snd_server.specified_names import declared_name

        operator = declared_name(operator, names)
    if operator not in names:
        raise click.UsageError(_unknown(f"operator of '{module}'", operator, names))
    show_document(operator_page(snapshot, OperatorName(LIBRARY_PREFIX + module, operator)) + "\n")


def _unknown(what: str, name: str, known: tuple[str, ...] | list[str]) -> str:
    close = nearest(name, known)
    return f"there is no {what} called '{name}'" + (f"; did you mean '{close}'?" if close else "")
