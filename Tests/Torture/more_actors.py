"""Those who make, buy and delete, and one who leaves."""

import asyncio
import contextlib
import json
import time

import world
from wire import Closed, Socket, Unanswered, multipart

PRICE = 10
SIGN_UP = 100
# (won, coins) of the store's items.
ITEMS = ((100, 10), (500, 50))
# What the server has for acting on what was taken away, with room for a busy machine.
GRACE = 3


class Builder:
    """Buys coins, makes workspaces and channels, and deletes them: they stay deleted, and coins add up.

    Whatever is not answered is given up, and looked at when all is calm.
    """

    def __init__(self, model, person):
        self._model = model
        self._person = person
        self._number = 0
        self._credited = 0
        self._created = 0
        self._doubtful_payments = []
        self._doubtful_names = []
        # By name; what is left over is deleted when all is calm.
        self._standing = {}
        self._deleted = set()

    async def run(self):
        model = self._model
        while True:
            await model.gate.wait()
            model.busy += 1
            try:
                await self._turn()
            except Unanswered:
                pass
            finally:
                model.busy -= 1
            await asyncio.sleep(model.random.uniform(0.2, 1))

    async def _call(self, method, path, body=None, edition="2024-10"):
        return await self._model.clients.call(self._model.node(), self._person, edition, method, path, body)

    async def _turn(self):
        model, person = self._model, self._person
        self._number += 1
        await self._buy()
        name = f"{person} {self._number}"
        try:
            answer = await self._call("POST", "workspaces", {"name": name})
        except Unanswered:
            self._doubtful_names.append(name)
            raise
        if answer.code == "E21":
            # Whether it is right is seen when all is calm.
            return
        if answer.code:
            return await model.refused(person, "2024-10", answer, name)
        self._created += 1
        workspace = self._standing[name] = world.Workspace(name)
        with contextlib.suppress(world.Refused):
            await world.look_up(model.clients, model.node(), person, workspace)
        if len(workspace.ids) < 2:
            return model.problem("lost", name, "a workspace whose making was acknowledged is not in its owner's list")
        for _ in range(model.random.randint(1, 2)):
            if not await self._channel(workspace):
                return
        await self._delete_workspace(workspace)

    async def _channel(self, workspace):
        """Makes, fills and deletes a channel; each time of the same name. False if something is in doubt."""
        model, person = self._model, self._person
        try:
            room = await world.make_channel(model.clients, model.node(), person, workspace, "garden", [person])
        except world.Refused as error:
            model.problem("refusal", workspace.name, f"a channel of a deleted one's name: {error}")
            return False
        there = (await self._call("GET", room.history("2024-10", person))).json
        if there:
            model.problem("returned", f"{workspace.name}/garden", f"a new channel has {len(there)} chats: {there[0]}")
        files = world.files_of(f"{workspace.name} {time.time()}", 1)
        answer = await self._call("POST", room.chats("2024-10"), multipart("picture", files))
        if answer.code:
            await model.refused(person, "2024-10", answer, workspace.name)
            return False
        path = answer.json["files"][0]
        await self._call("POST", room.chats("2024-01"), {"content": "text"}, edition="2024-01")
        answer = await self._call("DELETE", f"{workspace.path('2024-10')}/channels/{room.ids['2024-10']}")
        if answer.code:
            await model.refused(person, "2024-10", answer, workspace.name)
            return False
        # In 2024-01 its name may be another channel's by now.
        await self._is_gone(f"{workspace.name}/garden", {"2024-10": room.history("2024-10", person)})
        await self._is_gone(f"the file {path}", {"2024-10": path.lstrip("/")})
        return True

    async def _delete_workspace(self, workspace):
        answer = await self._call("DELETE", workspace.path("2024-10"))
        if answer.code:
            return await self._model.refused(self._person, "2024-10", answer, workspace.name)
        self._standing.pop(workspace.name, None)
        self._deleted.add(workspace.name)
        await self._is_gone(workspace.name, {edition: workspace.path(edition) for edition in world.EDITIONS})

    async def _is_gone(self, words, paths):
        one = (words, self._person, paths)
        self._model.gone.append(one)
        await check_gone(self._model, one)

    async def _buy(self):
        won, coins = self._model.random.choice(ITEMS)
        payment = f"imp_{won}_{self._person.name}{self._number}"
        body = {"imp_uid": payment, "merchant_uid": f"m_{payment}"}
        # Twice at once: one is credited.
        results = await asyncio.gather(
            *(self._call("POST", "store/pay/validation", body) for _ in range(2)), return_exceptions=True)
        credited = sum(not isinstance(one, Exception) and one.status == 200 for one in results)
        if credited > 1:
            self._model.problem("coins", payment, "one payment was credited twice")
        if credited:
            self._credited += coins
        else:
            self._doubtful_payments.append((payment, coins))

    async def settle(self):
        """All is calm: clears up what is in doubt, and compares. Throws `Unanswered`, `world.Refused`."""
        model, person, node = self._model, self._person, self._model.node()
        for payment, coins in self._doubtful_payments:
            body = {"imp_uid": payment, "merchant_uid": f"m_{payment}"}
            answer = await model.clients.call(node, person, "2024-10", "POST", "store/pay/validation", body)
            if answer.code not in (None, "E81"):
                model.problem("coins", payment, f"a good payment was answered {answer.code}")
            self._credited += coins
        self._doubtful_payments = []
        told = (await model.clients.must(node, person, "2024-10", "GET", "workspaces")).json
        names = {one["name"] for one in told}
        for name in self._doubtful_names:
            if name in names:
                self._created += 1
                self._standing[name] = world.Workspace(name)
        self._doubtful_names = []
        for name in names & self._deleted:
            model.problem("returned", name, "a deleted workspace is in its owner's list")
        for name in list(self._standing):
            workspace = self._standing.pop(name)
            # Its deletion may have gone through without an answer.
            if name in names and await world.look_up(model.clients, node, person, workspace):
                await self._delete_workspace(workspace)
        balance = (await model.clients.must(node, person, "2024-10", "GET", "users/me")).json["sesacCoin"]
        expected = SIGN_UP + self._credited - PRICE * self._created
        if balance != expected:
            model.problem(
                "coins", person, f"has {balance} coins, not {SIGN_UP} + {self._credited} - {PRICE} * {self._created} = {expected}")
        return person.email, expected


