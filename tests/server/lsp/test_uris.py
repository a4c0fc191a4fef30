"""From URIs of clients to paths and back."""

from __future__ import annotations

import pytest

from snd_server.lsp.wire.uris import path_of, uri_of


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b%20c.sknd", "/a/b c.sknd"),
        ("file:///a/%23%3F%25.sknd", "/a/#?%.sknd"),
        ("file:///a;b/%C3%A9.sknd", "/a;b/é.sknd"),
        ("file:///a/../b.sknd", "/b.sknd"),
        ("file:///C%3A/a.sknd", "c:/a.sknd"),
        ("file://share/a.sknd", "//share/a.sknd"),
        ("untitled:a b", "untitled:a b"),
    ],
)
def test_paths(uri: str, path: str):
    assert path_of(uri) == path


@pytest.mark.parametrize("path", ["/a/b c.sknd", "/a/#?%.sknd", "/a;b/é.sknd", "//share/a.sknd"])
def test_there_and_back(path: str):
    assert path_of(uri_of(path)) == path
