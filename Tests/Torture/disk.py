"""A disk that forgets what was not flushed, for the directory of one server: forget.c keeps what is needed, this undoes it.

    python3 Tests/Torture/disk.py    # shows that the layer finds what is not flushed, and nothing else

After `kill -9` a file system still holds all that was written. `ForgetfulDisk.lose_power` takes back what a real disk could
have lost: all of it, or some of it, block by block, as disks write in any order.
"""

import collections
import os
import pathlib
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
RECORD = struct.Struct("=QQII")
BLOCK = 4096


def build(folder):
    """Compiles the layer and answers its path."""
    library = pathlib.Path(folder) / "forget.so"
    subprocess.run(
        [compiler(), "-std=gnu11", "-O2", "-Wall", "-shared", "-fPIC", "-o", library, HERE / "forget.c", "-ldl", "-lpthread"],
        check=True)
    return library


def compiler():
    """A C compiler: Swift's toolchain brings one, where the system has none."""
    names = [os.environ.get("CC"), "cc", "gcc", "clang"]
    return next((name for name in names if name and shutil.which(name)), "cc")


class ForgetfulDisk:
    """`root` is the directory that forgets, `journal` one on the same file system outside of it."""

    def __init__(self, library, root, journal, seed=0):
        self._library = library
        self._root = pathlib.Path(root)
        self._journal = pathlib.Path(journal)
        self._random = random.Random(seed)
        self._root.mkdir(parents=True, exist_ok=True)
        (self._journal / "saved").mkdir(parents=True, exist_ok=True)

    @property
    def environment(self):
        return {"LD_PRELOAD": str(self._library), "FORGET_ROOT": str(self._root), "FORGET_JOURNAL": str(self._journal)}

    def lose_power(self, partly=False):
        """Undoes what was not flushed. No program may run on the directory. Answers how many blocks and names went back."""
        blocks = self._undo_writes(partly)
        names = self._undo_names(partly)
        self.keep_all()
        return blocks, names

    def keep_all(self):
        """As if all had been flushed."""
        shutil.rmtree(self._journal)
        (self._journal / "saved").mkdir(parents=True)

    def _undo_writes(self, partly):
        journals = collections.defaultdict(list)
        for name in sorted(name for name in os.listdir(self._journal) if "." in name):
            inode, _, number = name.partition(".")
            journals[int(inode)].append((int(number), self._journal / name))
        if not journals:
            return 0
        paths = {}
        for folder, _, names in [*os.walk(self._root), *os.walk(self._journal / "saved")]:
            for name in names:
                path = os.path.join(folder, name)
                paths[os.lstat(path).st_ino] = path
        undone = 0
        for inode, files in journals.items():
            # What is not there any more was removed for good.
            if inode in paths:
                records = [record for _, file in sorted(files) for record in self._records(file.read_bytes())]
                undone += self._undo_file(paths[inode], records, partly)
        return undone

    @staticmethod
    def _records(data):
        position = 0
        while position + RECORD.size <= len(data):
            offset, size, count, _ = RECORD.unpack_from(data, position)
            position += RECORD.size
            yield offset, size, data[position:position + count]
            position += count

    def _undo_file(self, path, records, partly):
        if not records:
            return 0
        first, now = records[0][1], os.path.getsize(path)
        # A file that was cut is brought back as a whole.
        partly = partly and now >= max(size for _, size, _ in records)
        writes = collections.Counter(offset // BLOCK for offset, *_ in records)
        undo = {block: self._random.randint(0, count) if partly else count for block, count in writes.items()}
        undone = 0
        os.chmod(path, os.stat(path).st_mode | 0o200)
        with open(path, "r+b", buffering=0) as file:
            for offset, size, old in reversed(records):
                block = offset // BLOCK
                if not undo[block]:
                    continue
                undo[block] -= 1
                undone += 1
                end = min((block + 1) * BLOCK, os.path.getsize(path))
                start = max(size, block * BLOCK)
                if start < end:
                    os.pwrite(file.fileno(), bytes(end - start), start)
                if old:
                    os.pwrite(file.fileno(), old, offset)
            length = self._random.choice([first, now]) if partly else first
            os.ftruncate(file.fileno(), length)
        return undone

    def _undo_names(self, partly):
        notes = self._journal / "ops"
        lines = [line.split("\t") for line in notes.read_text().splitlines()] if notes.exists() else []
        begun = {mark: index for index, (kind, *rest) in enumerate(lines) if kind == "begin" for mark in rest[1:2]}
        flushed = {}
        for kind, *rest in lines:
            if kind == "flush":
                flushed[rest[0]] = max(flushed.get(rest[0], -1), begun[rest[1]])
        changes = []
        for index, (kind, *rest) in enumerate(lines):
            if kind in ("begin", "flush"):
                continue
            directories = rest[:2] if kind == "rename" else rest[:1]
            if all(flushed.get(directory, -1) < index for directory in directories):
                changes.append((kind, rest))
        if partly:
            changes = changes[self._random.randint(0, len(changes)):]
        for kind, rest in reversed(changes):
            self._undo_name(kind, rest)
        return len(changes)

    @staticmethod
    def _undo_name(kind, rest):
        try:
            match kind:
                case "create":
                    os.unlink(rest[1])
                case "mkdir":
                    # File systems keep the way to what was flushed.
                    os.rmdir(rest[1])
                case "unlink":
                    os.link(rest[2], rest[1])
                case "rename":
                    os.rename(rest[3], rest[2])
                    if rest[4]:
                        os.link(rest[4], rest[3])
        except OSError:
            # A later change, which is on disk, has overtaken this one.
            pass


WRITER = """
import sqlite3, sys
base = sqlite3.connect(sys.argv[1], isolation_level=None)
base.execute("PRAGMA journal_mode = WAL")
base.execute("PRAGMA synchronous = " + sys.argv[2])
base.execute("PRAGMA wal_autocheckpoint = 20")
base.execute("CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, text TEXT)")
while True:
    number = base.execute("INSERT INTO rows (text) VALUES (?) RETURNING id", ("x" * 700,)).fetchall()[0][0]
    print(number, flush=True)
"""

FILES = """
import os, sys
folder = sys.argv[1]
def flush(path):
    handle = os.open(path, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)
def write(name, text, flushed):
    with open(f"{folder}/{name}", "w") as file:
        file.write(text)
    if flushed:
        flush(f"{folder}/{name}")
match sys.argv[2]:
    case "1":
        for name in "kept", "replaced", "removed", "grown", "cut", "overwritten":
            write(name, "old", True)
        flush(folder)
    case "2":
        write("unflushed", "new", False)
        write("no-name", "new", True)
        os.unlink(f"{folder}/removed")
        write("other", "new", True)
        os.rename(f"{folder}/other", f"{folder}/replaced")
        with open(f"{folder}/grown", "a") as file:
            file.write("er")
        open(f"{folder}/cut", "w").close()
        with open(f"{folder}/overwritten", "r+") as file:
            file.write("new")
    case "3":
        write("flushed", "new", True)
        os.rename(f"{folder}/flushed", f"{folder}/renamed")
        os.unlink(f"{folder}/kept")
        flush(folder)
"""


def _lost_rows(library, folder, mode, partly, seed):
    """How many acknowledged rows of a database are gone after some losses of power."""
    disk = ForgetfulDisk(library, f"{folder}/{mode}{partly}/root", f"{folder}/{mode}{partly}/journal", seed)
    path = f"{folder}/{mode}{partly}/root/base.sqlite"
    lost = 0
    for count in (1, 7, 60, 200, 33):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, path, mode], env=os.environ | disk.environment, stdout=subprocess.PIPE)
        numbers = [int(process.stdout.readline()) for _ in range(count)]
        process.kill()
        numbers += [int(line) for line in process.stdout.read().split(b"\n")[:-1]]
        process.wait()
        process.stdout.close()
        disk.lose_power(partly)
        base = sqlite3.connect(path)
        try:
            there = {number for number, in base.execute("SELECT id FROM rows")}
            if base.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
                raise sqlite3.DatabaseError("not whole")
        except sqlite3.DatabaseError:
            there = set()
        base.close()
        if set(numbers) - there:
            return len(set(numbers) - there)
    return lost