async def check_gone(model, one, node=None):
    """What was deleted is answered as if it had never been."""
    words, person, paths = one
    for edition, path in paths.items():
        answer = await model.clients.call(node or model.node(), person, edition, "GET", path)
        if answer.code != "E13":
            model.problem("returned", words, f"deleted, but GET {path} ({edition}) is answered {answer.code or answer.status}")


class Leaver:
    """Is invited, listens, leaves the workspace, and must hear and read nothing any more."""

    def __init__(self, model, person, owner, workspace, rooms):
        self._model = model
        self._person = person
        self._owner = owner
        self._workspace = workspace
        self._rooms = [room for room in rooms if not room.is_direct]

    async def run(self):
        model = self._model
        while True:
            await model.gate.wait()
            with contextlib.suppress(Unanswered, Closed, OSError):
                await self._visit()
            await asyncio.sleep(model.random.uniform(0.2, 2))

    async def _call(self, person, method, path, body=None):
        return await self._model.clients.call(self._model.node(), person, "2024-10", method, path, body)

    async def _visit(self):
        model, path = self._model, self._workspace.path("2024-10")
        answer = await self._call(self._owner, "POST", f"{path}/members", {"email": self._person.email})
        if answer.code not in (None, "E12"):
            return await model.refused(self._owner, "2024-10", answer, "the invitation")
        node = model.node()
        socket = await Socket.open("websocket", node.port, 12)
        heard, joined = [], set()
        listening = asyncio.create_task(self._listen(socket, heard, joined))
        try:
            names = [room.namespace("2024-10") for room in self._rooms]
            await socket.join(names, "2024-10", self._person.tokens["2024-10"])
            await asyncio.sleep(model.random.uniform(0.5, 3))
            answer = await self._call(self._person, "GET", f"{path}/exit")
            if answer.code:
                return
            left = time.time()
            room = model.random.choice(self._rooms)
            answer = await self._call(self._person, "GET", room.history("2024-10", self._person))
            if answer.code != "E13":
                model.problem("left", room.name, f"{self._person} left and may read still: {answer.code or answer.status}")
            await asyncio.sleep(GRACE + model.random.uniform(2, 6))
            model.counts["departures"] += 1
            if joined:
                model.counts["departures from sockets"] += 1
            # Where the node was in trouble meanwhile, what was posted a while after that.
            late = [chat for when, chat in heard if chat.created / 1000 > left + GRACE
                    and node.was_calm(chat.created / 1000 - GRACE, when)]
            if late:
                chat = late[0]
                model.problem(
                    "left", self._workspace.name, f"{self._person} left at {left * 1000:.0f} and heard {len(late)} chats through "
                    f"{node.name} afterwards, {chat.token} of {chat.created} first", chat.created)
        finally:
            listening.cancel()
            socket.close()

    @staticmethod
    async def _listen(socket, heard, joined):
        with contextlib.suppress(Closed, OSError):
            async for kind, name, text in socket.changes():
                if kind == "joined":
                    joined.add(name)
                elif kind == "event":
                    heard.append((time.time(), world.chat_of(json.loads(text)[1], "2024-10")))
