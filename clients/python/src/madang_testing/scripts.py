"""What people of a world do by themselves."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, List, Optional

from .clock import Develop
from .durations import Duration, text
from .http import MadangError, segment
from .shown import shown


@dataclass(frozen=True)
class Run:
    """What a script has done since it was started."""

    name: str
    state: str
    """`ready`, `running`, `ended` or `stopped`."""
    runs: int
    """How many runs have ended."""
    under_way: int
    """How many runs have not ended."""
    failed: int
    """How many runs ended with a failure."""
    failures: List[str]
    """The first failures."""


class Scripts:
    """The scripts of a world. Their pauses and rates follow the world's clock."""

    def __init__(self, develop: Develop) -> None:
        self._develop = develop

    def add(self, script: Any) -> None:
        """Adds a script or a list of them: text in YAML or JSON, or a dictionary or list. All or none are added."""
        body = script if isinstance(script, str) else json.dumps(script)
        self._develop("POST", "scripts", body.encode())

    def list(self) -> List[Run]:
        """All scripts, in the order in which they were added."""
        return [_run(report) for report in self._develop("GET", "scripts")]

    def start(self, name: str) -> None:
        """Starts a script from its beginning."""
        self._develop("POST", f"scripts/{segment(name)}/start")

    def stop(self, name: str) -> None:
        """Stops a script and its runs. Their effects stay."""
        self._develop("POST", f"scripts/{segment(name)}/stop")

    def remove(self, name: str) -> None:
        """Stops and removes a script."""
        self._develop("DELETE", f"scripts/{segment(name)}")

    def finished(self, name: str, within: Duration = "5s", allowing_failures: bool = False) -> Run:
        """Waits until a script has ended, at most 60 s of real time.

        Raises `MadangError` if it has not, or if a run failed and `allowing_failures` is false.
        """
        return self._waited(name, None, within, allowing_failures)

    def ran(self, name: str, runs: int, within: Duration = "5s", allowing_failures: bool = False) -> Run:
        """Waits until so many runs have ended; as `finished`."""
        return self._waited(name, runs, within, allowing_failures)

    def _waited(self, name: str, runs: Optional[int], within: Duration, allowing_failures: bool) -> Run:
        run = _run(self._develop("GET", f"scripts/{segment(name)}", query={"wait": text(within), "runs": runs}))
        ended = run.state in ("ended", "stopped") and run.under_way == 0 if runs is None else run.runs >= runs
        if run.failures and not allowing_failures:
            raise MadangError(
                f"{run.failed} of {run.runs} runs of the script '{name}' failed, the first one: {shown(run.failures[0])}")
        if not ended:
            raise MadangError(
                f"the script '{name}' did not end within {within}: it is {run.state}, {run.runs} runs have ended, "
                f"{run.under_way} still run. Pauses follow the world's clock: does it stand still?")
        return run


def _run(report: Any) -> Run:
    failures = [failure["error"] for failure in report["failures"]]
    return Run(report["name"], report["state"], report["runs"], report["underWay"], report["failed"], failures)
