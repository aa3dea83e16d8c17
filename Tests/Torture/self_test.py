"""Whether the checks can fail: each kind of damage, done to a good history, has to be found, and nothing else."""

import checks
from checks import Chat, Heard, Post


def _good():
    chats = [Chat(1000 + 10 * number, f"a-{number}", number) for number in range(20)]
    posts = {chat.token: Post(chat.created - 5, "2024-10", "acknowledged", chat) for chat in chats}
    posts["a-3"] = Post(1025, "2024-10")
    posts["a-20"] = Post(1205, "2024-10")
    posts["a-21"] = Post(1206, "2024-10", "refused")
    return chats, posts


def _swapped(chats, one, other):
    chats = list(chats)
    chats[one], chats[other] = chats[other], chats[one]
    return chats


def cases():
    """(what is done, the kind of problem that must be found or None, the problems that are found)"""
    good, posts = _good()

    def history(chats):
        return checks.history_problems("room", chats, posts, "2024-10")

    def heard(chats, **more):
        return checks.heard_problems("room", good, Heard("socket", "2024-10", 1045, chats, **more))

    yield "a good history", None, history(good)
    yield "a chat of unknown fate is not there", None, history(good[:3] + good[4:])
    yield "an acknowledged chat is lost", "lost", history(good[:7] + good[8:])
    yield "the last chat is lost", "lost", history(good[:-1])
    yield "a chat is doubled", "twice", history(good + [good[4]._replace(created=2000)])
    yield "a chat of unknown fate is doubled", "twice", history(good + [good[3]._replace(created=2000)])
    yield "two chats have changed places", "order", history(_swapped(good, 5, 6))
    yield "two chats have one date", "order", history(good[:5] + [good[5]._replace(created=good[4].created)] + good[6:])
    yield "a chat's content is another", "altered", history(good[:5] + [good[5]._replace(mark=99)] + good[6:])
    yield "a chat's date is another", "altered", history(good[:5] + [good[5]._replace(created=1051)] + good[6:])
    yield "a refused chat is there", "refused", history(good + [Chat(1300, "a-21", 0)])
    yield "a chat is there that nobody posted", "unknown", history(good + [Chat(1300, "b-1", 0)])
    yield "two readers agree", None, checks.same_problems("room", good, list(good), "reader")
    yield "a reader lacks a chat", "differs", checks.same_problems("room", good, good[:9] + good[10:], "reader")
    yield "a reader lacks the last chat", "differs", checks.same_problems("room", good, good[:-1], "reader")
    yield "a reader has one more", "differs", checks.same_problems("room", good, good + [Chat(9999, "a-99", 0)], "reader")
    yield "a reader has another order", "differs", checks.same_problems("room", good, _swapped(good, 2, 3), "reader")
    yield "a socket hears all since its join", None, heard(good[5:])
    yield "a socket hears what was under way at its join", None, heard(good[4:])
    yield "a socket leaves early", None, heard(good[5:9], is_open=False)
    yield "a socket hears nothing and has left", None, heard([], is_open=False)
    yield "a socket goes on", None, heard(good[10:], after=good[9].created)
    yield "a socket hears one twice", "repeated", heard(good[5:9] + good[8:])
    yield "a socket hears another order", "repeated", heard(_swapped(good, 7, 8)[5:])
    yield "a socket hears again what it had heard", "repeated", heard(good[9:], after=good[9].created)
    yield "a socket misses one between", "gap", heard(good[5:9] + good[10:])
    yield "a socket misses the first after its join", "gap", heard(good[6:])
    yield "a socket misses one since the last look", "gap", heard(good[11:], after=good[9].created)
    yield "a socket misses the last", "unheard", heard(good[5:-1])
    yield "a socket hears nothing", "unheard", heard([])
    yield "a socket hears what is not there", "unheard-of", heard(good[5:] + [Chat(2000, "a-20", 0)])
    yield "a socket hears something else", "unheard-of", heard([*good[5:19], good[19]._replace(mark=7)])
    count = sum(chat.created > 1050 for chat in good)
    yield "an unread count is right", None, checks.unread_problems("room", good, lambda _: "b", 1050, "a", count)
    yield "an unread count is off", "unread", checks.unread_problems("room", good, lambda _: "b", 1050, "a", count - 1)
    yield "own chats are counted", "unread", checks.unread_problems("room", good, lambda _: "a", 1050, "a", count)


def run(report=print):
    is_good = True
    for words, wanted, found in cases():
        kinds = sorted({problem.kind for problem in found})
        is_found = wanted in kinds if wanted else not kinds
        is_good = is_good and is_found
        report(f"{'ok    ' if is_found else 'FAILED'} {words}: {kinds or 'no problem'}")
    return is_good
