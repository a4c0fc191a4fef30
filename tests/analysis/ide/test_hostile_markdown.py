"""No string, comment or value is read as Markdown, by a renderer: nothing ends the code that it stands in."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from snd_analysis.ide import code, code_block, plain
from snd_analysis.ide.completion import completions
from snd_analysis.ide.hover import hover
from snd_analysis.ide.markdown import documentation_text
from snd_analysis.ide.signature_help import signature_help
from snd_server.lsp.values.value_texts import _elements_text
from snd_server.lsp.wire.markup import plain_text
from support.memory import snapshot_of

ATTACKS = [
    "`` ![x](https://e.example/x.png) `", "``` \n# h\n[a](command:b)", "` <img src=x onerror=y> `` `", "a``b`c![d](e)",
    "x\n---\ny\n===\n", "x\r---\ry", "\\` [a](b) \\`", "&lt;img&gt; &#33;&#91;x](y)", "~~~\n![x](y)", "|a|\n|-|\n|b|",
    "`\n\n![x](y)\n\n`", "[a]: https://e.example\n[a]", "<https://e.example>", "* * *\n___\n", "+\n-\n=",
    "````a``b````",
]  # fmt: skip
_HARMLESS = {
    "paragraph", "text", "softbreak", "hardbreak", "code_inline", "code_block", "fence", "bullet_list", "ordered_list",
    "list_item", "text_special",
}  # fmt: skip
_TEXTS = st.text(st.sampled_from("`\\![]()<>&*_~#|=-+a \n\r1.:"), max_size=60)


def tokens(markdown: str) -> Iterator[Token]:
    """Yield the tokens of a renderer for a text, HTML and tables included."""
    for token in MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(markdown):
        yield token
        yield from token.children or ()


def kinds(markdown: str) -> set[str]:
    return {token.type.removesuffix("_open").removesuffix("_close") for token in tokens(markdown)} - {"inline"}


def shown(markdown: str) -> str:
    return "".join(token.content for token in tokens(markdown) if token.type in ("text", "code_inline", "text_special"))


@given(_TEXTS)
def test_code_holds_all_of_its_text(text: str):
    found = [token for token in tokens(f"a {code(text)} b") if token.type != "inline"]
    words = " ".join(text.split())
    assert [token.content for token in found if token.type == "code_inline"] == ([words] if words else [])
    assert kinds(f"a {code(text)} b") <= {"paragraph", "text", "code_inline"}


@given(_TEXTS)
def test_blocks_hold_all_of_their_text(text: str):
    for language in ("", "skriptnd"):
        found = list(tokens(code_block(text, language)))
        assert [token.type for token in found] == ["fence"]
        assert found[0].content == f"{text}\n".replace("\r\n", "\n").replace("\r", "\n")


@given(_TEXTS)
def test_plain_words_are_no_markup(text: str):
    assert kinds(f"It fails: {plain(text)}") <= _HARMLESS
    assert kinds(documentation_text(text)) <= _HARMLESS


@example("|\r:-")
@given(_TEXTS.filter(lambda text: "`" not in text))
def test_words_without_code_are_shown_as_they_are(text: str):
    words = "".join(text.split())
    assert "".join(shown(f"x{plain(text.strip())}").split()) == f"x{words}"
    assert "".join(plain_text(plain(text)).split()) == words


@pytest.mark.parametrize("attack", ATTACKS)
def test_attacks(attack: str):
    assert kinds(plain(attack)) <= _HARMLESS
    assert kinds(documentation_text(attack)) <= _HARMLESS
    assert kinds(code(attack)) <= {"paragraph", "code_inline"}
    assert kinds(code_block(attack)) == {"fence"}


def test_code_in_comments_stays_code():
    assert plain("see `nn.conv` and ``a`b``; not ` this") == "see `nn.conv` and `` a`b ``; not \\` this"
    assert plain_text(plain("see `nn.conv`, ``a`b`` and ` a_b *")) == "see nn.conv, a`b and ` a_b *"


PROGRAM = """# ATTACK
# - `a`: ATTACK
operator f {
    @attrib { a: str = 'ATTACK'; }
    @input { x: real[2]; }
    @output { y: real[2]; }
    @compose { y = x; }
}

# ATTACK
graph G {
    @input { x: real[2]; }
    @constant { c: str[1] = ['ATTACK']; }
    @output { y: real[2]; }
    @compose {
        # ATTACK
        y = f{a='ATTACK'}(x);
    }
}
"""


@pytest.mark.parametrize("attack", ATTACKS[:4])
def test_hovers_and_help_show_no_images_and_links(attack: str):
    text = PROGRAM.replace("ATTACK", " ".join(attack.split()).replace("'", ""))
    snapshot = snapshot_of({"main.sknd": text})
    seen = 0
    for offset in range(0, len(text), 3):
        found = hover(snapshot, "main.sknd", offset)
        if found is not None:
            seen += attack[:2] in found.markdown
            assert not kinds(found.markdown) & {"image", "link", "html_inline", "html_block", "heading"}
    assert seen
    inside = text.rindex("a='")
    help_ = signature_help(snapshot, "main.sknd", inside)
    assert help_ is not None
    for documentation in (help_.documentation, *(each.documentation for each in help_.parameters)):
        assert kinds(documentation or "") <= _HARMLESS
    for item in completions(snapshot, "main.sknd", inside).items:
        assert not kinds(getattr(item, "documentation", None) or "") & {"image", "link", "html_inline", "html_block"}


@pytest.mark.parametrize("attack", ATTACKS)
def test_values_of_strings_are_code(attack: str):
    from snd_runtime.evaluation import ShownTensor

    for shape in ((1, 2), (2,), (1, 1, 2)):
        values = np.array([attack, "b"], object).reshape(shape)
        for tables in (True, False):
            text = _elements_text(ShownTensor("y", None, values), tables)
            allowed = {"table", "thead", "tbody", "tr", "th", "td", "strong", *_HARMLESS}
            assert kinds(text) <= allowed
