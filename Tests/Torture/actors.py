"""Those who use the servers: they act while the model's gate is open, and take what they are told as clients do."""

import asyncio
import contextlib
import itertools
import json

import world
from checks import Heard, Post
from wire import Closed, Socket, Unanswered, multipart

# Beyond what a server's pings leave (see `settings` of the phase).
SILENCE = 12
# A chat may be stamped some milliseconds ahead: dates of a room rise even where several are posted in one millisecond.
AHEAD = 150


class Pace:
    """So many posts a second for all writers together."""

    def __init__(self, rate):
        self._interval = 1 / rate
        self._next = 0.0

    async def wait(self):
        now = asyncio.get_running_loop().time()
        self._next = max(self._next + self._interval, now - 0.5)
        if self._next > now:
            await asyncio.sleep(self._next - now)


class Writer:
    """Posts to the rooms of a person, one chat after another, through any node and either edition."""

    _numbers = itertools.count()

    def __init__(self, model, person, pace, most):
        """`most` posts of all writers wait for one node at a time."""
        self._model = model
        self._person = person
        self._pace = pace
        self._most = most
        self._records = [one for one in model.records.values() if person in one.room.people]

    async def run(self):
        model = self._model
        while True:
            await model.gate.wait()
            await self._pace.wait()
            if not model.gate.is_set():
                continue
            model.busy += 1
            try:
                is_answered = await self._post(model.random.choice(self._records), model.random.choice(world.EDITIONS))
            finally:
                model.busy -= 1
            if not is_answered:
                await asyncio.sleep(model.random.uniform(0, 0.2))

    async def _post(self, record, edition):
        model, person = self._model, self._person
        token = f"{person.name}-{next(self._numbers)}"
        count = world.file_count(token)
        text = world.text_of(token)
        body = multipart(text, world.files_of(token, count)) if count else {"content": text}
        post = record.posts[token] = Post(world.now(), edition)
        node = model.node_for_posts(self._most)
        model.waiting[node.name] += 1
        try:
            answer = await model.clients.call(
                node, person, edition, "POST", record.room.chats(edition), body, limit=model.random.uniform(2, 8))
        except Unanswered:
            model.counts["unknown"] += 1
            return False
        finally:
            model.waiting[node.name] -= 1
        if answer.code:
            post.outcome = "refused"
            await model.refused(person, edition, answer, record.room.name)
            return False
        post.chat = world.chat_of(answer.json, edition)
        post.outcome = "acknowledged"
        record.top = max(record.top, post.chat.created)
        model.counts["acknowledged"] += 1
        return True


class Reader:
    """Reads on in rooms, page by page from its cursor, through any node. An acknowledged chat is in every later answer."""

    def __init__(self, model, person, edition):
        self._model = model
        self._edition = edition
        self.person = person
        self.records = [one for one in model.records.values() if person in one.room.people]
        self.begin()

    @property
    def who(self):
        return f"reader {self.person} ({self._edition})"

    @property
    def edition(self):
        return self._edition

    def begin(self):
        self.merged = {record: [] for record in self.records}
        self._cursors = {record: record.end for record in self.records}

    async def run(self):
        model = self._model
        while True:
            await model.gate.wait()
            model.busy += 1
            try:
                await self.read(model.random.choice(self.records), model.node())
            finally:
                model.busy -= 1
            await asyncio.sleep(model.random.uniform(0.05, 0.6))

    async def read(self, record, node):
        model, edition, top = self._model, self._edition, record.top
        cursor = self._cursors[record]
        try:
            answer = await model.clients.call(
                node, self.person, edition, "GET", record.room.history(edition, self.person, cursor), limit=15)
        except Unanswered:
            return False
        if answer.code:
            await model.refused(self.person, edition, answer, record.room.name)
            return False
        chats = record.room.chats_in(answer, edition)
        model.counts["reads"] += 1
        self.merged[record] += chats
        if chats:
            self._cursors[record] = chats[-1].created
        if top > (self._cursors[record] or 0):
            model.problem(
                "stale", record.room.name, f"{self.who} read through {node.name} up to {self._cursors[record]}; a chat of "
                f"{top} had been acknowledged before", top)
        return True


