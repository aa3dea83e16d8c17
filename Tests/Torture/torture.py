"""Whether servers keep their word while everything around them fails.

    Scripts/torture --help

Writers, readers and sockets use one node on SQLite, then several on PostgreSQL, while nodes are killed, stopped and cut off,
the database is restarted and failed over, and what was not flushed is lost. What must hold is in docs/reference/torture.md.
"""

import argparse
import asyncio
import contextlib
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback

import disk
import postgres
import self_test
from checks import Problem
from nodes import DidNotStart, Relay
from phase import Phase

SHOWN = 12


def arguments():
    parser = argparse.ArgumentParser(
        prog="Scripts/torture", description="Writers, readers and sockets use servers while everything around them fails; "
        "a model says what must hold. Exits 0 if all of it held, 1 if not.")
    parser.add_argument("form", nargs="?", choices=["short"], help="two minutes instead of an hour")
    parser.add_argument("--seconds", type=int, help="how long it goes wrong, for all engines together (3600, or 100 if short)")
    parser.add_argument("--engine", choices=["sqlite", "postgres", "both"], default="both")
    parser.add_argument("--forget", action="store_true", help="only phases in which what was not flushed is lost")
    parser.add_argument("--seed", help="the faults of an earlier run; when they come depends on the machine besides")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument("--self-test", action="store_true", help="see whether the checks and the forgetful disk can fail")
    parser.add_argument("--program", help="the madang program to use (default: built by Scripts/torture)")
    parser.add_argument("--rate", type=float, default=800, help="posts in a second, at most (800)")
    parser.add_argument("--writers", type=int, default=32, help="posts under way at a time (32)")
    parser.add_argument("--subscribers", type=int, default=8, help="clients that listen (8)")
    parser.add_argument("--people", type=int, default=5, help="accounts that talk (5)")
    parser.add_argument("--rooms", type=int, default=4, help="channels; two direct messages besides (4)")
    parser.add_argument("--nodes", type=int, default=3, help="nodes on PostgreSQL (3)")
    parser.add_argument("--longest", type=float, default=15, help="seconds a fault lasts at most (15)")
    parser.add_argument("--pause", type=float, default=2, help="seconds between faults, about (2)")
    parser.add_argument("--problems", type=int, default=20, help="problems after which a phase ends early (20)")
    parser.add_argument("--keep", action="store_true", help="keep the directory also if all held")
    options = parser.parse_args()
    if options.people < 3 or min(options.nodes, options.writers, options.subscribers, options.rooms) < 1 or options.rate <= 0:
        parser.error("at least 3 people and 1 of everything else")
    if options.seconds is None:
        options.seconds = 100 if options.form else 3600
    if options.form:
        options.longest = min(options.longest, 6)
    if options.seed is None:
        options.seed = str(random.SystemRandom().randrange(10**6))
    return parser, options


def phases(options):
    """(engine, whether its disk forgets, seconds)"""
    # A disk that forgets leaves plain kills in: the short form does without the phase that has nothing else.
    plan = [("sqlite", True, 2), ("postgres", True, 3)]
    if not options.form:
        plan = [("sqlite", False, 1), ("sqlite", True, 1), ("postgres", True, 2)]
    if options.engine != "both":
        plan = [one for one in plan if one[0] == options.engine]
    if options.forget:
        plan = [one for one in plan if one[1]]
    total = sum(weight for *_, weight in plan)
    return [(engine, forgets, options.seconds * weight / total) for engine, forgets, weight in plan]


def describe(phase, report):
    """The first problems of each kind, with what went wrong around."""
    shown = {}
    for problem in phase.problems:
        shown.setdefault(problem.kind, []).append(problem)
    for kind, problems in shown.items():
        report(f"\n{phase.name}: {kind}, {len(problems)} times")
        for problem in problems[:3]:
            at = problem.at / 1000
            when = time.strftime("%H:%M:%S", time.localtime(at)) + f".{problem.at % 1000:03d}"
            report(f"  {when} {problem.room}: {problem.words}")
            around = [one for one in phase.log.around(at) if not one[1].startswith("PROBLEM")]
            nearest = sorted(around, key=lambda one: abs(one[0] - at))[:SHOWN]
            for moment, words in sorted(nearest):
                report(f"      {moment - at:+7.2f} s {words}")


