"""A graph as a page by itself: an HTML file with the drawing of the editors, which reads nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from importlib.resources import files
from typing import Any

from snd_server.render.drawings.graph_svg import engine

_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
</head>
<body>
<script type="application/json" id="model">{model}</script>
<script type="text/plain" id="engine">{engine}</script>
<script>{page}</script>
</body>
</html>
"""


def graph_page(content: dict[str, Any]) -> str:
    """Return the page of a graph view. Nothing in it runs but its own script, and nothing is loaded."""
    page = _inside_script(files("snd_server").joinpath("drawing", "graph-page.js").read_text(encoding="utf-8"))
    # A parser of HTML makes one line break of each of these.
    assert "\r" not in page
    digest = base64.b64encode(hashlib.sha256(page.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}' blob:; worker-src blob:; img-src blob:"
    # Escape the characters of JSON that have a meaning in HTML.
    model = json.dumps(content).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return _PAGE.format(
        policy=policy, title=html.escape(content["graph"]), model=model, engine=_inside_script(engine()), page=page
    )


def _inside_script(code: str) -> str:
    """Code in which nothing ends the element that it stands in; it stands in strings and regular expressions only."""
    return code.replace("</script", "<\\/script").replace("<!--", "<\\!--")
