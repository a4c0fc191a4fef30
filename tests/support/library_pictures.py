"""The pictures of docs/library: data flow of the samples of operators.

``python -m support.library_pictures`` writes them, as `make docs` does.
"""

from __future__ import annotations

from pathlib import Path

from snd_analysis.ide import PICTURED
from snd_analysis.ide.data_flow import SampleFlow, sample_flows
from snd_analysis.skriptnd.names import LIBRARY_PREFIX, OperatorName
from snd_analysis.workspace import Workspace
from snd_server.render.drawings.sample_flow_svg import sample_flow_svg
from snd_server.workspace_files.files import DiskReader

FOLDER = Path(__file__).parents[2] / "docs" / "library" / "images"


def library_flows() -> dict[str, list[SampleFlow]]:
    """Return the drawn flows of each operator that has a picture."""
    snapshot = Workspace(DiskReader()).snapshot()
    names = {full: OperatorName(LIBRARY_PREFIX + full.partition(".")[0], full.partition(".")[2]) for full in PICTURED}
    return {full: [*sample_flows(snapshot, name)] for full, name in sorted(names.items())}


def library_pictures() -> dict[str, str]:
    """Return the content of each picture by the name of its file."""
    return {f"{name}.svg": sample_flow_svg(flows) for name, flows in library_flows().items()}


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, content in library_pictures().items():
        (FOLDER / name).write_text(content, encoding="utf-8", newline="")
