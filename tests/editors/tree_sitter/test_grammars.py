"""The tree-sitter grammars read what our parsers read, see the same definitions, and colour in a real Neovim."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from snd_analysis import rules
from snd_analysis.nnef1 import syntax as nnef_syntax
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.skriptnd import syntax as skriptnd_syntax
from support.editors.downloads import REPOSITORY, UnavailableError, skip
from support.editors.neovim_programs import oldest, unpacked
from support.editors.tree_sitter import Grammar, grammar
from support.mdtest import sections

_DEFINITIONS = {
    "skriptnd": "(definition name: (identifier) @name)",
    "nnef": "[(definition name: (_) @name) (fragment_declaration name: (_) @name)]",
}
_SUFFIXES = {"skriptnd": "sknd", "nnef": "nnef"}


@pytest.fixture(scope="module", params=["skriptnd", "nnef"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def built(language: str, tmp_path_factory: pytest.TempPathFactory) -> Grammar:
    try:
        return grammar(language, tmp_path_factory.mktemp(language))
    except UnavailableError as reason:
        skip(reason)


def _texts(language: str) -> Iterator[str]:
    """The files and the programs of tests that our parser reads without a mistake."""
    suffix = _SUFFIXES[language]
    for folder in ("analysis", "examples", "tests", "docs"):
        for path in sorted((REPOSITORY / folder).rglob(f"*.{suffix}")):
            yield path.read_text(encoding="utf-8", errors="replace")
    for path in sorted((REPOSITORY / "tests/mdtest").rglob("*.md")):
        is_nnef = "nnef1" in path.parts
        for section in sections(path) if is_nnef == (language == "nnef") else ():
            for program in section.programs:
                # A program of several files or after facts is still one text: those lines are comments.
                yield f"{program.frame.before}{program.text}{program.frame.after}"


def _definitions(language: str, text: str) -> list[str] | None:
    """The names of the definitions that our parser sees; None where it finds a mistake of syntax."""
    if language == "skriptnd":
        read = skriptnd_syntax.parse_file(text)
        names = [definition.name.text for _, definition in read.definitions]
    else:
        read = nnef_syntax.parse_file(text)
        heads = (item.head if isinstance(item, nodes.Definition) else item for item in read.document.items)
        names = [head.name.text for head in heads if isinstance(head, nodes.Head)]
    return names if {problem.rule for problem in read.problems} <= {rules.INVALID_ESCAPE} else None


def test_what_our_parser_reads_is_read(built: Grammar, language: str) -> None:
    read = {}
    folder = built.home / "corpus"
    folder.mkdir()
    for at, text in enumerate(_texts(language)):
        names = _definitions(language, text)
        if names is not None:
            path = folder / f"{at}.{_SUFFIXES[language]}"
            path.write_text(text, encoding="utf-8")
            read[path] = names
    assert len(read) > 40
    broken = [f"{place}: {path.read_text(encoding='utf-8')}" for path, place in built.broken(list(read)).items()]
    assert not broken, "\n".join(broken)
    query = built.home / "definitions.scm"
    query.write_text(_DEFINITIONS[language], encoding="utf-8")
    assert [text for _, _, text in built.captures(query, read)] == [name for names in read.values() for name in names]


@pytest.mark.parametrize("text", ["operator {", "graph g { @compose { y = ; } }"])
def test_what_is_broken_is_seen(tmp_path: Path, text: str) -> None:
    """Otherwise the test above could not fail."""
    try:
        skriptnd = grammar("skriptnd", tmp_path)
    except UnavailableError as reason:
        skip(reason)
    (tmp_path / "a.sknd").write_text(text)
    assert list(skriptnd.broken([tmp_path / "a.sknd"])) == [tmp_path / "a.sknd"]


_COLOURED = {
    "skriptnd": (
        "import nn;  # a note\n"
        "graph net {\n"
        "    @input { x: real[1,8]; }\n"
        "    @compose { y = nn.relu{alpha=0.5}(x); }\n"
        "}\n",
        {
            "import": "keyword.import", "# a note": "comment", "graph": "keyword.function", "net": "type",
            "@input": "attribute", "real": "type.builtin", "8": "number", "nn": "module",
            "relu": "function.call", "alpha": "property", "0.5": "number.float",
        },
    ),
    "nnef": (
        'version 1.0;\ngraph net(x) -> (y)\n{\n    x = tract_core_external(shape = [1, 8], datum_type = "f32");\n'
        "    y = relu(x);\n}\n",
        {
            "version": "keyword.import", "1.0": "number", "graph": "keyword.function", "net": "type",
            "shape": "property", '"f32"': "string", "relu": "function.call",
        },
    ),
}  # fmt: skip


def test_each_part_has_its_colour(built: Grammar, language: str) -> None:
    text, expected = _COLOURED[language]
    path = built.home / f"coloured.{_SUFFIXES[language]}"
    path.write_text(text, encoding="utf-8")
    captures = built.captures(REPOSITORY / f"editors/nvim/queries/{language}/highlights.scm", [path])
    last = {spelled: name for name, _, spelled in captures}
    assert {spelled: last[spelled] for spelled in expected} == expected


def test_definitions_and_blocks_fold_and_indent(built: Grammar, language: str) -> None:
    text, _ = _COLOURED[language]
    path = built.home / f"folded.{_SUFFIXES[language]}"
    path.write_text(text, encoding="utf-8")
    queries = REPOSITORY / f"editors/nvim/queries/{language}"
    folds = built.captures(queries / "folds.scm", [path])
    assert {name for name, _, _ in folds} == {"fold"}
    assert 1 in {line for _, line, _ in folds}
    indents = {name for name, _, _ in built.captures(queries / "indents.scm", [path])}
    assert indents == {"indent.begin", "indent", "indent.branch", "indent.end", "outdent"}
    built.captures(queries / "injections.scm", [path])


def test_queries_are_where_the_grammar_says(language: str) -> None:
    folder = REPOSITORY / f"editors/tree-sitter-{language}"
    (listed,) = json.loads((folder / "tree-sitter.json").read_text(encoding="utf-8"))["grammars"]
    assert (folder / listed["highlights"]).is_file()
    assert (folder / listed["injections"]).is_file()


def test_neovim_colours_by_it(built: Grammar, language: str, tmp_path: Path) -> None:
    try:
        neovim = oldest()
    except UnavailableError as reason:
        skip(reason)
    text, expected = _COLOURED[language]
    path = tmp_path / f"net.{_SUFFIXES[language]}"
    path.write_text(text, encoding="utf-8")
    look = tmp_path / "look.lua"
    look.write_text(
        """
        local found = { active = vim.treesitter.highlighter.active[vim.api.nvim_get_current_buf()] ~= nil }
        for word in io.lines(vim.env.WORDS) do
          vim.fn.cursor(1, 1)
          vim.fn.search([[\\V\\C]] .. (word:match("^%w+$") and "\\\\<" .. word .. "\\\\>" or word), "c")
          local at = vim.api.nvim_win_get_cursor(0)
          local captures = vim.treesitter.get_captures_at_pos(0, at[1] - 1, at[2])
          found[word] = captures[#captures].capture
        end
        vim.fn.writefile({ vim.json.encode(found) }, vim.env.FOUND)
        vim.cmd("qall!")
        """
    )
    (tmp_path / "words").write_text("".join(f"{word}\n" for word in expected))
    environment = {
        "HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "WORDS": str(tmp_path / "words"),
        "FOUND": str(tmp_path / "found.json"), **neovim.environment,
    }  # fmt: skip
    runtime = f"set rtp^={REPOSITORY / 'editors/nvim'},{built.home}"
    command = [neovim.path, "--headless", "-u", "NONE", "-i", "NONE", "-n", "--cmd", runtime]
    command += ["--cmd", "filetype plugin on | syntax on", path, "-S", look]
    subprocess.run(command, env=environment, check=True, timeout=60, stdin=subprocess.DEVNULL, capture_output=True)
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert found == {"active": True, **expected}


def test_generated_parsers_are_not_committed() -> None:
    files = subprocess.run(["git", "ls-files", "editors"], cwd=REPOSITORY, capture_output=True, text=True).stdout
    assert not re.search(r"tree-sitter-\w+/(src|.*\.so)", files)


def test_helix_builds_it_as_the_page_says(built: Grammar, language: str) -> None:
    try:
        helix = unpacked("trixie", "hx", "usr/bin/hx") / "usr/bin/hx"
    except UnavailableError as reason:
        skip(reason)
    page = (REPOSITORY / "docs/tree-sitter.md").read_text(encoding="utf-8").partition("\n## Helix\n")[2]
    (toml,) = re.findall(r"^```toml\n(.*?)^```", page.partition("\n## ")[0], re.MULTILINE | re.DOTALL)
    toml = toml.replace('only = ["skriptnd", "nnef"]', f'only = ["{language}"]')
    config = built.home / ".config/helix"
    (config / "runtime/grammars").mkdir(parents=True)
    (config / "languages.toml").write_text(
        toml.replace("/path/to/snd", str(built.home))
        + f'[[language]]\nname = "{language}"\nscope = "source.{language}"\nfile-types = ["{_SUFFIXES[language]}"]\n',
        encoding="utf-8",
    )
    (config / "runtime/queries").symlink_to(REPOSITORY / "editors/nvim/queries")
    environment = {"HOME": str(built.home), "PATH": "/usr/bin:/bin"}
    for arguments in (["--grammar", "build"], ["--health", language]):
        done = subprocess.run(
            [helix, *arguments], env=environment, capture_output=True, text=True, timeout=60, check=True
        )
    for line in ("Tree-sitter parser", "Highlight queries", "Textobject queries", "Indent queries"):
        assert re.search(rf"{line}: .*✓", done.stdout), done.stdout
