"""What docs/test-clients.md promises to people without Swift: its tutorial is done as it stands, and a camera reads the QR code of
`madang serve --dev --lan`.

    Scripts/foreign-clients    # installs what this needs
    python Tests/Foreign/kit_check.py .build/debug/madang

Exits 0 when every check held.
"""

import asyncio
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile

import numpy
import requests
import zxingcpp

import pages
from ports import free_port
from program import Program

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGE = ROOT / "docs/test-clients.md"
WHEELS = pathlib.Path(sys.executable).parent.parent.parent / "wheels"
"""What `pip install` needs besides the kit, kept by Scripts/foreign-clients."""
STANDARD = "http://127.0.0.1:8080"
WAIT = 60
EXAMPLES = {"python": "clients/python/examples/test_chat.py", "swift": "Examples/TinyChat/Tests/TinyChatTests/FirstTest.swift"}
"""Files of which the page has a copy, by the language of the block."""


def tutorial(madang, server, folder):
    """Does the page as it stands, in a folder with a copy of the kits. Returns what was different, section by section."""
    shutil.copytree(ROOT / "clients", folder / "clients", ignore=shutil.ignore_patterns("node_modules", "build", "*.egg-info"))
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MADANG_", "VIRTUAL_ENV"))} | {
        "PATH": f"{pathlib.Path(madang).resolve().parent}:{os.environ['PATH']}", "MADANG_DEV_URL": server,
        "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(WHEELS), "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        # As on a terminal.
        "NODE_OPTIONS": "--test-reporter=spec"}
    standing = {f"found at {STANDARD}": f"found at {server} (MADANG_DEV_URL)", STANDARD: server, "8081": str(free_port())}
    with pages.Shell(folder, environment) as shell:
        def done(heading):
            return pages.differences(pages.section(PAGE, heading), shell, folder, standing, {"madang serve --dev"})
        yield "Ten minutes", done("Ten minutes")
        yield "Questions", done("Questions") + answers(shell, folder)
        yield "By hand", done("By hand")


def answers(shell, folder):
    """What went wrong in the tests of the questions, which are copied beside the files of the ten tests."""
    tests = [block.text for block in pages.blocks(pages.section(PAGE, "Questions")) if block.language == "python" and not block.file]
    for number, text in enumerate(tests, 1):
        (folder / f"chat-tests/test_question_{number}.py").write_text(text)
    answer = shell.type("pytest -q -p no:cacheprovider chat-tests/test_question_*.py && echo all passed")
    return [] if answer.endswith("all passed\n\n") else [answer]


def copies():
    """The files of which the page has another text."""
    found = {language: [block.text for block in pages.blocks(PAGE.read_text()) if block.language == language] for language in EXAMPLES}
    return [file for language, file in EXAMPLES.items() if (ROOT / file).read_text() not in found[language]]


def differences_from_calls(name, server, folder):
    """The answers to the calls of a section in a world of `courtyard` with a number, where the page shows others; `...` is
    any text."""
    text = (HERE / "../../docs/reference/dev.md").read_text()
    section = text.split(f"\n## {name}\n")[1].split("\n## ")[0]
    if script := re.search(r"```yaml\n(.*?)```", section, re.DOTALL):
        (folder / "scripts.yaml").write_text(script.group(1))
    shown = re.findall(r"^\$ (curl .*)\n(.*)", section, re.MULTILINE)
    made = requests.post(f"{server}/_dev/worlds", json={"seed": "courtyard", "number": 7}, timeout=WAIT).json()
    different = [] if shown else ["the page shows no calls"]
    for command, expected in shown:
        command = command.replace("http://127.0.0.1:38141", made["url"]).replace("curl", "curl -sS", 1)
        answer = subprocess.run(["sh", "-c", command], cwd=folder, timeout=WAIT, capture_output=True, text=True)
        if not re.fullmatch(".*".join(map(re.escape, expected.split("..."))), answer.stdout):
            different.append(f"{command}\n{answer.stdout}{answer.stderr}\ninstead of\n{expected}")
        if "_dev/people/mina/post" in command:
            # The page waits for a shorter time than a slow machine may need.
            requests.get(f"{made['url']}/_dev/pushes?wait=60s", timeout=2 * WAIT)
    return different


def failure_of_command_line(madang, server, folder):
    """What the first example of docs/reference/commands.md says when it fails, typed as it stands; nothing if it does not."""
    text = (HERE / "../../docs/reference/commands.md").read_text()
    section = text.split("\n## Worlds, clock, faults and people for tests\n")[1].split("\n## ")[0]
    typed = re.search(r"```\n(\$ .*?)```", section, re.DOTALL).group(1)
    environment = os.environ | {
        "MADANG_DEV_URL": server, "PATH": f"{pathlib.Path(madang).resolve().parent}:{os.environ['PATH']}"}
    answer = subprocess.run(["sh", "-eu", "-c", re.sub(r"^\$ ", "", typed, flags=re.MULTILINE)], env=environment,
                            cwd=folder, timeout=WAIT, capture_output=True, text=True)
    return answer.stdout + answer.stderr if answer.returncode else None


