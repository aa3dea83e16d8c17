"""Tests of chat clients against Madang: each test gets a server of its own, with people, a clock, faults and a journal.

With pytest use the fixtures `world`, `make_world` and `madang`; elsewhere::

    with find_or_start() as madang, madang.make_world("courtyard") as world:
        world.person("joon").post("Lunch?", in_="Weekend/ios")
"""

from .client import Client
from .durations import Duration
from .expect import Expected, at_least, at_most, never, once, times
from .faults import Fault
from .http import Answer, MadangError
from .journal import Entry, Filter
from .people import Person
from .plugin import MakeWorld
from .scripts import Run
from .server import MadangServer, find_or_start, start
from .sockets import Socket
from .world import Finding, Seed, Settings, World

__all__ = [
    "Answer", "Client", "Duration", "Entry", "Expected", "Fault", "Filter", "Finding", "MadangError", "MadangServer",
    "MakeWorld", "Person", "Run", "Seed", "Settings", "Socket", "World", "at_least", "at_most", "find_or_start", "never",
    "once", "start", "times",
]
