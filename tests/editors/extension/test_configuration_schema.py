"""The schema of ``snd.toml`` says what the reader of configurations does."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import jsonschema
import pytest

from snd_analysis.rules import catalogue
from snd_server.settings import config_schema
from snd_server.settings.config_schema import Settings, parse_settings
from snd_server.workspace_files.config_error import ConfigError
from support.editors.downloads import REPOSITORY
from support.editors.packaged_extension import SOURCES

FILE = SOURCES / "schemas/snd.schema.json"


@pytest.fixture
def schema() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    jsonschema.Draft7Validator.check_schema(found)
    return found


def _accepts(schema: dict[str, Any], text: str) -> bool:
    return jsonschema.Draft7Validator(schema).is_valid(tomllib.loads(text))


def _is_read(text: str) -> bool:
    try:
        parse_settings(text, "snd.toml", ())
    except ConfigError:
        return False
    return True


def test_keys_are_those_of_the_reader(schema: dict[str, Any]):
    assert set(schema["properties"]) == set(config_schema._KEYS)


def test_defaults_are_those_of_the_reader(schema: dict[str, Any]):
    defaults = {key: value["default"] for key, value in schema["properties"].items() if "default" in value}
    settings = Settings()
    assert schema["properties"].keys() - defaults == {"weights", "dialect", "targets"}
    assert settings.weights is None
    assert settings.dialect is None
    assert defaults.pop("select") == ["all"]
    assert settings.rules.select is None  # all of them
    assert defaults == {
        "ignore": [*settings.rules.ignore],
        "error": [*settings.rules.error],
        "warn": [*settings.rules.warn],
        "module-paths": [*settings.module_paths],
        "exclude": [*settings.exclude],
        "per-file-ignores": dict(settings.per_file_ignores),
        "line-width": settings.line_width,
    }


def test_every_key_is_described(schema: dict[str, Any]):
    assert all(len(value["description"]) > 20 for value in schema["properties"].values())


def test_rules_are_all_there_with_what_they_say(schema: dict[str, Any], request: pytest.FixtureRequest):
    """``pytest --update-goldens`` writes the names and summaries of the rules into the schema."""
    rules = {"all": "Every rule."} | {name: catalogue.page(rule).summary for name, rule in catalogue.rules().items()}
    wanted = {
        "type": "string",
        "enum": [*rules],
        "x-taplo": {"docs": {"enumValues": [*rules.values()]}},
    }
    if request.config.getoption("--update-goldens"):
        schema["definitions"]["rule"] = wanted
        FILE.write_text(json.dumps(schema, indent=2, ensure_ascii=False) + "\n", "utf-8")
    assert schema["definitions"]["rule"] == wanted, "pytest --update-goldens brings the schema up to date"


@pytest.mark.parametrize(
    "text",
    [
        "",
        'select = ["all"]\nignore = ["unused-import"]\nerror = []\nwarn = ["unused-symbol"]',
        'module-paths = ["shared"]\nexclude = ["generated/"]',
        '[per-file-ignores]\n"experiments/**" = ["unused-import"]\n"*" = []',
        "line-width = 1",
        "line-width = 400",
        # not accepted:
        "line-width = 0",
        "line-width = 401",
        "line-width = true",
        "line-width = 90.5",
        'line-width = "90"',
        'select = "all"',
        'select = ["no-such-rule"]',
        "ignore = [1]",
        "exclude = {}",
        'weights = "trained"',
        "weights = []",
        'dialect = "tract"',
        'dialect = "khronos"',
        'dialect = "onnx"',
        "dialect = []",
        'targets = { tosa = "base-inference" }',
        "[targets]",
        'targets = "tosa"',
        'targets = { tosa = "base" }',
        'targets = { onnx = "base-inference" }',
        "targets = { tosa = 1 }",
        "module-paths = 3",
        "per-file-ignores = []",
        'per-file-ignores = {"*" = "unused-import"}',
        'per-file-ignores = {"*" = ["no-such-rule"]}',
        "line_width = 90",
        'unknown = "key"',
    ],
)
def test_it_accepts_what_the_reader_does(schema: dict[str, Any], text: str):
    assert _accepts(schema, text) == _is_read(text)


def test_it_accepts_the_example_of_the_guide(schema: dict[str, Any]):
    page = (REPOSITORY / "docs/check.md").read_text("utf-8")
    blocks: list[str] = [part.partition("```")[0] for part in page.split("```toml\n")[1:]]
    (example,) = [block for block in blocks if "line-width" in block]
    assert _is_read(example)
    assert _accepts(schema, example)


def test_it_is_contributed_for_the_files_that_are_read():
    contributed = json.loads((SOURCES / "package.json").read_text("utf-8"))["contributes"]["tomlValidation"]
    assert [(each["fileMatch"], (SOURCES / each["url"]).resolve()) for each in contributed] == [("snd.toml", FILE)]
