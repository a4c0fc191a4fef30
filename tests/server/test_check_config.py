"""snd.toml and [tool.snd]: what they may say, which one holds, and how mistakes in them are reported."""

from __future__ import annotations

import json

import pytest


def rules(outcome) -> list[str]:
    return [
        f"{found['path']}:{found['rule']}:{found['severity']}" for found in json.loads(outcome.stdout)["diagnostics"]
    ]


def test_every_key(snd, project):
    (project / "snd.toml").write_text(
        """
        select = ["all"]
        ignore = ["note"]
        error = ["odd"]
        warn = ["wrong"]
        module-paths = ["shared"]
        exclude = ["generated/", "*.tmp.sknd"]
        line-width = 100
        [per-file-ignores]
        "old/**" = ["odd", "wrong"]
        """
    )
    for folder in ("shared", "generated", "old"):
        (project / folder).mkdir()
        (project / folder / "x.sknd").write_text("odd wrong note\n")
    (project / "y.tmp.sknd").write_text("wrong\n")
    (project / "z.sknd").write_text("import x\n")
    outcome = snd("check", "--format", "json")
    assert rules(outcome) == ["shared/x.sknd:odd:error", "shared/x.sknd:wrong:warning"]


def test_the_nearest_configuration_wins(snd, project):
    for folder in ("", "a", "a/b", "c"):
        (project / folder).mkdir(exist_ok=True)
        (project / folder / "x.sknd").write_text("odd wrong\n")
    (project / "pyproject.toml").write_text('[tool.snd]\nignore = ["odd"]\n')
    (project / "a/snd.toml").write_text('ignore = ["wrong"]\n')
    (project / "a/b/pyproject.toml").write_text("[tool.other]\nx = 1\n")
    (project / "c/snd.toml").write_text("")
    (project / "c/pyproject.toml").write_text('[tool.snd]\nignore = ["all"]\n')
    assert rules(snd("check", "--format", "json")) == [
        "a/b/x.sknd:odd:warning",
        "a/x.sknd:odd:warning",
        "c/x.sknd:odd:warning",
        "c/x.sknd:wrong:error",
        "x.sknd:wrong:error",
    ]


def test_the_command_line_overrules(snd, project):
    (project / "x.sknd").write_text("odd wrong\n")
    (project / "snd.toml").write_text('select = ["odd"]\nerror = ["odd"]\n')
    assert rules(snd("check", "--format", "json")) == ["x.sknd:odd:error"]
    assert rules(snd("check", "--format", "json", "--select", "wrong")) == ["x.sknd:wrong:error"]
    assert rules(snd("check", "--format", "json", "--warn", "all")) == ["x.sknd:odd:warning"]
    assert rules(snd("check", "--format", "json", "--ignore", "odd")) == []


def test_config_names_one_file_for_all(snd, project):
    (project / "a").mkdir()
    (project / "a/x.sknd").write_text("odd wrong\n")
    (project / "a/snd.toml").write_text('ignore = ["all"]\n')
    (project / "special.toml").write_text('ignore = ["odd"]\n')
    assert rules(snd("check", "--format", "json", "--config", "special.toml")) == ["a/x.sknd:wrong:error"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("snd.toml", "ignore = []\n# selct\nselct = []\n", "snd.toml:3: unknown key 'selct'; did you mean 'select'?"),
        ("snd.toml", "\nignore = 'odd'\n", "snd.toml:2: 'ignore' must be a list of strings"),
        ("snd.toml", "\nignore = [1]\n", "snd.toml:2: 'ignore' must be a list of strings"),
        ("snd.toml", "ignore = [\n  'odd',\n  'ood',\n]\n", "snd.toml:3: 'ignore': there is no rule 'ood'"),
        ("snd.toml", "error = ['odd']\nwarn = ['odd']\n", "snd.toml:2: 'odd' is in both 'error' and 'warn'"),
        ("snd.toml", "line-width = '80'\n", "snd.toml:1: 'line-width' must be a whole number"),
        ("snd.toml", "line-width = true\n", "snd.toml:1: 'line-width' must be a whole number"),
        ("snd.toml", "line-width = 0\n", "snd.toml:1: 'line-width' must be a whole number"),
        ("snd.toml", "per-file-ignores = []\n", "snd.toml:1: 'per-file-ignores' must be a table"),
        ("snd.toml", "[per-file-ignores]\n'*' = 'odd'\n", "snd.toml:2: '*' must be a list of strings"),
        ("snd.toml", "module-paths = 3\n", "snd.toml:1: 'module-paths' must be a list of strings"),
        ("snd.toml", "exclude = {}\n", "snd.toml:1: 'exclude' must be a list of strings"),
        ("snd.toml", "x = 1\nignore = [\n", "snd.toml:"),
        ("snd.toml", "\nignore == []\n", "snd.toml:2:9: "),
        ("pyproject.toml", "[project]\nselct = 1\n[tool.snd]\nselct = 1\n", "pyproject.toml:4: unknown key 'selct'"),
        ("pyproject.toml", "[tool]\nsnd = 3\n", "pyproject.toml:2: 'tool.snd' must be a table"),
    ],
)
def test_a_mistake_is_misuse_at_its_line(name, text, message, snd, project):
    (project / name).write_text(text)
    (project / "x.sknd").write_text("fine\n")
    for arguments in ([], ["x.sknd"], ["x.sknd", "--no-cache"], ["--config", name]):
        outcome = snd("check", *arguments)
        assert outcome.status == 2
        assert message in outcome.stderr
        assert outcome.stdout == ""


def test_bytes_that_are_no_text(snd, project):
    (project / "snd.toml").write_bytes(b"# \xff\n")
    (project / "x.sknd").write_text("fine\n")
    assert "snd.toml: not UTF-8" in snd("check").stderr


def test_a_pyproject_without_our_table_cannot_be_named(snd, project):
    (project / "pyproject.toml").write_text("[project]\n")
    assert "has no table [tool.snd]" in snd("check", "--config", "pyproject.toml").stderr