def self_test(folder, report=print):
    """Whether the layer loses what was not flushed, and nothing that was."""
    library = build(folder)
    findings = []
    for partly in (False, True):
        lost = sum(_lost_rows(library, f"{folder}/{seed}", "FULL", partly, seed) for seed in range(3))
        findings.append((lost == 0, f"SQLite, synchronous = FULL, {'some' if partly else 'all'} unflushed writes lost: "
                         f"{lost} acknowledged rows lost"))
        lost = sum(_lost_rows(library, f"{folder}/{seed}", "OFF", partly, seed) for seed in range(3))
        findings.append((lost > 0, f"SQLite, synchronous = OFF, {'some' if partly else 'all'} unflushed writes lost: "
                         f"{lost} acknowledged rows lost, as must be"))
    disk = ForgetfulDisk(library, f"{folder}/files/root", f"{folder}/files/journal")
    root = pathlib.Path(folder, "files", "root")
    for step, wanted in (
        ("1", dict.fromkeys(("kept", "replaced", "removed", "grown", "cut", "overwritten"), "old")),
        ("2", dict.fromkeys(("kept", "replaced", "removed", "grown", "cut", "overwritten"), "old")),
        ("3", dict.fromkeys(("replaced", "removed", "grown", "cut", "overwritten"), "old") | {"renamed": "new"}),
    ):
        subprocess.run([sys.executable, "-c", FILES, root, step], env=os.environ | disk.environment, check=True)
        disk.lose_power()
        there = {file.name: file.read_text() for file in root.iterdir()}
        findings.append((there == wanted, f"files, step {step}: {there if there != wanted else 'as they were flushed'}"))
    for is_good, words in findings:
        report(f"{'ok    ' if is_good else 'FAILED'} {words}")
    return all(is_good for is_good, _ in findings)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(0 if self_test(place) else 1)
