"""What docs/test-clients.md promises to people without Swift: its recipes run as they stand there, and a camera reads the QR
code of `madang serve --dev --lan`.

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
import socket
import subprocess
import sys
import tempfile

import numpy
import requests
import zxingcpp

from program import Program

HERE = pathlib.Path(__file__).parent
CLIENTS = HERE / "../../clients"
RECIPES = {"sh": ["sh"],
           "python": [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "madang_testing.plugin"],
           "js": ["node", "--test"],
           "java": [str((CLIENTS / "junit/try").resolve())]}
WAIT = 60


def recipes():
    """The recipes of docs/test-clients.md: language and text."""
    text = (HERE / "../../docs/test-clients.md").read_text()
    section = text.split("## Recipes")[1].split("\n## ")[0]
    return re.findall(r"```(\w+)\n(.*?)```", section, re.DOTALL)


def differences_from_scripts(server, folder):
    """What the calls of the section on scripts answer in a world of `courtyard` with a number, where it is not what the page
    shows; `...` is any text."""
    text = (HERE / "../../docs/reference/dev.md").read_text()
    section = text.split("\n## Scripts\n")[1].split("\n## ")[0]
    (folder / "scripts.yaml").write_text(re.search(r"```yaml\n(.*?)```", section, re.DOTALL).group(1))
    shown = re.findall(r"^\$ (curl .*)\n(.*)", section, re.MULTILINE)
    made = requests.post(f"{server}/_dev/worlds", json={"seed": "courtyard", "number": 7}, timeout=WAIT).json()
    different = [] if shown else ["the page shows no calls"]
    for command, expected in shown:
        command = command.replace("http://127.0.0.1:38141", made["url"]).replace("curl", "curl -sS", 1)
        answer = subprocess.run(["sh", "-c", command], cwd=folder, timeout=WAIT, capture_output=True, text=True)
        if not re.fullmatch(".*".join(map(re.escape, expected.split("..."))), answer.stdout):
            different.append(f"{command}\n{answer.stdout}{answer.stderr}\ninstead of\n{expected}")
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


STANDARD = "http://127.0.0.1:8080"


def run_recipe(language, text, folder, server=None):
    """Runs it as it stands, with the environment's MADANG only where a server is named."""
    names = {"sh": "recipe.sh", "python": "test_recipe.py", "js": "recipe.test.mjs", "java": "ChatTest.java"}
    file = folder / names[language]
    file.write_text(text)
    environment = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("MADANG", None)
    if server:
        environment |= {"MADANG": server, "MADANG_DEV_URL": server}
    return subprocess.run(
        RECIPES[language] + [str(file)], env=environment, cwd=folder, timeout=WAIT, capture_output=True, text=True)


def failure_of_recipe(language, text, server, folder):
    """What is wrong with a recipe; empty if nothing is. It leaves no world, with a server that is named, in the shell also with the one
    that is its own default, and says what to do where there is none. The kits' own tests try their default."""
    runs = [(text, server)]
    if language == "sh":
        default = text.replace(STANDARD, server)
        if default == text:
            return f"it does not name {STANDARD}"
        runs.append((default, None))
    for one, named in runs:
        outcome = run_recipe(language, one, folder, named)
        if outcome.returncode:
            return outcome.stdout + outcome.stderr
        worlds = requests.get(f"{server}/_dev/worlds", timeout=WAIT).json()
        if worlds:
            return f"it left {worlds}"
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    outcome = run_recipe(language, text, folder, f"http://127.0.0.1:{port}")
    told = outcome.stdout + outcome.stderr
    if not outcome.returncode or f"127.0.0.1:{port}" not in told and f"127.0.0.1 port {port}" not in told:
        return f"without a server it exits with {outcome.returncode} and says {told}"
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
        server.wait(15)
        os.close(outside)
    text = text.decode(errors="replace").replace("\r\n", "\n")
    url = re.search(r"For devices in this network: (\S+)", text)[1]
    return [code.text for code in zxingcpp.read_barcodes(pixels(text))], url


async def main():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        # The kits are used without being installed; kits_check.py installs them.
        shutil.copytree(CLIENTS / "python/src/madang_testing", folder / "madang_testing")
        shutil.copy(CLIENTS / "node/madang-testing.mjs", folder)
        async with Program.development(sys.argv[1], str(folder / "data")) as server:
            found = recipes()
            languages = [language for language, _ in found]
            if sorted(set(languages)) != sorted(RECIPES):
                print("FAILED: docs/test-clients.md has recipes in", languages)
                failures += 1
            for language, text in found:
                failure = await asyncio.to_thread(failure_of_recipe, language, text, server.url, folder)
                print(f"FAILED: the recipe in {language}\n{failure}" if failure else f"ok     the recipe in {language}")
                failures += bool(failure)
            different = await asyncio.to_thread(differences_from_scripts, server.url, folder)
            print("\n".join(["FAILED: the calls of scripts differ from docs/reference/dev.md:"] + different)
                  if different else "ok     the scripts and their calls")
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
