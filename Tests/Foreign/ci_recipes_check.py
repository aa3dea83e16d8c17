"""The recipes for CI of docs/test-clients.md are run as they stand: jobs of GitHub Actions and GitLab step by step, in bash as those
services do, and the calls of `docker` by a stand-in that starts the program with the environment of the image.

    Scripts/foreign-clients    # installs what this needs
    python Tests/Foreign/ci_recipes_check.py .build/debug/madang

What only those services can show is not tried: their runners, the networks of containers, Testcontainers. Exits 0 when every check held.
"""

import contextlib
import functools
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import urllib.request

import yaml

import pages
from ports import free_port

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGE = ROOT / "docs/test-clients.md"
SUITE = ROOT / "clients/python/examples"
LIMIT = 300
"""Seconds for each command."""
FAILING = "def test_fails(world):\n    world.sign_in('mina@example.com')\n    assert False\n"

DOCKER = """#!/usr/bin/env python3
# `docker inspect` tells this machine's address; `docker run` runs the program with the environment of the image and of `-e`.
import os, shlex, sys
words = sys.argv[1:]
if words[0] == "inspect":
    print("127.0.0.1")
    sys.exit()
assert words[0] == "run", words
environment = dict(pair.split("=", 1) for pair in shlex.split({image!r}))
rest = words[1:]
while rest[0].startswith("-"):
    option = rest.pop(0)
    if option == "-e":
        name, value = rest.pop(0).split("=", 1)
        environment[name] = value
    elif option in ("-p", "--network"):
        rest.pop(0)
    else:
        assert option == "--rm", option
assert rest.pop(0) == "IMAGE", words
# Only this machine may reach it, at a free port.
environment |= {{"MADANG_HOST": "127.0.0.1", "MADANG_PORT": {port!r}, "MADANG_DATA": {data!r}}}
os.execvpe("madang", ["madang", *(rest or ["serve"])], os.environ | environment)
"""