ROWS = [
    ("chats acknowledged", "acknowledged"), ("posts of unknown fate", "unknown"), ("kills (-9)", "kills"),
    ("  of these with loss of power", "power losses"), ("polite restarts", "polite restarts"),
    ("stops (SIGSTOP)", "stops"), ("cuts", "cuts"),
    ("database restarts", "database restarts"), ("replica restarts", "replica restarts"), ("failovers", "failovers"),
    ("rounds compared", "rounds"), ("chats compared", "chats compared"), ("chats heard by sockets", "heard"),
    ("joins of sockets", "joins"), ("subscribers' lists equal", "lists compared"),
    ("connections without gap or repeat", "connections compared"), ("reads with all acknowledged", "reads"),
    ("unread counts right", "unread counts compared"), ("balances right", "balances compared"),
    ("files fetched and equal", "files compared"), ("files on disk equal", "files on disk"),
    ("deletions that stayed", "deletions compared"), ("departures", "departures from sockets"),
    ("slowest recovery, ms", "slowest recovery, ms"), ("PROBLEMS", "problems"),
]


def summary(done, options, seconds):
    told = {phase.name: dict(phase.model.counts if phase.model else {}) | phase.log.counts for phase in done}
    return {"seed": options.seed, "seconds": round(seconds), "phases": told,
            "problems": sum(len(phase.problems) for phase in done)}


def table(told, report):
    names = list(told["phases"])
    report("")
    report(f"{'':36}" + "".join(f"{name:>24}" for name in names))
    for words, key in ROWS:
        report(f"{words:36}" + "".join(f"{told['phases'][name].get(key, 0):>24,}" for name in names))


async def run(options, folder, report):
    tools = {"relay": Relay.build(folder), "forget": disk.build(folder)}
    done = []
    begin = time.monotonic()
    for number, (engine, forgets, seconds) in enumerate(phases(options)):
        phase = Phase(engine, forgets, seconds, folder / f"{number}-{engine}", tools, options)
        done.append(phase)
        report(f"{phase.name}: {seconds:.0f} s, seed {options.seed}")
        # Comparisons of large histories take their time; nothing takes for ever.
        limit = seconds * 2 + 600
        try:
            async with asyncio.timeout(limit):
                await phase.run()
        except DidNotStart as error:
            phase.model.problem("start", "-", str(error))
        except postgres.ToolFailed as error:
            failure(phase, f"PostgreSQL: {error}")
        except TimeoutError:
            failure(phase, f"not at its end after {limit:.0f} s")
        except Exception:
            failure(phase, traceback.format_exc())
        if phase.model:
            phase.problems = phase.model.problems
        phase.log.close()
    return done, summary(done, options, time.monotonic() - begin)


def failure(phase, words):
    phase.problems = phase.model.problems if phase.model else phase.problems
    phase.problems.append(Problem("script", "-", words, int(time.time() * 1000)))


def main():
    parser, options = arguments()

    def report(words):
        print(words, file=sys.stderr if options.json else sys.stdout, flush=True)

    options.report = report
    if options.self_test:
        with tempfile.TemporaryDirectory(prefix="madang-torture.") as place:
            results = [self_test.run(report), disk.self_test(place, report)]
        return 0 if all(results) else 1
    if not options.program or not os.path.isfile(options.program) or not os.access(options.program, os.X_OK):
        parser.error(f"--program: there is no program {options.program}; Scripts/torture builds it if none is given")
    if options.engine != "sqlite" and not postgres.programs():
        parser.error("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    options.program = str(pathlib.Path(options.program).resolve())
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65536), hard))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="madang-torture."))
    # PostgreSQL, which does not run as root, has to get in.
    folder.chmod(0o755)

    async def guarded():
        task = asyncio.current_task()
        for number in signal.SIGINT, signal.SIGTERM:
            asyncio.get_running_loop().add_signal_handler(number, task.cancel)
        return await run(options, folder, report)

    try:
        done, told = asyncio.run(guarded())
    except (asyncio.CancelledError, KeyboardInterrupt):
        report(f"stopped; logs are in {folder}")
        return 130
    for phase in done:
        describe(phase, report)
    table(told, report)
    if options.json:
        print(json.dumps(told, ensure_ascii=False))
    if told["problems"]:
        report(f"\nFAILED: {told['problems']} problems; logs and data are in {folder}; again with --seed {options.seed}")
        return 1
    report(f"\nAll held. Seed {options.seed}, {told['seconds']} s.")
    if options.keep:
        report(f"Logs and data are in {folder}")
    else:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        sys.exit(main())
