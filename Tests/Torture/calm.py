"""What is compared when nothing goes wrong any more: at the end of each round, and of all."""

import asyncio
import time

import checks
import model as models
import more_actors
import world
from checks import Post
from wire import Unanswered

# How long nodes may take until they are ready again, and what sockets hear late until it is there.
RECOVERY = 60
DELIVERY = 15


class Calm:
    def __init__(self, model, subscribers, readers, builders):
        self._model = model
        self._subscribers = subscribers
        self._readers = readers
        self._builders = builders
        self._checked_files = set()
        self.balances = {}

    async def compare(self):
        """The end of a round: waits until all is quiet, compares, and lets the next round begin."""
        model = self._model
        model.gate.clear()
        await self._quiet()
        found = {}
        for record in model.records.values():
            found[record] = await self._history(record)
        await self._sockets(found)
        await self._read_to_the_end(found)
        for record, chats in found.items():
            record.settle(chats)
        await self._unreads()
        await self._files(40)
        await self._deletions(20)
        for builder in self._builders:
            await self._guarded(self._coins(builder))
        for subscriber in self._subscribers:
            for one in subscriber.subscriptions.values():
                one.begin_round()
        for reader in self._readers:
            reader.begin()
        model.counts["rounds"] += 1

    async def compare_all(self):
        """The end: all histories as a whole, through every node."""
        model = self._model
        for record in model.records.values():
            for node in model.nodes:
                for edition in world.EDITIONS:
                    told, _ = await self._read(record, edition, node, None, limit=180)
                    if told is not None:
                        model.add(checks.same_problems(
                            record.room.name, record.settled(edition), told, f"all of it through {node.name} ({edition})"))
        await self._files(400)
        await self._deletions(len(model.gone))

    async def _guarded(self, work):
        try:
            return await work
        except (Unanswered, world.Refused) as error:
            self._model.problem("unavailable", "-", f"all is calm, and yet {error!r}")

    async def _quiet(self):
        """No call is under way, all nodes are ready, and what they still had to write is written."""
        model = self._model
        end = time.monotonic() + RECOVERY
        while model.busy and time.monotonic() < end:
            await asyncio.sleep(0.05)
        begin = time.monotonic()
        for node in model.nodes:
            while not await node.is_ready():
                if time.monotonic() > end:
                    model.problem("unavailable", node.name, f"is not ready {RECOVERY} s after the last fault")
                    break
                await asyncio.sleep(0.2)
        model.counts["slowest recovery, ms"] = max(
            model.counts["slowest recovery, ms"], int((time.monotonic() - begin) * 1000))
        # Writes of a node take their turns: after these all that clients gave up is decided.
        for node in model.nodes:
            for record in model.records.values():
                await self._mark(node, record)
        await asyncio.sleep(0.5)

    async def _mark(self, node, record):
        model, person = self._model, record.room.people[0]
        edition = model.random.choice(world.EDITIONS)
        token = f"{person.name}-{node.name}.{model.counts['marks']}"
        model.counts["marks"] += 1
        post = record.posts[token] = Post(world.now(), edition)
        end = time.monotonic() + RECOVERY
        while True:
            try:
                answer = await model.clients.call(
                    node, person, edition, "POST", record.room.chats(edition), {"content": world.text_of(token)}, limit=20)
                break
            except Unanswered as error:
                if time.monotonic() > end:
                    return model.problem("unavailable", record.room.name, f"no post through {node.name}: {error}")
                # It may be there: another one.
                token += "."
                post = record.posts[token] = Post(world.now(), edition)
                await asyncio.sleep(0.3)
        if answer.code:
            post.outcome = "refused"
            return model.problem("refusal", record.room.name, f"a post of {person} through {node.name}: {answer.code}")
        post.chat, post.outcome = world.chat_of(answer.json, edition), "acknowledged"
        record.top = max(record.top, post.chat.created)
        model.counts["acknowledged"] += 1

    async def _read(self, record, edition, node, after, limit=30):
        """The chats and, of edition 2024-10, their files."""
        model, room = self._model, record.room
        person = model.random.choice(room.people)
        answer = await self._guarded(model.clients.must(
            node, person, edition, "GET", room.history(edition, person, after), limit=limit))
        if answer is None:
            return None, []
        told = answer.json
        files = [(one["content"].partition(" ")[0], one["files"]) for one in told if one["files"]] \
            if edition == "2024-10" and isinstance(told, list) else []
        return room.chats_in(answer, edition), files

    async def _history(self, record):
        """A room's new chats in both editions, held against what was posted; equal through every node."""
        model, room = self._model, record.room
        chats = {}
        for node in model.nodes:
            for edition in world.EDITIONS:
                told, files = await self._read(record, edition, node, record.end)
                if told is None:
                    continue
                if edition not in chats:
                    chats[edition] = told
                    self._note_files(room, files)
                model.add(checks.same_problems(room.name, chats[edition], told, f"a reader through {node.name} ({edition})"))
        for edition in world.EDITIONS:
            chats.setdefault(edition, [])
            model.add(checks.history_problems(room.name, chats[edition], record.posts, edition))
        first, second = ([one._replace(mark=0) for one in chats[edition]] for edition in world.EDITIONS)
        model.add(checks.same_problems(room.name, first, second, "readers of the other edition"))
        model.counts["chats compared"] += len(first)
        return chats

    def _note_files(self, room, files):
        """Every file that a chat names is to be there, whether or not the chat was acknowledged."""
        for token, paths in files:
            expected = world.files_of(token, world.file_count(token))
            if len(paths) != len(expected):
                self._model.problem("file", room.name, f"{token} has {len(paths)} files, not {len(expected)}")
            for path, data in zip(paths, expected):
                self._model.files[path] = (world.sha256(data), room.people)

    def _socket_problems(self, found, positions):
        for subscriber in self._subscribers:
            for one in subscriber.subscriptions.values():
                room, chats = one.record.room.name, found[one.record][subscriber.edition]
                if not one.is_live:
                    yield checks.Problem("socket", room, f"{subscriber.who} is not in the room", world.now())
                yield from checks.same_problems(room, chats, one.merged, subscriber.who, "subscriber")
                for heard in one.heard:
                    yield from checks.heard_problems(room, chats, heard, positions[one.record, subscriber.edition])

    async def _sockets(self, found):
        """What was heard and merged; what is late has a while."""
        end = time.monotonic() + DELIVERY
        positions = {
            (record, edition): checks.positions(told) for record, chats in found.items() for edition, told in chats.items()}
        while True:
            problems = list(self._socket_problems(found, positions))
            if not problems or time.monotonic() > end:
                break
            await asyncio.sleep(0.5)
        self._model.add(problems)
        self._model.counts["lists compared"] += sum(len(one.subscriptions) for one in self._subscribers)
        self._model.counts["connections compared"] += sum(
            len(one.heard) for subscriber in self._subscribers for one in subscriber.subscriptions.values())

    async def _read_to_the_end(self, found):
        for reader in self._readers:
            for record in reader.records:
                await self._guarded(reader.read(record, self._model.node()))
                self._model.add(checks.same_problems(
                    record.room.name, found[record][reader.edition], reader.merged[record], reader.who, "reader"))

    async def _unreads(self):
        model = self._model
        for record in model.records.values():
            if not len(record):
                continue
            edition, person = model.random.choice(world.EDITIONS), model.random.choice(record.room.people)
            start = model.random.randrange(max(0, len(record) - 3000), len(record))
            cursor = record.created(start)
            answer = await self._guarded(model.clients.must(
                model.node(), person, edition, "GET", record.room.unreads(edition, cursor)))
            if answer:
                model.add(checks.unread_problems(
                    record.room.name, record.settled(edition, start), models.author_of, cursor, person.name,
                    answer.json["count"]))
                model.counts["unread counts compared"] += 1

    async def _files(self, most):
        model = self._model
        waiting = [path for path in model.files if path not in self._checked_files]
        if most > 100:
            waiting = list(model.files)
        for path in model.random.sample(waiting, min(most, len(waiting))):
            digest, people = model.files[path]
            person, edition = model.random.choice(people), model.random.choice(world.EDITIONS)
            answer = await self._guarded(model.clients.must(model.node(), person, edition, "GET", path.lstrip("/")))
            if answer and world.sha256(answer.body) != digest:
                model.problem("file", path, f"has {len(answer.body)} other bytes than were sent")
            elif not answer:
                model.problem("file", path, "cannot be fetched")
            self._checked_files.add(path)
            model.counts["files compared"] += 1

    async def _deletions(self, most):
        model = self._model
        for one in model.random.sample(model.gone, min(most, len(model.gone), 500)):
            await self._guarded(more_actors.check_gone(model, one))
            model.counts["deletions compared"] += 1

    async def _coins(self, builder):
        email, balance = await builder.settle()
        self.balances[email] = balance
        self._model.counts["balances compared"] += 1
