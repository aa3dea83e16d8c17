"""The rules, as functions of values: what was posted, what a server tells, what was heard. They know no network."""

import dataclasses
import typing
import zlib


class Chat(typing.NamedTuple):
    """A chat as somebody was told of it."""

    created: int
    """Milliseconds since 1970."""
    token: str
    """Its text begins with it: who posted it, and a number."""
    mark: int
    """A digest of all else that is told of it in one edition."""


def mark_of(value):
    return zlib.crc32(value.encode())


@dataclasses.dataclass
class Post:
    """What became of an attempt to post."""

    sent: int
    """Milliseconds since 1970."""
    edition: str
    outcome: str = "unknown"
    """`acknowledged`, `refused`, or `unknown` where no answer came."""
    chat: Chat | None = None
    """As the answer told it."""


@dataclasses.dataclass
class Heard:
    """What one socket heard of a room between its join and its leave."""

    who: str
    edition: str
    joined: int
    """Milliseconds since 1970, when the answer to the join was there."""
    chats: list[Chat]
    is_open: bool = True
    """Whether the socket is still in the room, and had time to hear all."""
    after: int | None = None
    """The date of the chat that must have been heard before these, if the socket joined before that."""


class Problem(typing.NamedTuple):
    kind: str
    room: str
    words: str
    at: int
    """Milliseconds since 1970; about when it went wrong."""


def history_problems(room, chats, posts, edition):
    """A room's history, oldest first, against what was posted to it. `posts` maps tokens to `Post`."""
    seen = {}
    last = None
    for chat in chats:
        if last and chat.created <= last.created:
            yield Problem("order", room, f"{chat.token} at {chat.created} follows {last.token} at {last.created}", chat.created)
        last = chat
        post = posts.get(chat.token)
        if chat.token in seen:
            yield Problem(
                "twice", room, f"{chat.token} is there at {seen[chat.token].created} and at {chat.created}", chat.created)
        elif post is None:
            yield Problem("unknown", room, f"{chat.token} was never posted there", chat.created)
        elif post.outcome == "refused":
            yield Problem("refused", room, f"{chat.token} is there although it was refused", chat.created)
        elif post.chat and post.edition == edition and post.chat != chat:
            yield Problem("altered", room, f"{chat.token} was answered {post.chat}, the history has {chat}", chat.created)
        elif post.chat and post.chat.created != chat.created:
            yield Problem(
                "altered", room, f"{chat.token} was answered with {post.chat.created}, the history has {chat.created}",
                chat.created)
        seen[chat.token] = chat
    for token, post in posts.items():
        if post.outcome == "acknowledged" and token not in seen:
            yield Problem(
                "lost", room, f"{token} was acknowledged with {post.chat.created} (sent {post.sent}) and is not there",
                post.sent)


def same_problems(room, chats, others, who, kind="differs"):
    """Two lists that must be equal; `others` is what `who` has. Tells the first difference."""
    if chats == others:
        return
    for index, (one, other) in enumerate(zip(chats, others)):
        if one != other:
            yield Problem(kind, room, f"chat {index} is {one}, but {other} for {who}", min(one.created, other.created))
            return
    more = (chats if len(chats) > len(others) else others)[min(len(chats), len(others))]
    where = "is missing" if len(chats) > len(others) else "is there only"
    yield Problem(kind, room, f"{more} {where} for {who}, who has {len(others)} chats, not {len(chats)}", more.created)


def positions(chats):
    return {chat.created: index for index, chat in enumerate(chats)}


def heard_problems(room, chats, heard, position=None):
    """What a socket heard against the room's history: in order, each once, and none left out. `position` is
    `positions(chats)`, where many ask."""
    last = heard.after
    for chat in heard.chats:
        if last is not None and chat.created <= last:
            yield Problem(
                "repeated", room, f"{heard.who} heard {chat.token} at {chat.created} after one of {last}", chat.created)
            return
        last = chat.created
    position = positions(chats) if position is None else position
    expected = None
    if heard.after is not None:
        expected = position[heard.after] + 1 if heard.after in position else 0
    for chat in heard.chats:
        index = position.get(chat.created)
        if index is None or chats[index] != chat:
            known = chats[index] if index is not None else "nothing"
            yield Problem("unheard-of", room, f"{heard.who} heard {chat}, the history has {known} there", chat.created)
            return
        if expected is not None and index != expected:
            yield Problem(
                "gap", room, f"{heard.who} did not hear {index - expected} chats from {chats[expected].token} of "
                f"{chats[expected].created} on, before {chat.token}", chats[expected].created)
            return
        if expected is None:
            # What was committed after the join is heard; of what was under way nobody knows.
            missed = next((one for one in chats[:index] if one.created > heard.joined), None)
            if missed:
                yield Problem(
                    "gap", room, f"{heard.who} joined at {heard.joined}, but did not hear {missed.token} of {missed.created}",
                    missed.created)
                return
        expected = index + 1
    if heard.is_open:
        rest = chats[expected:] if expected is not None else [one for one in chats if one.created > heard.joined]
        if rest:
            yield Problem(
                "unheard", room, f"{heard.who} is in the room since {heard.joined} and did not hear {len(rest)} chats from "
                f"{rest[0].token} of {rest[0].created} on", rest[0].created)


def unread_problems(room, chats, authors, cursor, me, count):
    """An unread count against the history: chats of others after a date. `authors` tells a token's author."""
    expected = sum(1 for chat in chats if chat.created > cursor and authors(chat.token) != me)
    if expected != count:
        yield Problem("unread", room, f"{me} has {count} unread after {cursor}, not {expected}", cursor)
