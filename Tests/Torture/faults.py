"""What goes wrong, when and for how long: chosen by a seed, logged with times."""

import asyncio
import contextlib
import datetime
import signal
import time


class FaultLog:
    """Times are seconds since 1970."""

    def __init__(self, path):
        self._file = open(path, "a", buffering=1)
        self.entries = []
        self.counts = {}

    def note(self, words, count=None):
        now = time.time()
        self.entries.append((now, words))
        stamp = datetime.datetime.fromtimestamp(now).strftime("%H:%M:%S.%f")[:-3]
        self._file.write(f"{stamp} {words}\n")
        if count:
            self.counts[count] = self.counts.get(count, 0) + 1

    def around(self, at, seconds=15):
        return [(when, words) for when, words in self.entries if at - seconds <= when <= at + seconds]

    def close(self):
        self._file.close()


class Faults:
    """`longest` bounds what lasts; `power` says whether unflushed writes may be lost."""

    def __init__(self, random, log, nodes, relay, links, pair=None, backbone=None, longest=15, pause=2.0):
        # Each lane has its own, so that one does not depend on when the other asks.
        self._random = random
        self._database_random = type(random)(random.random())
        self._log = log
        self._nodes = nodes
        self._relay = relay
        # {node name: {"clients": [link], "database": [link, link]}}
        self._links = links
        self._pair = pair
        # A relay with a link to each server of the pair, behind the links of nodes.
        self._backbone = backbone
        self._longest = longest
        self._pause = pause
        self._is_over = asyncio.Event()

    async def run(self, seconds):
        """Lets things go wrong for so long, then puts everything right again."""
        self._is_over.clear()
        lanes = [asyncio.create_task(self._nodes_lane())]
        if self._pair:
            lanes.append(asyncio.create_task(self._database_lane()))
        await asyncio.wait(lanes, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
        self._is_over.set()
        try:
            await asyncio.gather(*lanes)
        finally:
            for lane in lanes:
                lane.cancel()

    async def _rest(self, seconds):
        """Waits; shorter when all is over."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._is_over.wait(), seconds)

    def _seconds(self, least):
        """Mostly short, sometimes as long as allowed."""
        return min(least + self._random.expovariate(1 / 2.5), self._longest)

    async def _nodes_lane(self):
        kinds = {"kill": 6, "restart": 1, "stop": 3, "cut": 1, "hold": 1, "deaf": 1}
        if any(node.disk for node in self._nodes):
            kinds["power"] = 4 if len(self._nodes) == 1 else 2
        if self._pair:
            kinds |= {"cut database": 1, "hold database": 1, "deaf database": 2}
        while not self._is_over.is_set():
            kind = self._random.choices(list(kinds), kinds.values())[0]
            node = self._random.choice(self._nodes)
            match kind.split():
                case ["kill"]:
                    await self._kill([node])
                case ["power"]:
                    await self._kill(self._nodes, loses_power=True)
                case ["stop"]:
                    await self._stop(node)
                case ["restart"]:
                    await self._restart(node)
                case [mode, *whence]:
                    await self._cut(node, mode, whence[0] if whence else "clients")
            # A longer pause now and then: some things are promised only where nothing is wrong.
            longer = 8 if self._random.random() < 0.15 else 0
            await self._rest(longer + self._random.uniform(0.3, 2 * self._pause))

    async def lose_power(self):
        """All that was not flushed is lost at once."""
        await self._kill(self._nodes, loses_power=True, partly=False)

    async def _kill(self, nodes, loses_power=False, partly=None):
        with contextlib.ExitStack() as troubles:
            for node in nodes:
                troubles.enter_context(node.trouble())
            self._log.note(f"kill -9 {' '.join(node.name for node in nodes)}")
            for node in nodes:
                self._log.counts["kills"] = self._log.counts.get("kills", 0) + 1
                await node.kill()
            if loses_power:
                partly = self._random.random() < 0.5 if partly is None else partly
                # Nodes on one directory share its disk.
                disk = nodes[0].disk
                blocks, names = await asyncio.to_thread(disk.lose_power, partly)
                self._log.note(
                    f"power lost: of {'some' if partly else 'all'} unflushed writes {blocks} blocks and {names} names undone",
                    "power losses")
            await self._rest(self._random.choice([0, 0, self._random.uniform(0, 3)]))
            for node in nodes:
                await node.start()
                self._log.note(f"{node.name} is back")

    async def _restart(self, node):
        with node.trouble():
            self._log.note(f"SIGTERM {node.name}", "polite restarts")
            await node.stop()
            await node.start()
            self._log.note(f"{node.name} is back")

    async def _stop(self, node):
        seconds = self._seconds(1)
        with node.trouble():
            self._log.note(f"SIGSTOP {node.name} for {seconds:.1f} s", "stops")
            node.signal(signal.SIGSTOP)
            try:
                await self._rest(seconds)
            finally:
                node.signal(signal.SIGCONT)
                self._log.note(f"SIGCONT {node.name}")

    async def _cut(self, node, mode, whence):
        seconds = self._seconds(0.2)
        links = self._links[node.name][whence]
        with node.trouble() if whence == "database" else contextlib.nullcontext():
            self._log.note(f"{mode}: {node.name} from {whence} for {seconds:.1f} s", "cuts")
            for link in links:
                await self._relay.set(link, mode)
            await self._rest(seconds)
            for link in links:
                if mode == "hold" and self._random.random() < 0.5:
                    # It lasted longer than somebody on the way remembers connections.
                    await self._relay.set(link, "cut")
                await self._relay.set(link, "pass")
            self._log.note(f"{node.name} and its {whence} are connected again")

    async def _database_lane(self):
        await self._rest(self._database_random.uniform(2, 6))
        while not self._is_over.is_set():
            kind = self._database_random.choices(["restart", "replica", "failover"], [2, 1, 4])[0]
            with contextlib.ExitStack() as troubles:
                for node in self._nodes:
                    troubles.enter_context(node.trouble())
                if kind == "restart":
                    self._log.note(f"PostgreSQL {self._pair.primary} is restarted, immediately", "database restarts")
                    await self._pair.restart_primary()
                    self._log.note(f"PostgreSQL {self._pair.primary} is back")
                elif kind == "replica":
                    self._log.note(f"PostgreSQL {self._pair.replica}, the replica, is restarted", "replica restarts")
                    await self._pair.restart_replica(self._database_random.uniform(0, 3))
                    self._log.note(f"PostgreSQL {self._pair.replica} is back")
                else:
                    await self._fail_over()
            await self._rest(self._database_random.uniform(2 * self._pause, 8 * self._pause))

    async def _fail_over(self):
        waits, is_cut = self._database_random.random() < 0.5, self._database_random.random() < 0.5
        old = self._pair.primary

        async def cut_off(server):
            await self._backbone.set(server, "cut")

        self._log.note(
            f"failover: PostgreSQL {old} {'is cut off from all' if is_cut else 'ends, immediately'}; "
            f"{self._pair.replica} is promoted", "failovers")
        await self._pair.fail_over(waits, cut_off if is_cut else None)
        self._log.note(f"PostgreSQL {self._pair.primary} is the primary{'; commits wait for a replica' if waits else ''}")
        await self._rest(self._database_random.uniform(0, 3))
        await self._pair.build_replica()
        if is_cut:
            await self._backbone.set(old, "pass")
        self._log.note(f"PostgreSQL {old} is the replica")
