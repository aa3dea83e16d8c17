"""One phase: an engine, its nodes, those who use them, and what goes wrong, in rounds."""

import asyncio
import contextlib
import pathlib
import random
import time

import actors
import more_actors
import postgres
import rows
import wire
import world
from calm import Calm
from disk import ForgetfulDisk
from faults import FaultLog, Faults
from model import Model, Record
from nodes import Node, Provider, Relay
from ports import free_ports

ROUND = 60
# Of a round, what the comparison takes.
CALM = 8


class Phase:
    def __init__(self, engine, forgets, seconds, folder, tools, options):
        self.engine = engine
        self.forgets = forgets
        self.name = engine + (", disk forgets" if forgets else "")
        self._seconds = seconds
        self._folder = pathlib.Path(folder)
        self._tools = tools
        self._options = options
        self._folder.mkdir()
        self.log = FaultLog(self._folder / "faults.log")
        self.model = None
        self.problems = []
        self._stack = contextlib.AsyncExitStack()
        self._pair = None
        self._tasks = []

    async def run(self):
        async with self._stack:
            await self._set_up()
            try:
                await self._rounds()
                await self._end()
            finally:
                for task in self._tasks:
                    task.cancel()
                await asyncio.gather(*self._tasks, return_exceptions=True)
                self.problems = self.model.problems

    async def _set_up(self):
        options, tools = self._options, self._tools
        seed = f"{options.seed} {self.name}"
        data = self._data = self._folder / "data"
        disk = None
        if self.forgets:
            disk = ForgetfulDisk(tools["forget"], data, self._folder / "journal", seed)
        provider = await self._stack.enter_async_context(Provider())
        settings = {
            "MADANG_KEYS": ",".join(f"{key}={edition}" for edition, key in wire.KEYS.items()),
            "MADANG_PASSWORD_MEMORY": "8", "MADANG_PASSWORD_PASSES": "1", "MADANG_LIMITS_REQUESTS": "0",
            "MADANG_LIMITS_CONNECTS": "0", "MADANG_LIMITS_LOOP": "100", "MADANG_SOCKET_PING_INTERVAL": "4",
            "MADANG_SOCKET_PING_TIMEOUT": "6", "MADANG_SOCKET_ACCESS": "token",
            # Sockets are disconnected because something was taken away, not because somebody looks after them now and then.
            "MADANG_SOCKET_REVIEW": "60", "MADANG_LOG_LEVEL": "notice",
            "MADANG_PAYMENTS_PORTONE_URL": provider.url, "MADANG_PAYMENTS_PORTONE_KEY": "key",
            "MADANG_PAYMENTS_PORTONE_SECRET": "secret"}
        backbone, count = None, 1
        if self.engine == "postgres":
            count = options.nodes
            self._pair = postgres.Pair(self._folder / "postgres", free_ports(2), self._folder / "postgres.log")
            self._stack.push_async_callback(self._pair.stop)
            await self._pair.start()
            backbone = await Relay.start(tools["relay"], self._pair.ports)
            self._stack.push_async_callback(backbone.stop)
        nodes = [
            Node(f"node{number}", options.program, data, self._folder / f"node{number}.log", dict(settings), disk,
                 tries=60 if self._pair else 1)
            for number in range(count)]
        targets, links = [], {}
        for node in nodes:
            links[node.name] = {"clients": [len(targets)]}
            targets.append(node.listen_port)
            if backbone:
                links[node.name]["database"] = [len(targets), len(targets) + 1]
                targets += backbone.ports
        relay = await Relay.start(tools["relay"], targets)
        self._stack.push_async_callback(relay.stop)
        for node in nodes:
            node.port = relay.ports[links[node.name]["clients"][0]]
            if backbone:
                hosts = ",".join(f"127.0.0.1:{relay.ports[link]}" for link in links[node.name]["database"])
                node.use_database(f"postgres://madang@{hosts}/madang?target_session_attrs=read-write")
            self._stack.push_async_callback(node.stop)
            await node.start()
        clients = world.Clients(nodes)
        self._stack.callback(clients.close)
        model = self.model = Model(seed, nodes, clients, self.log)
        people, workspace, rooms = await world.found(clients, nodes[0], "p", options.people, options.rooms)
        model.records = {room: Record(room) for room in rooms}
        builders = []
        for number in range(2):
            builder = world.Person(f"b{number}")
            await world.sign_up(clients, nodes[0], builder)
            builders.append(more_actors.Builder(model, builder))
        leaver = world.Person("l0")
        await world.sign_up(clients, nodes[0], leaver)
        pace = actors.Pace(options.rate)
        subscribers = [
            actors.Subscriber(
                model, people[number % len(people)], world.EDITIONS[number % 2], "polling" if number % 4 == 3 else "websocket",
                number)
            for number in range(options.subscribers)]
        readers = [actors.Reader(model, person, edition) for person, edition in zip(people, world.EDITIONS * len(people))]
        self._calm = Calm(model, subscribers, readers, builders)
        # The workspace of the people cost its maker something.
        self._calm.balances[people[0].email] = more_actors.SIGN_UP - more_actors.PRICE
        everybody = [
            *(actors.Writer(model, people[number % len(people)], pace, max(1, options.writers // count))
              for number in range(options.writers)), *subscribers,
            *readers, *builders, more_actors.Leaver(model, leaver, people[0], workspace, rooms)]
        self._tasks = [asyncio.create_task(one.run()) for one in everybody]
        self._faults = Faults(
            random.Random(seed), self.log, nodes, relay, links, self._pair, backbone, longest=options.longest,
            pause=options.pause)

    async def _rounds(self):
        if self.forgets:
            # Soon after the first start, when nothing has been written back by itself.
            await self._faults.lose_power()
        end = time.monotonic() + self._seconds
        while True:
            left = end - time.monotonic()
            rounds = max(1, round(left / ROUND))
            length = max(5, left / rounds - CALM)
            self.model.gate.set()
            self._raise_what_failed()
            await self._faults.run(length)
            self._raise_what_failed()
            self.log.note("calm: all is compared")
            await self._calm.compare()
            counts = self.model.counts
            self._options.report(
                f"{self.name}: round {counts['rounds']}, {counts['acknowledged']} chats, {self.log.counts.get('kills', 0)} kills, "
                f"{self.log.counts.get('failovers', 0)} failovers, {counts['problems']} problems")
            if rounds == 1 or counts["problems"] > self._options.problems:
                return

    def _raise_what_failed(self):
        """An actor ends only by a mistake of these scripts, or by an answer no client could read."""
        for task in self._tasks:
            if task.done() and not task.cancelled():
                task.result()

    async def _end(self):
        await self._calm.compare_all()
        for node in self.model.nodes:
            await node.stop()
        if self.engine == "sqlite":
            query = rows.of_sqlite(self._data / "madang.sqlite")
        else:
            async def query(sql):
                return [tuple(line.split("\t")) for line in await self._pair.query(sql, limit=120)]
        await rows.check(self.model, query, self._data, self._calm.balances, self.engine == "sqlite")
