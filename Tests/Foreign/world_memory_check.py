"""The memory of a server stays the same however often its worlds are reset, made and removed.

    python3 Tests/Foreign/world_memory_check.py .build/debug/madang [--rounds 10000] [--first 1000] [--limit 2048]

`--rounds` resets, then as many worlds made and removed, four at a time; each may add at most `--limit` KiB to the memory that
the process has after `--first`, in one of two measurements. It prints the memory after each tenth of them. Exits 0 when both held.
"""

import argparse
import asyncio
import concurrent.futures
import http.client
import json
import pathlib
import re
import sys
import tempfile
import time

from program import Program

PARALLEL = 4
WAIT = 60
SETTLING = 3
"""Seconds after which a server that was replaced has ended."""


class Server:
    """Calls to a server, over one connection."""

    def __init__(self, url):
        self.connection = http.client.HTTPConnection(url.split("//")[1], timeout=WAIT)

    def call(self, method, path, body=None):
        self.connection.request(method, f"/_dev/{path}", body and json.dumps(body))
        answer = self.connection.getresponse()
        text = answer.read()
        assert answer.status == 200, f"{method} {path}: {answer.status} {text}"
        return json.loads(text)

    def make(self):
        return self.call("POST", "worlds", {"seed": "courtyard", "number": 7})["id"]


class Resets:
    name = "resets"

    def __init__(self, server):
        self.server, self.world = server, server.make()

    def round(self):
        self.server.call("POST", f"worlds/{self.world}/reset")

    def end(self):
        self.server.call("DELETE", f"worlds/{self.world}")


class Worlds:
    name = "worlds"

    def __init__(self, server):
        self.server = server

    def round(self):
        self.server.call("DELETE", f"worlds/{self.server.make()}")

    def end(self):
        pass


def resident(process):
    """The memory of a process, in KiB."""
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{process}/status").read_text()).group(1))


def growth(kind, url, process, rounds, first):
    """How many KiB the process has more after all rounds than after the first ones."""
    workers = [kind(Server(url)) for _ in range(PARALLEL)]
    begun = time.monotonic()

    def run(count):
        with concurrent.futures.ThreadPoolExecutor(PARALLEL) as pool:
            list(pool.map(lambda worker: [worker.round() for _ in range(count // PARALLEL)], workers))
        time.sleep(SETTLING)
        memory = resident(process)
        print(f"{kind.name}: {memory} KiB after {done + count}, {time.monotonic() - begun:.0f} s", flush=True)
        return memory

    done = 0
    start = run(first)
    done, step, memory = first, max(PARALLEL, (rounds - first) // 9), start
    while done < rounds:
        memory = run(min(step, rounds - done))
        done += step
    for worker in workers:
        worker.end()
    return memory - start


async def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("madang")
    arguments.add_argument("--rounds", type=int, default=10_000)
    arguments.add_argument("--first", type=int, default=1000)
    arguments.add_argument("--limit", type=int, default=2048, help="in KiB")
    options = arguments.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as data:
        async with Program.development(options.madang, data) as server:
            for kind in [Resets, Worlds]:
                more = await asyncio.to_thread(
                    growth, kind, server.url, server.pid, options.rounds, options.first)
                print(f"{kind.name}: {more} KiB more")
                if more > options.limit:
                    # What the heap took once is there now; a leak grows again.
                    again = await asyncio.to_thread(growth, kind, server.url, server.pid, options.rounds, options.first)
                    print(f"{kind.name}, measured again: {again} KiB more")
                    more = min(more, again)
                failed |= more > options.limit
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
