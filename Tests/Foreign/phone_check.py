"""Scripted phones against a real server: every flow of the contract, those with sockets in every mode of the Swift client,
and many openings of sockets that upgrade as fast as they can. Needs Python 3.11; takes about a minute.

    python3 Tests/Foreign/phone_check.py .build/debug/madang .build/debug/socketio-echo [--openings N] [--only FLOW]

Exits 0 when every flow went as the contract says and every socket joined and heard.
"""

import argparse
import asyncio
import collections
import dataclasses
import os
import sys
import tempfile
import time
import traceback

import phone_flows
from phone import PATIENCE, Mode, Pauses, Phone
from phone_flows import Stage
from program import Program

NONE = Pauses()
SLOW = Pauses(0.02, 0.02, 0.02)
# Later than the server releases the poll, so that the upgrade overtakes the POST for sure.
LATE_POST = Pauses(post=0.15)
MODES = [
    Mode(transport, revision, pauses)
    # Only what goes by polling passes the places where a phone pauses.
    for transport, choices in (("polling", (NONE, SLOW)), ("upgrade", (NONE, SLOW, LATE_POST)), ("websocket", (NONE,)))
    for revision in (4, 3)
    for pauses in choices
]
# Flows played at a time: more of them only wait for each other.
AT_ONCE = 6
# A flow that takes longer hangs.
FLOW_LIMIT = 300


async def play(function, url, mode=None, elder=None):
    """Plays a flow once; the lines that tell what differed."""
    stage = Stage(url, function.__name__.partition("_")[0].upper(), mode, elder)
    try:
        async with asyncio.timeout(FLOW_LIMIT):
            await function(stage)
    except Exception as error:
        # Without the answer it needed a flow cannot go on: the step is where it stopped.
        frames = traceback.extract_tb(error.__traceback__)
        frames = [frame for frame in frames if phone_flows.FLOW.fullmatch(frame.name)]
        where = f"line {frames[-1].lineno}" if frames else "before it began"
        stage.differences.append(f"stopped at {where}: {type(error).__name__} {error}")
    finally:
        stage.close()
    name = f"{stage.flow} {mode}" if mode else stage.flow
    return [f"{name}: {difference}" for difference in stage.differences]


def flow_id(function):
    return function.__name__.partition("_")[0]


async def play_flows(program, only):
    def chosen(functions):
        return [one for one in functions if only is None or flow_id(one) == only.lower()]

    slots = asyncio.Semaphore(AT_ONCE)

    async def in_turn(*arguments):
        async with slots:
            return await play(*arguments)

    async def one_by_one(url):
        # Only `pass_time` moves this clock.
        stage = Stage(url, "V0")
        await stage.develop("clock", {"freeze": True})
        stage.close()
        return sum([await play(function, url) for function in chosen(phone_flows.CLOCK)], [])

    with tempfile.TemporaryDirectory() as data:
        async with (
            Program.development(program, f"{data}/1") as server,
            Program.development(program, f"{data}/2") as clock_server,
            Program.hosted(program, f"{data}/3") as hosted_server,
        ):
            stage = Stage(server.url, "V12")
            elder = await phone_flows.expiring(stage)
            runs = [in_turn(function, server.url) for function in chosen(phone_flows.PLAIN)]
            runs += [in_turn(function, server.url, mode, elder)
                     for function in chosen(phone_flows.SOCKETS) for mode in MODES]
            runs += [in_turn(function, hosted_server.url, mode)
                     for function in chosen(phone_flows.HOSTED) for mode in MODES if mode.pauses == NONE]
            found = await asyncio.gather(one_by_one(clock_server.url), *runs)
            stage.close()
            found.append([f"preparing v12_background_and_foreground: {difference}" for difference in stage.differences])
    flows = {flow_id(one) for one in chosen(phone_flows.ALL)}
    print(f"{len(flows)} flows played, in all modes {len(runs) + len(chosen(phone_flows.CLOCK))} times", flush=True)
    return sum(found, [])


class MadangRace:
    """Openings against madang: a room, and chats in it."""

    def __init__(self, url):
        self._stage = Stage(url, "U0")

    async def prepare(self):
        self.phone = await self._stage.person("Mina")
        self._room = await self.phone.channel(await self.phone.workspace(), "ios")
        # One session may not send as many chats as sockets open: the request limit is a default too.
        self._senders = [await self.phone.sign_in() for _ in range(4)]

    def namespace(self, number):
        return self._room.namespace

    async def send(self, number, word):
        await self._senders[number % len(self._senders)].say(self._room, word)

    def is_word(self, event, word):
        return event[0] == "channel" and event[1]["content"] == word

    def close(self):
        self._stage.close()