class Machine:
    """A machine of CI: a folder with a suite of pytest, and programs on its PATH."""

    def __init__(self, folder, madang, failing=False):
        self.port, self.folder = str(free_port()), pathlib.Path(folder)
        self.checkout, self.programs = self.folder / "checkout", self.folder / "programs"
        shutil.copytree(SUITE, self.checkout, ignore=shutil.ignore_patterns("__pycache__", ".*"))
        if failing:
            (self.checkout / "test_failing.py").write_text(FAILING)
        self.programs.mkdir()
        self.program("madang", f'#!/bin/sh\nexec "{madang}" "$@"\n')
        for name in ("run-your-tests", "gradlew"):
            self.program(name, "#!/bin/sh\nexec pytest\n")
        shutil.copy(self.programs / "gradlew", self.checkout)
        [environment] = re.findall(r"^ENV (.*)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
        self.program("docker", DOCKER.format(image=environment, port=self.port, data=str(self.folder / "data")))
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("MADANG_")} | {
            "PATH": f"{self.programs}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "clients/python/src"), "PYTHONDONTWRITEBYTECODE": "1",
            "PYTEST_ADDOPTS": "-q -p madang_testing.plugin -p no:cacheprovider",
            "MADANG_PASSWORD_MEMORY": "8", "MADANG_PASSWORD_PASSES": "1"}

    def program(self, name, text):
        file = self.programs / name
        file.write_text(text)
        file.chmod(0o755)

    def here(self, text):
        """A text of the page with the address of this machine's server."""
        text = re.sub(r"\b(HOST|madang):8080", f"127.0.0.1:{self.port}", str(text))
        return re.sub(r":8080\b", f":{self.port}", text).replace("${{ job.services.madang.id }}", "madang")

    def run(self, text, environment):
        """The outcome of commands, run as GitHub Actions does."""
        return subprocess.run(["bash", "-eo", "pipefail", "-c", self.here(text)], cwd=self.checkout, env=self.environment | environment,
                              timeout=LIMIT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    @contextlib.contextmanager
    def service(self, image, environment):
        """A container that runs beside the job."""
        words = [word for name, value in environment.items() for word in ("-e", f"{name}={value}")]
        with self.started(["docker", "run", *words, image]):
            yield

    @contextlib.contextmanager
    def started(self, command, **options):
        process = subprocess.Popen(command, cwd=self.checkout, env=self.environment, text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, **options)
        try:
            line = process.stdout.readline()
            assert line.startswith("madang listening on "), f"{command} printed {line!r}"
            yield
        finally:
            process.terminate()
            process.wait(60)
            process.stdout.close()


@contextlib.contextmanager
def releases(madang, folder):
    """A web server with a tarball as `make dist` names it, and its URL. Its program starts the one that is tested."""
    place = pathlib.Path(folder) / "releases"
    place.mkdir()
    [name] = set(re.findall(r"\$RELEASES/(\S+)\.tar\.xz", PAGE.read_text()))
    program = place / "madang"
    program.write_text(f'#!/bin/sh\nexec "{madang}" "$@"\n')
    program.chmod(0o755)
    with tarfile.open(place / f"{name}.tar.xz", "w:xz") as tar:
        tar.add(program, f"{name}/bin/madang")

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(place)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def steps(machine, job, variables):
    """Runs a job of GitHub Actions. Returns whether its commands succeeded, and what they printed."""
    written = machine.folder / "environment"
    written.touch()
    variables = {name: str(value) for name, value in (variables | job.get("env", {})).items()}
    variables |= {"GITHUB_ENV": str(written), "RUNNER_TEMP": str(machine.folder / "temporary")}
    os.makedirs(variables["RUNNER_TEMP"])
    printed = ""
    for step in job["steps"]:
        if "run" not in step:
            continue
        more = dict(line.split("=", 1) for line in written.read_text().splitlines())
        outcome = machine.run(step["run"], variables | more | step.get("env", {}))
        printed += outcome.stdout
        if outcome.returncode:
            return False, printed
    return True, printed


def actions_with_kit(madang, recipe):
    """Passing tests pass; a failed one leaves results where the recipe uploads them from."""
    job = recipe["jobs"]["test"]
    [upload] = [step for step in job["steps"] if "upload-artifact" in step.get("uses", "")]
    for failing in (False, True):
        with tempfile.TemporaryDirectory() as folder, releases(madang, folder) as url:
            machine = Machine(folder, madang, failing)
            passed, printed = steps(machine, job, {"RELEASES": url})
            if passed == failing:
                return printed
            found = [file.suffix for file in machine.checkout.glob(f"{upload['with']['path']}/**/*") if file.is_file()]
            if failing and ".har" not in found:
                return f"the results are {found}\n{printed}"
    return ""


def actions_with_service(madang, recipe):
    job = recipe["jobs"]["test"]
    service = job["services"]["madang"]
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(folder, madang)
        with machine.service(service["image"], service["env"]):
            passed, printed = steps(machine, job, {})
        return "" if passed and "found at" in printed else printed


def gitlab(madang, recipe):
    job = recipe["test"]
    [service] = job["services"]
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(folder, madang)
        variables = {name: machine.here(value) for name, value in job["variables"].items()}
        with machine.service(service["name"], variables):
            outcome = machine.run("\n".join(job["script"]), variables)
        return "" if outcome.returncode == 0 and "found at" in outcome.stdout else outcome.stdout


def shell(madang, text):
    """Its status is that of the tests, and it leaves coverage and no server."""
    script = "\n".join(command for command, _ in pages.commands(text))
    for failing in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            machine = Machine(folder, madang, failing)
            # Its commands stand on their own: a prompt does not end at an error.
            outcome = machine.run(f"set +eo pipefail\n{script}", {})
            if (outcome.returncode != 0) != failing or "found at" not in outcome.stdout:
                return f"status {outcome.returncode}\n{outcome.stdout}"
            if not json.loads((machine.checkout / "coverage.json").read_text())["counts"]:
                return "the coverage is empty"
            url = (machine.checkout / "ready").read_text().split()[-1]
            # It ends a moment after its signal.
            end = time.monotonic() + 60
            with contextlib.suppress(OSError):
                while time.monotonic() < end:
                    urllib.request.urlopen(f"{url}/livez", timeout=5).close()
                    time.sleep(0.1)
                return "the server still runs"
    return ""


def containers(madang, text):
    """Each `docker run` of the page starts a server, which the call below it reaches."""
    started = [command for command, _ in pages.commands(text) if command.startswith("docker run")]
    calls = [command for command, _ in pages.commands(text) if command.startswith("curl")]
    for run in started:
        with tempfile.TemporaryDirectory() as folder:
            machine = Machine(folder, madang)
            with machine.started(["bash", "-c", f"exec {run}"]):
                for call in calls:
                    outcome = machine.run(call, {})
                    if '"seed":"courtyard"' not in outcome.stdout:
                        return f"{call}\n{outcome.stdout}"
    return "" if started else "the page has no `docker run`"


def main():
    madang = pathlib.Path(sys.argv[1]).resolve()
    section = pages.blocks(pages.section(PAGE, "CI and containers"))
    recipes = [yaml.safe_load(block.text) for block in section if block.language == "yaml"]
    consoles = [block.text for block in section if block.language == "console"]
    kit, service = [recipe for recipe in recipes if "jobs" in recipe]
    [other] = [recipe for recipe in recipes if "jobs" not in recipe]
    [typed] = [text for text in consoles if "docker" not in text]
    checks = [
        ("GitHub Actions with a kit", actions_with_kit, kit),
        ("GitHub Actions with a service", actions_with_service, service),
        ("GitLab", gitlab, other),
        ("a shell", shell, typed),
        ("docker run", containers, "".join(text for text in consoles if "docker" in text)),
    ]
    failures = 0
    for name, check, recipe in checks:
        failure = check(madang, recipe)
        print(f"FAILED: {name}\n{failure}" if failure else f"ok     {name}")
        failures += bool(failure)
    print(failures, "failed")
    sys.exit(1 if failures else 0)


main()
