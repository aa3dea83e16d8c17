"""The test kits of clients/ hold the behaviours of clients/behaviours.md, with a real server: madang-testing for pytest, as a
wheel that is built and installed without a network, with mypy; the module for node.

    Scripts/foreign-clients    # installs what this needs
    python Tests/Foreign/kits_check.py .build/debug/madang [python] [node]

Exits 0 when every check held.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

CLIENTS = pathlib.Path(__file__).resolve().parent / "../../clients"
LIMIT = 1200
"""Seconds for each command."""


def run(what, command, folder, **environment):
    """Runs a command; prints what it printed only if it failed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MADANG_DEV_")}
    outcome = subprocess.run(command, cwd=folder, env=kept | environment, timeout=LIMIT, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(f"FAILED: {what}\n{outcome.stdout}" if outcome.returncode else f"ok     {what}")
    return not outcome.returncode


RECORDED = """
import json, sys
from madang_testing import MadangError, start
with start(sys.argv[1]) as madang, madang.make_world(number=7) as world:
    mina = world.sign_in("mina@example.com")
    mina.get("workspaces")
    mina.put("users/me", {"nickname": "Mina's"})
    world.clock.advance("25h")
    try:
        mina.get("users/me")
    except MadangError:
        pass
    print(json.dumps([entry.raw for entry in world.journal.entries()]))
"""
"""Prints the requests of a client."""


def copied(madang, folder, site):
    """The console's tests for pytest of recorded requests pass with the kit."""
    recorded = subprocess.run([sys.executable, "-c", RECORDED, madang], env=os.environ | {"PYTHONPATH": str(site)}, check=True,
                              stdout=subprocess.PIPE).stdout
    made = subprocess.run(["node", str(CLIENTS / "../Tests/Foreign/console_tests.mjs")], input=recorded, check=True,
                          stdout=subprocess.PIPE).stdout
    tests = folder / "copied"
    tests.mkdir()
    for number, text in enumerate(json.loads(made)):
        (tests / f"test_{number}.py").write_text(text)
    return run("tests that the console makes of requests", [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"], tests,
               PYTHONPATH=str(site), MADANG_PROGRAM=madang)


def python(madang, folder):
    """A copy, as building leaves files beside the sources."""
    package, site = folder / "python", folder / "site"
    shutil.copytree(CLIENTS / "python", package, ignore=shutil.ignore_patterns("*.egg-info", "build", "__pycache__", ".*"))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    build = [*pip, "wheel", "--quiet", "--no-index", "--no-build-isolation", "--no-deps", "-w", str(folder), str(package)]
    if not run("the wheel of madang-testing is built", build, folder):
        return False
    [wheel] = folder.glob("*.whl")
    install = [*pip, "install", "--quiet", "--no-index", "--no-deps", "--target", str(site), str(wheel)]
    held = run("the wheel is installed", install, folder)
    held &= run("mypy --strict finds nothing", [sys.executable, "-m", "mypy"], package)
    # Without the sources, so that only the wheel is tested.
    shutil.rmtree(package / "src")
    tests = [sys.executable, "-m", "pytest", "-q", "-n", "4", "-p", "no:cacheprovider"]
    held &= run("the tests of madang-testing", tests, package, PYTHONPATH=str(site), MADANG_PROGRAM=madang)
    return held & copied(madang, folder, site)


def node(madang, folder):
    return run("the tests of the module for node", ["node", "--test", "tests/"], CLIENTS / "node", MADANG_PROGRAM=madang)


def main():
    madang, kits = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:] or ["python", "node"]
    held = run("every behaviour has its tests", [sys.executable, str(CLIENTS / "check"), *kits], CLIENTS)
    with tempfile.TemporaryDirectory() as folder:
        for kit in kits:
            held &= globals()[kit](madang, pathlib.Path(folder))
    sys.exit(0 if held else 1)


main()