class EchoRace:
    """Openings against socketio-echo: each namespace of the rig greets whoever joins."""

    def __init__(self, url):
        self._url = url

    async def prepare(self):
        self.phone = Phone(self._url, None)

    def namespace(self, number):
        return "/bench" if number % 2 else f"/ws-channel-room{number}"

    async def send(self, number, word):
        await self.phone.call(
            "POST", f"/emit?nsp={self.namespace(number)}&event=news", phone_flows.json_body(word))

    def is_word(self, event, word):
        return event == ["news", word]

    def close(self):
        self.phone.close()


async def opening(race, number, mode, outcomes):
    """One opening: joins while it upgrades, then hears what is sent once it has upgraded."""
    mode = dataclasses.replace(mode, posts_noop=number % 2 == 0)
    namespace = race.namespace(number)
    try:
        async with race.phone.socket(mode, namespace) as engine:
            try:
                if await engine.outcome(namespace) != "joined":
                    return
                outcomes["joined"] += 1
                await asyncio.wait_for(engine.upgraded.wait(), PATIENCE)
                word = f"word {number}"
                await race.send(number, word)
                async with asyncio.timeout(PATIENCE):
                    while not race.is_word(await engine.event(namespace), word):
                        pass
                outcomes["heard"] += 1
            finally:
                outcomes["refused POSTs"] += engine.refused_posts
                outcomes["errors"] += len(engine.errors)
                outcomes["overtaken"] += engine.overtaken_posts
    except (TimeoutError, OSError):
        # Neither joined nor heard: the counts tell.
        pass


async def run_race(race, label, mode, openings):
    """Half of the openings one after another, the other half ten at once; what was missing."""
    await race.prepare()
    outcomes = collections.Counter()
    tasks = []
    for number in range(openings // 2):
        tasks.append(asyncio.create_task(opening(race, number, mode, outcomes)))
        # One that is lost is waited for in the background, or a server that loses many would take minutes.
        await asyncio.wait(tasks[-1:], timeout=0.5)
    slots = asyncio.Semaphore(10)

    async def in_turn(number):
        async with slots:
            await opening(race, number, mode, outcomes)

    tasks += [asyncio.create_task(in_turn(number)) for number in range(openings // 2, openings)]
    await asyncio.gather(*tasks)
    race.close()
    counts = ", ".join(f"{name} {outcomes[name]} of {openings}" for name in ("joined", "heard"))
    faults = ", ".join(f"{outcomes[name]} {name}" for name in ("refused POSTs", "errors") if outcomes[name])
    line = f"{label}, {mode}: {counts}, {outcomes['overtaken']} POSTs overtaken"
    line += f", {faults}" if faults else ""
    print(line, flush=True)
    is_good = outcomes["joined"] == outcomes["heard"] == openings and not faults
    return [] if is_good else [line]


async def race_joins(madang, echo, openings):
    found = []
    with tempfile.TemporaryDirectory() as data:
        async with (
            Program.development(madang, data) as server,
            Program(echo, "--mode", "rig", "--eio3", "--port", "0") as rig,
        ):
            for pauses, share in (NONE, openings), (LATE_POST, openings // 10):
                for revision in (4, 3):
                    mode = Mode("upgrade", revision, pauses)
                    found += await run_race(MadangRace(server.url), "madang", mode, share)
                    found += await run_race(EchoRace(rig.url), "socketio-echo", mode, share)
    return found


async def main():
    parser = argparse.ArgumentParser(description="Scripted phones against madang and socketio-echo.")
    parser.add_argument("madang", help="the madang program, for example .build/debug/madang")
    parser.add_argument("echo", help="the socketio-echo program, for example .build/debug/socketio-echo")
    parser.add_argument("--openings", type=int, default=200, help="sockets opened per server and revision, from 10")
    parser.add_argument("--only", metavar="FLOW", help="play only this flow (u9), and open no further sockets")
    options = parser.parse_args()
    for program in options.madang, options.echo:
        if not os.access(program, os.X_OK) or os.path.isdir(program):
            parser.error(f"there is no program {program}: build it with `swift build`")
    known = sorted({flow_id(one) for one in phone_flows.ALL}, key=lambda name: (name[0], int(name[1:])))
    if options.only and options.only.lower() not in known:
        parser.error(f"no flow is called {options.only}: choose one of {', '.join(known)}")
    if options.openings < 10:
        parser.error(f"--openings: {options.openings} is too few to race; write a number from 10")
    start = time.monotonic()
    differences = await play_flows(options.madang, options.only)
    if options.only is None:
        differences += await race_joins(options.madang, options.echo, options.openings)
    for difference in differences:
        print(f"FAILED {difference}")
    print(f"{len(differences)} differences, {time.monotonic() - start:.0f} s")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
