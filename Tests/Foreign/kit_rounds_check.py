"""A suite of 20 tests with madang-testing runs in 50 worlds at once, round after round, by as many workers of pytest-xdist: no test
fails, no world is left, and the server's memory does not grow.

    Scripts/foreign-clients    # installs what this needs
    python Tests/Foreign/kit_rounds_check.py .build/debug/madang [--rounds 20] [--worlds 50]

Exits 0 when all of this held.
"""

import argparse
import asyncio
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

from program import Program

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE / "../../clients/python/src"
SUITE = HERE / "kit_rounds_suite.py"
LIMIT = 1200
"""Seconds for a round."""
GROWTH = 8.0
"""How much more memory, in MB, the last round may leave than the round after the first quarter. If it leaves more, as many rounds
again are played, and the last of these is compared with the last before them."""


def memory(process):
    """The private memory of a process that is not of files, in MB."""
    text = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text()
    return int(re.search(r"^Anonymous: +(\d+) kB", text, re.MULTILINE)[1]) / 1024


def round_of(server, worlds, folder):
    """What pytest printed, and whether all tests passed."""
    environment = os.environ | {
        "PYTHONPATH": str(SOURCES), "PYTHONDONTWRITEBYTECODE": "1", "MADANG_DEV_URL": server, "MADANG_WORLDS": str(worlds)}
    # By name if the kit is not installed.
    plugin = [] if list(SOURCES.glob("*.egg-info")) else ["-p", "madang_testing.plugin"]
    command = [sys.executable, "-m", "pytest", "-q", "-n", str(worlds), "-p", "no:cacheprovider", *plugin, str(SUITE)]
    outcome = subprocess.run(
        command, cwd=folder, env=environment, timeout=LIMIT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    passed = re.search(r"(\d+) passed", outcome.stdout)
    return outcome.stdout, outcome.returncode == 0 and passed is not None and int(passed[1]) == 20 * worlds


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("madang")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--worlds", type=int, default=50)
    options = parser.parse_args()
    failures, left, taken = 0, [], []

    async def play(server, numbers):
        nonlocal failures, left
        for number in numbers:
            began = time.monotonic()
            output, held = await asyncio.to_thread(round_of, server.url, options.worlds, folder)
            if not held:
                failures += 1
                print(f"FAILED: round {number}\n{output[-20000:]}")
            with urllib.request.urlopen(f"{server.url}/_dev/worlds") as answer:
                left += json.load(answer)
            taken.append(memory(server.pid))
            print(f"round {number}: {20 * options.worlds} tests in {options.worlds} worlds at a time, "
                  f"{time.monotonic() - began:.0f} s, {taken[-1]:.1f} MB", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        async with Program.development(options.madang, f"{folder}/data") as server:
            await play(server, range(1, options.rounds + 1))
            warm = taken[len(taken) // 4]
            if taken[-1] > warm + GROWTH:
                # What the heap took once is there now; a leak grows again.
                warm = taken[-1]
                await play(server, range(options.rounds + 1, 2 * options.rounds + 1))
    if left:
        print(f"FAILED: {len(left)} worlds are left")
    if taken[-1] > warm + GROWTH:
        print(f"FAILED: the server's memory grew from {warm:.1f} to {taken[-1]:.1f} MB")
        failures += 1
    print(f"{len(taken)} rounds, {failures} failed")
    sys.exit(1 if failures or left else 0)


asyncio.run(main())
