"""A real server: `MADANG_PROGRAM` or `MADANG_DEV_URL` names it."""

from __future__ import annotations

import pathlib
from typing import Iterator

import pytest

from madang_testing import Client, MadangServer

pytest_plugins = ["pytester"]


@pytest.fixture
def inner(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, madang: MadangServer) -> pytest.Pytester:
    """Runs other tests by pytest, with the server of this run."""
    monkeypatch.setenv("MADANG_DEV_URL", madang.url)
    for name in ("MADANG_PROGRAM", "MADANG_TEST_RESULTS", "MADANG_TEST_KEEP", "PYTEST_ADDOPTS"):
        monkeypatch.delenv(name, raising=False)
    return pytester


@pytest.fixture
def results(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, inner: pytest.Pytester) -> Iterator[pathlib.Path]:
    """The folder of `MADANG_TEST_RESULTS` for inner tests. It does not exist yet."""
    folder = tmp_path / "results"
    monkeypatch.setenv("MADANG_TEST_RESULTS", str(folder))
    yield folder


def room(client: Client, name: str = "ios") -> str:
    """The path of a channel of `Weekend`."""
    workspace = next(one for one in client.get("workspaces") if one["name"] == "Weekend")["workspace_id"]
    channels = client.get(f"workspaces/{workspace}/channels")
    channel = next(one for one in channels if one["name"] == name)["channel_id"]
    return f"workspaces/{workspace}/channels/{channel}"