class Subscription:
    """One room of a subscriber: what it has, and what its present socket heard."""

    def __init__(self, record):
        self.record = record
        self.merged = []
        self.cursor = record.end
        self.heard = []
        self.present = None
        self.early = None
        """Events that came before the history was read; None once it was."""

    def merge(self, chat):
        if self.cursor is None or chat.created > self.cursor:
            self.merged.append(chat)
            self.cursor = chat.created

    def begin_round(self):
        self.merged = []
        self.heard = []
        if self.present:
            self.present = Heard(
                self.present.who, self.present.edition, self.present.joined, [], after=self.record.end)
            self.heard.append(self.present)

    @property
    def is_live(self):
        return self.present is not None and self.early is None


class Subscriber:
    """Hears all rooms of a person over one socket to one node, and connects anew, anywhere, when it is lost.

    As the known clients do, it joins first, then reads the history from its cursor, and drops what it has already.
    """

    def __init__(self, model, person, edition, transport, number):
        self._model = model
        self._person = person
        self._transport = transport
        self._number = number
        self._connection = 0
        self.edition = edition
        self.subscriptions = {
            one.room.namespace(edition): Subscription(one) for one in model.records.values() if person in one.room.people}
        self._node = model.node()

    @property
    def who(self):
        return f"subscriber {self._number} ({self._person}, {self.edition}, {self._transport}, {self._node.name}, connection " \
            f"{self._connection})"

    async def run(self):
        while True:
            self._connection += 1
            try:
                socket = await Socket.open(self._transport, self._node.port, SILENCE)
            except Closed:
                await self._elsewhere()
                continue
            tasks = []
            try:
                await socket.join(self.subscriptions, self.edition, self._person.tokens[self.edition])
                async with asyncio.timeout(5 + self._model.random.expovariate(1 / 40)):
                    async for kind, name, text in socket.changes():
                        if (one := self.subscriptions.get(name)) is not None:
                            self._take(kind, one, text, socket, tasks)
            except (Closed, OSError):
                self._model.counts["sockets lost"] += 1
            except TimeoutError:
                self._model.counts["sockets closed"] += 1
            finally:
                for task in tasks:
                    task.cancel()
                for one in self.subscriptions.values():
                    self._end(one)
                socket.close()
            await self._elsewhere()

    async def _elsewhere(self):
        await asyncio.sleep(self._model.random.uniform(0, 0.7))
        self._node = self._model.node()

    def _take(self, kind, one, text, socket, tasks):
        model = self._model
        if kind == "joined":
            one.present = Heard(self.who, self.edition, world.now() + AHEAD, [])
            one.heard.append(one.present)
            one.early = []
            tasks.append(asyncio.create_task(self._catch_up(one, one.present)))
            model.counts["joins"] += 1
        elif kind == "event":
            chat = world.chat_of(json.loads(text)[1], self.edition)
            model.counts["heard"] += 1
            if one.present is None:
                model.problem("event", one.record.room.name, f"{self.who} heard {chat.token} without having joined")
                return
            one.present.chats.append(chat)
            if one.early is None:
                one.merge(chat)
            else:
                one.early.append(chat)
        else:
            # Refused where the server could not ask its database, or disconnected: once more.
            model.counts[f"sockets {kind}"] += 1
            self._end(one)
            tasks.append(asyncio.create_task(self._again(one, socket)))

    async def _again(self, one, socket):
        await asyncio.sleep(0.5)
        with contextlib.suppress(Closed, OSError):
            token = self._person.tokens[self.edition]
            await socket.join([one.record.room.namespace(self.edition)], self.edition, token)

    async def _catch_up(self, one, present):
        model, room = self._model, one.record.room
        while one.present is present:
            node = model.random.choice([self._node, model.node()])
            try:
                answer = await model.clients.call(
                    node, self._person, self.edition, "GET", room.history(self.edition, self._person, one.cursor), limit=15)
            except Unanswered:
                await asyncio.sleep(0.2)
                continue
            if answer.code:
                await model.refused(self._person, self.edition, answer, room.name)
                await asyncio.sleep(0.2)
                continue
            if one.present is present:
                for chat in [*room.chats_in(answer, self.edition), *one.early]:
                    one.merge(chat)
                one.early = None
            return

    @staticmethod
    def _end(one):
        if one.present:
            one.present.is_open = False
        one.present = None
        one.early = None
