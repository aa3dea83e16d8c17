"""Documents that are done as they stand: files are saved under the name that the text above them says, and commands are typed into
one bash, whose answers are compared with those of the page. In answers `...` and `…` are any text, and all lengths of time are equal."""

import pathlib
import re
import subprocess
import threading
from typing import NamedTuple

END = "<the command has ended>"


class Block(NamedTuple):
    above: str
    """The paragraph above it."""
    language: str
    text: str

    @property
    def file(self):
        """The file that the paragraph says to save it as."""
        found = re.search(r"Save this as\s+`([^`]+)`", self.above)
        return found and found[1]

    @property
    def is_added(self):
        return "Add to the file" in self.above


def section(page, heading):
    """The text below a heading of the second rank."""
    return pathlib.Path(page).read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]


def blocks(text):
    """All blocks of a text with a language."""
    found = re.split(r"^```(\w*)\n(.*?)^```\n", text, flags=re.DOTALL | re.MULTILINE)
    return [Block(above.strip().split("\n\n")[-1], language, content)
            for above, language, content in zip(found[::3], found[1::3], found[2::3])]


def commands(text):
    """The commands of a block `console`, each with the answer below it."""
    found = re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE)
    return [(command, answer) for command, answer in found]


def plain(text):
    """Without what differs from run to run, or with the width of a terminal: lengths of time, numbers of a
    journal's entries and of worlds."""
    text = re.sub(r"\d+(\.\d+)? ?m?s\b", "0s", text)
    text = re.sub(r"(entries|entry) \d+|^ *\d+(?=  )|\bw\d+\b", "0", text, flags=re.MULTILINE)
    return "".join(re.sub(" {2,}", "  ", line.rstrip()) + "\n" for line in text.strip().splitlines())


def agrees(shown, answer):
    lines = (r"(?s:.*)" if line == "...\n" else ".*".join(map(re.escape, re.split(r"\.\.\.|…", line)))
             for line in plain(shown).splitlines(keepends=True))
    return re.fullmatch("".join(lines), plain(answer)) is not None


class Shell:
    """A bash that keeps its variables from command to command."""

    def __init__(self, folder, environment, seconds=600):
        self._seconds = seconds
        self._bash = subprocess.Popen(
            ["bash", "--norc"], cwd=folder, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._bash.stdin.close()
        self._bash.wait()
        self._bash.stdout.close()

    def type(self, command):
        """What a command prints."""
        self._bash.stdin.write(f"{{ {command}\n}} </dev/null\nprintf '\\n{END}\\n'\n")
        self._bash.stdin.flush()
        limit = threading.Timer(self._seconds, self._bash.kill)
        limit.start()
        try:
            lines = []
            for line in self._bash.stdout:
                if line == f"{END}\n":
                    break
                lines.append(line)
        finally:
            limit.cancel()
        return "".join(lines)


def differences(text, shell, folder, standing, done):
    """Does everything of a text as a reader does, in a folder, except commands that are `done`. `standing` are strings of the page and
    what stands for them here. Returns each command that answered otherwise."""
    different, file = [], None
    for block in blocks(text):
        if block.file or block.is_added:
            file = block.file or file
            with open(pathlib.Path(folder) / file, "a" if block.is_added else "w") as code:
                code.write("\n\n" * block.is_added + block.text)
        elif block.language == "console":
            for command, shown in commands(block.text):
                if command in done:
                    continue
                typed = command
                for name, real in standing.items():
                    typed = typed.replace(name, real)
                answer = shell.type(typed)
                for name, real in standing.items():
                    answer = answer.replace(real, name)
                if not agrees(shown, answer):
                    different.append(f"$ {command}\n{answer}\ninstead of\n{shown}")
    return different
