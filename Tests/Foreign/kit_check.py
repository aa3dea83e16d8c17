"""What docs/testing.md promises to people without Swift: its recipes run as they stand there, and a camera reads the QR
code of `madang serve --dev --lan`.

    Scripts/test    # installs what this needs in a virtual environment and runs it
    python Tests/Foreign/kit_check.py .build/debug/madang

Exits 0 when every check held.
"""

import asyncio
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile

import numpy
import requests
import zxingcpp

from program import Program

HERE = pathlib.Path(__file__).parent
RECIPES = {"sh": ["bash", "-eu"], "python": [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
           "js": ["node", "--test"]}
WAIT = 60


def recipes():
    """The recipes of docs/testing.md: language and text."""
    text = (HERE / "../../docs/testing.md").read_text()
    section = text.split("## Recipes")[1].split("\n## ")[0]
    return re.findall(r"```(\w+)\n(.*?)```", section, re.DOTALL)


def scripts():
    """The scripts that docs/testing.md shows, as they are sent."""
    text = (HERE / "../../docs/testing.md").read_text()
    return re.search(r"\n## Scripts\n.*?```yaml\n(.*?)```", text, re.DOTALL).group(1)


def refusal_of_scripts(server):
    """What a world of `courtyard` has against them; nothing if it takes them all."""
    made = requests.post(f"{server}/_dev/worlds", json={"seed": "courtyard"}, timeout=WAIT).json()
    answer = requests.post(f"{made['url']}/_dev/scripts", data=scripts().encode(), timeout=WAIT)
    return None if answer.ok and len(answer.json()) == scripts().count("- name:") else answer.text


def run_recipe(language, text, server, folder):
    file = folder / {"sh": "recipe.sh", "python": "test_recipe.py", "js": "recipe.test.mjs"}[language]
    file.write_text(text)
    environment = os.environ | {"MADANG": server, "PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        RECIPES[language] + [str(file)], env=environment, cwd=folder, timeout=WAIT, capture_output=True, text=True)


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
        async with Program.development(sys.argv[1], str(folder / "data")) as server:
            found = recipes()
            languages = [language for language, _ in found]
            if sorted(set(languages)) != sorted(RECIPES):
                print("FAILED: docs/testing.md has recipes in", languages)
                failures += 1
            for language, text in found:
                outcome = await asyncio.to_thread(run_recipe, language, text, server.url, folder)
                if outcome.returncode:
                    print(f"FAILED: the recipe in {language}\n{outcome.stdout}\n{outcome.stderr}")
                    failures += 1
                else:
                    print("ok     the recipe in", language)
            refusal = await asyncio.to_thread(refusal_of_scripts, server.url)
            if refusal is None:
                print("ok     the scripts")
            else:
                print("FAILED: the scripts of docs/testing.md are refused:", refusal)
                failures += 1
        codes, url = await asyncio.to_thread(qr_code, sys.argv[1], str(folder / "lan"))
        if codes == [url]:
            print("ok     a camera reads", url)
        else:
            print(f"FAILED: a camera reads {codes} instead of {url}")
            failures += 1
    print(failures, "failed")
    sys.exit(1 if failures else 0)


asyncio.run(main())
