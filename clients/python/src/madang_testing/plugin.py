"""The plugin of pytest: fixtures, the marker `madang`, and what a failed test leaves."""

from __future__ import annotations

import difflib
import sys
from typing import Any, Dict, Generator, Iterator, List, Optional, Protocol

import pytest

from . import results
from .durations import Duration
from .http import MadangError
from .server import MadangServer, find_or_start
from .sharing import Broker, ask
from .world import Seed, Settings, World

_WORLDS = pytest.StashKey[List[World]]()
_SERVER = pytest.StashKey[MadangServer]()
_FAILED = pytest.StashKey[bool]()
_BROKER = pytest.StashKey[Broker]()

_PLAN = ("seed", "number", "settings", "name", "ttl")
"""The arguments of the marker."""


class MakeWorld(Protocol):
    """The type of the fixture `make_world`: the arguments of `MadangServer.make_world`."""

    def __call__(
        self, seed: Seed = ..., *, number: Optional[int] = ..., settings: Optional[Settings] = ...,
        name: Optional[str] = ..., ttl: Optional[Duration] = ...,
    ) -> World: ...


@pytest.fixture(scope="session")
def madang(request: pytest.FixtureRequest) -> Iterator[MadangServer]:
    """The server of the run: found or started. Workers of pytest-xdist share one."""
    place = getattr(request.config, "workerinput", {}).get("madang")
    try:
        server = ask(place) if place else find_or_start()
    except MadangError as failure:
        pytest.fail(str(failure), pytrace=False)
    request.config.stash[_SERVER] = server
    yield server
    try:
        server.close()
    except MadangError as failure:
        pytest.fail(str(failure), pytrace=False)


@pytest.fixture
def make_world(request: pytest.FixtureRequest, madang: MadangServer) -> Iterator[MakeWorld]:
    """Makes worlds that end after the test: `make_world("edge", number=7, settings={...})`."""
    worlds = request.node.stash.setdefault(_WORLDS, [])

    def make(
        seed: Seed = "courtyard", *, number: Optional[int] = None, settings: Optional[Settings] = None,
        name: Optional[str] = None, ttl: Optional[Duration] = None,
    ) -> World:
        world = madang.make_world(seed, number=number, settings=settings, name=name, ttl=ttl)
        worlds.append(world)
        return world

    yield make
    has_failed = request.node.stash.get(_FAILED, False)
    if has_failed and results.keeps_worlds(madang):
        return
    failures = results.removed(worlds, madang)
    # The report of a failed test has said that its server does not answer.
    if failures and not (has_failed and madang.silence()):
        pytest.fail("\n".join(failures), pytrace=False)


@pytest.fixture
def world(request: pytest.FixtureRequest, make_world: MakeWorld) -> World:
    """A world for this test, by the marker: `@pytest.mark.madang(seed="courtyard", number=7, settings={...})`.

    Without a marker it begins as `courtyard`. The marker of a class or module holds where a nearer one says nothing.
    """
    plan: Dict[str, Any] = {}
    for marker in request.node.iter_markers("madang"):
        if marker.args:
            pytest.fail("write the marker's arguments by name: @pytest.mark.madang(seed=...)", pytrace=False)
        for name in marker.kwargs:
            if name not in _PLAN:
                meant = difflib.get_close_matches(name, _PLAN, 1)
                question = f" Did you mean '{meant[0]}'?" if meant else ""
                pytest.fail(f"@pytest.mark.madang has no argument '{name}'.{question} Its arguments: {', '.join(_PLAN)}",
                            pytrace=False)
        plan = {**marker.kwargs, **plan}
    return make_world(**plan)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    outcome = yield
    made = outcome.get_result()
    worlds, server = item.stash.get(_WORLDS, []), item.config.stash.get(_SERVER, None)
    if made.when == "teardown" or not made.failed or server is None:
        return
    item.stash[_FAILED] = True
    made.sections += results.report(item.nodeid, worlds, server)
    # JUnit's XML takes the properties of the test, other reports those of this phase.
    links = [("madang.console", f"{world.url}/_dev/") for world in worlds]
    item.user_properties += links
    made.user_properties += links


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "madang(seed=..., number=..., settings=..., name=..., ttl=...): how the fixture 'world' begins")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Of pytest-xdist: before a worker starts."""
    broker = node.config.stash.get(_BROKER, None)
    if broker is None:
        broker = node.config.stash[_BROKER] = Broker()
    node.workerinput["madang"] = broker.place


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    owner: Optional[Any] = config.stash.get(_BROKER, None) or config.stash.get(_SERVER, None)
    if owner is not None and owner.story:
        terminalreporter.write_line(owner.story)


def pytest_unconfigure(config: pytest.Config) -> None:
    broker = config.stash.get(_BROKER, None)
    if broker is not None:
        try:
            broker.close()
        except MadangError as failure:
            print(failure, file=sys.stderr)
