"""What a failed test leaves for its reader."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import re
from typing import List, Optional, Tuple

from .http import MadangError
from .server import MadangServer
from .world import World

_SHOWN = 100
"""How many of the newest entries a report shows; the file has all."""

_LONGEST = 150
"""The most bytes of a test's name in the name of a file."""


def keeps_worlds(server: MadangServer) -> bool:
    """Whether the worlds of failed tests stay, so that their console can be read."""
    return os.environ.get("MADANG_TEST_KEEP") == "1" and not server.was_started


def report(test: str, worlds: List[World], server: MadangServer) -> List[Tuple[str, str]]:
    """Titles and texts for the report of a failed test. The files of `MADANG_TEST_RESULTS` are written, too."""
    silence = server.silence(is_certain=True) if worlds else None
    return [_of_world(test if index == 0 else f"{test}.{index + 1}", world, keeps_worlds(server), silence)
            for index, world in enumerate(worlds)]


def removed(worlds: List[World], server: MadangServer) -> List[str]:
    """Removes worlds, and returns what went wrong. One that cannot be removed does not keep the others."""
    failures: List[str] = []
    for world in worlds:
        silence = server.silence()
        if silence is not None:
            return [*failures, f"{silence}\nSo the world {world.id} is not removed."]
        try:
            world.remove()
        except MadangError as failure:
            failures.append(f"the world {world.id} is not removed: {failure}")
    return failures


def _of_world(test: str, world: World, is_kept: bool, silence: Optional[str]) -> Tuple[str, str]:
    title = f"Madang world {world.id}"
    if silence is not None:
        return title, f"{silence}\nSo its journal is not here, and it is not removed."
    try:
        entries = world.journal.entries()
        lines = [f"  ... {len(entries) - _SHOWN} earlier entries"] if len(entries) > _SHOWN else []
        lines += [str(entry) for entry in entries[-_SHOWN:]] or ["  the journal is empty"]
        lines += [str(rule) for rule in world.faults.rules()]
        console = f"{world.url}/_dev/"
        lines.append(f"console: {console}" if is_kept else (
            f"console: {console} until the world ends with its test; "
            "MADANG_TEST_KEEP=1 keeps the worlds of failed tests at a server that was found"))
        lines += [f"written: {file}" for file in _write(test, world)]
    except (MadangError, OSError) as failure:
        lines = [f"the journal cannot be read: {failure}"]
    return title, "\n".join(lines)


def _write(test: str, world: World) -> List[pathlib.Path]:
    results = os.environ.get("MADANG_TEST_RESULTS")
    if not results:
        return []
    folder = pathlib.Path(results)
    folder.mkdir(parents=True, exist_ok=True)
    name = file_name(test)
    journal, archive = folder / f"{name}.journal.ndjson", folder / f"{name}.har"
    journal.write_text(world.journal.lines(), encoding="utf-8")
    archive.write_text(json.dumps(world.journal.har()), encoding="utf-8")
    return [journal, archive]


def file_name(test: str) -> str:
    """The name of a test's files. Names that lose characters end with a hash of the test's name, so that they differ."""
    plain = test.replace("::", "_", 1)
    name = re.sub(r"^\.+|[^\w.-]+", "_", plain).encode()[:_LONGEST].decode(errors="ignore")
    return name if name == plain else f"{name}-{hashlib.sha256(test.encode(errors='surrogatepass')).hexdigest()[:8]}"
