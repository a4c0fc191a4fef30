"""``snd rule`` prints the page of a rule, the list of all rules, and both as JSON."""

from __future__ import annotations

import json


def test_a_page(snd, golden):
    golden("rule-page.txt", snd("rule", "unused-suppression").stdout)


def test_the_list_and_all_pages(snd):
    listed = [line.split()[0] for line in snd("rule").stdout.splitlines()]
    assert listed == sorted(listed)
    assert "internal-error" in listed
    pages = snd("rule", "--all").stdout
    assert [line.removeprefix("## ") for line in pages.splitlines() if line.startswith("## ")] == listed


def test_json(snd):
    one = json.loads(snd("rule", "odd", "--format", "json").stdout)
    assert one["severity"] == "warning"
    assert one["url"].endswith("#odd")
    everything = json.loads(snd("rule", "--all", "--format", "json").stdout)
    assert one in everything


def test_misuse(snd):
    outcome = snd("rule", "noted")
    assert outcome.status == 2
    assert "did you mean 'note'?" in outcome.stderr
    assert snd("rule", "odd", "--all").status == 2
