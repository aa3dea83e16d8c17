"""What the actors know: what was posted and answered, what must be there and what must be gone."""

import array
import asyncio
import collections
import random

import world
from checks import Chat, Problem


class Record:
    """One room: what was posted since the last comparison, and all chats that were found in order before it."""

    def __init__(self, room):
        self.room = room
        self.posts = {}
        # The date of the newest acknowledged chat: every later read has it.
        self.top = 0
        self._created = array.array("q")
        self._tokens = []
        self._marks = {edition: array.array("Q") for edition in world.EDITIONS}

    def __len__(self):
        return len(self._created)

    @property
    def end(self):
        """The date of the newest chat that was compared; None if there was none."""
        return self._created[-1] if self._created else None

    def settle(self, chats):
        """`chats` are the new ones by edition, compared and equal."""
        first, second = (chats[edition] for edition in world.EDITIONS)
        for one, other in zip(first, second):
            self._created.append(one.created)
            self._tokens.append(one.token)
            for edition, chat in zip(world.EDITIONS, (one, other)):
                self._marks[edition].append(chat.mark)
        self.posts = {}

    def settled(self, edition, start=0):
        return [
            Chat(self._created[index], self._tokens[index], self._marks[edition][index])
            for index in range(start, len(self._created))]

    def created(self, index):
        return self._created[index]


class Model:
    MAX_PROBLEMS = 1000

    def __init__(self, seed, nodes, clients, log):
        self.random = random.Random(seed)
        self.nodes = nodes
        self.clients = clients
        self.log = log
        self.people = []
        self.records = {}
        self.problems = []
        self.counts = collections.Counter()
        # {path: (SHA-256, somebody who may read it)}
        self.files = {}
        # What was deleted, as [(words, person, {edition: path})].
        self.gone = []
        # Set while actors may act.
        self.gate = asyncio.Event()
        self.busy = 0
        # Posts under way, by node.
        self.waiting = collections.Counter()
        self._signing_in = set()

    def problem(self, kind, room, words, at=None):
        self.add([Problem(kind, str(room), words, at or world.now())])

    def add(self, problems):
        for problem in problems:
            self.counts["problems"] += 1
            if len(self.problems) < self.MAX_PROBLEMS:
                self.problems.append(problem)
                self.log.note(f"PROBLEM {problem.kind} in {problem.room}: {problem.words}")

    def node(self):
        return self.random.choice(self.nodes)

    def node_for_posts(self, most):
        """Any node with fewer posts under way, so that not all writers wait for one that is in trouble."""
        free = [node for node in self.nodes if self.waiting[node.name] < most]
        return self.random.choice(free or self.nodes)

    async def refused(self, person, edition, answer, what):
        """An error code where none is expected. A session that is not known any more is signed in again."""
        if answer.code in ("E98", "E99"):
            self.counts[f"answers {answer.code}"] += 1
            return
        if answer.code == "E02" and person in self._signing_in:
            return
        self.problem("refusal", what, f"{person} was answered {answer.code} in {edition}")
        if answer.code == "E02":
            self._signing_in.add(person)
            try:
                await world.sign_in(self.clients, self.node(), person)
            except (world.wire.Unanswered, world.Refused):
                pass
            finally:
                self._signing_in.discard(person)


def author_of(token):
    return token.partition("-")[0]