def run_script(text, folder, server):
    """Runs it as it stands, with the environment's MADANG only where a server is named."""
    environment = {name: value for name, value in os.environ.items() if name != "MADANG"} | ({"MADANG": server} if server else {})
    return subprocess.run(["sh", "-c", text], env=environment, cwd=folder, timeout=WAIT, capture_output=True, text=True)


def failure_of_script(server, folder):
    """What is wrong with the script of the shell; empty if nothing is. It leaves no world, with a server that is named and with its own
    default, and says what to do where there is none."""
    [text] = [block.text for block in pages.blocks(pages.section(PAGE, "In any other language")) if block.language == "sh"]
    default = text.replace(STANDARD, server)
    if default == text:
        return f"it does not name {STANDARD}"
    for one, named in [(text, server), (default, None)]:
        outcome = run_script(one, folder, named)
        if outcome.returncode:
            return outcome.stdout + outcome.stderr
        worlds = requests.get(f"{server}/_dev/worlds", timeout=WAIT).json()
        if worlds:
            return f"it left {worlds}"
    port = free_port()
    outcome = run_script(text, folder, f"http://127.0.0.1:{port}")
    if not outcome.returncode or f"127.0.0.1 port {port}" not in outcome.stderr:
        return f"without a server it exits with {outcome.returncode} and says {outcome.stdout}{outcome.stderr}"
    return ""


def pixels(terminal_text):
    """The modules that a terminal shows, four pixels each."""
    rows = []
    for line in terminal_text.splitlines():
        shown = re.sub("\x1b\\[[0-9;]*m", "", line)
        if "\x1b" in line and shown:
            rows.append([0 if character in "█▀" else 255 for character in shown])
            rows.append([0 if character in "█▄" else 255 for character in shown])
    return numpy.kron(numpy.array(rows, dtype=numpy.uint8), numpy.ones((4, 4), dtype=numpy.uint8))


def qr_code(madang, data):
    """What a camera reads in the terminal of a server for devices, and the URL it says beside it."""
    outside, inside = pty.openpty()
    server = subprocess.Popen(
        [madang, "serve", "--dev", "--lan", "--host", "127.0.0.1", "--port", "0", "--data", data],
        stdout=subprocess.DEVNULL, stderr=inside)
    os.close(inside)
    text = b""
    try:
        # The code ends with the first line that is a white one again.
        while text.count(b"\x1b[0m") < 17:
            text += os.read(outside, 65536)
    finally:
        server.terminate()
        server.wait(60)
        os.close(outside)
    text = text.decode(errors="replace").replace("\r\n", "\n")
    url = re.search(r"For devices in this network: (\S+)", text)[1]
    return [code.text for code in zxingcpp.read_barcodes(pixels(text))], url


async def main():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        different = copies()
        print(f"FAILED: docs/test-clients.md has another text than {different}"
              if different else "ok     the page and the examples have the same texts")
        failures += bool(different)
        async with Program.development(sys.argv[1], str(folder / "data")) as server:
            for heading, different in tutorial(sys.argv[1], server.url, folder):
                print("\n".join([f"FAILED: '{heading}' of docs/test-clients.md:"] + different)
                      if different else f"ok     '{heading}' as it stands")
                failures += bool(different)
            failure = await asyncio.to_thread(failure_of_script, server.url, folder)
            print(f"FAILED: the script of the shell\n{failure}" if failure else "ok     the script of the shell")
            failures += bool(failure)
            for name in ("Scripts", "Expectations"):
                different = await asyncio.to_thread(differences_from_calls, name, server.url, folder)
                print("\n".join([f"FAILED: calls differ from docs/reference/dev.md, {name}:"] + different)
                      if different else f"ok     the calls of docs/reference/dev.md, {name}")
                failures += bool(different)
            failure = await asyncio.to_thread(failure_of_command_line, sys.argv[1], server.url, folder)
            print(f"FAILED: the example of docs/reference/commands.md\n{failure}"
                  if failure else "ok     the example of docs/reference/commands.md")
            failures += bool(failure)
        codes, url = await asyncio.to_thread(qr_code, sys.argv[1], str(folder / "lan"))
        if codes == [url]:
            print("ok     a camera reads", url)
        else:
            print(f"FAILED: a camera reads {codes} instead of {url}")
            failures += 1
    print(failures, "failed")
    sys.exit(1 if failures else 0)


asyncio.run(main())
