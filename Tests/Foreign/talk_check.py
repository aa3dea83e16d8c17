"""Phones talk through a server that somebody has set up: chats, pictures and direct messages of both editions, in every mode
of the Swift client.

    python3 Tests/Foreign/talk_check.py https://chat.example.com --keys /var/lib/madang/secrets [--authorities ca.pem] [--network 10.78]

Standard library only. Exits 0 when everybody heard everything.
"""

import argparse
import asyncio
import itertools
import pathlib
import random
import sys
import time

import phone
import phone_flows
from phone import Mode
from phone_check import play
from phone_flows import Stage

FLOWS = phone_flows.u9_send, phone_flows.u10_direct_messages, phone_flows.v8_direct_messages
MODES = [Mode(transport, revision) for transport in ("polling", "upgrade", "websocket") for revision in (4, 3)]


async def main():
    parser = argparse.ArgumentParser(description="Phones talk through a server that somebody has set up.")
    parser.add_argument("url", help="where apps find it, for example https://chat.example.com")
    parser.add_argument("--keys", required=True, type=pathlib.Path, help="the directory with its keys, secrets/ of its data")
    parser.add_argument("--authorities", help="a PEM file of the authorities to believe, instead of the system's")
    parser.add_argument("--network", default="127.1", help="the first two numbers of the phones' own addresses")
    parser.add_argument("--brief", action="store_true", help="one mode of the Swift client only")
    options = parser.parse_args()
    Stage.network = options.network
    phone.Server.AUTHORITIES = options.authorities
    # The server may know people of an earlier run.
    Stage.numbers = itertools.count(random.randrange(1_000_000))
    Stage.keys = {edition: (options.keys / f"api-key-{edition}").read_text().strip() for edition in Stage.keys}
    modes = MODES[-2:-1] if options.brief else MODES
    start = time.monotonic()
    # One after the other: sign-ups cost as much as they do for people.
    differences = sum([await play(flow, options.url, mode) for flow in FLOWS for mode in modes], [])
    for difference in differences:
        print(f"FAILED {difference}")
    print(f"{len(FLOWS)} flows in {len(modes)} modes: {len(differences)} differences, {time.monotonic() - start:.0f} s")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
