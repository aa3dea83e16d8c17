"""Mistakes in setting up PostgreSQL: `madang serve` and `madang doctor` refuse each with its own cause and cure.

    Scripts/with-postgres python3 Tests/Foreign/postgres_check.py .build/debug/madang

Needs Linux, Python 3.11 and pgbouncer; takes less than a minute. Exits 0 when every check held.
"""

import argparse
import contextlib
import json
import os
import pathlib
import pwd
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from ports import free_port

SERVER = os.environ.get("MADANG_TEST_POSTGRES") or sys.exit("run this by Scripts/with-postgres")
PATIENCE = 60
failures = []


def check(is_good, what, detail=""):
    print(f"{'ok    ' if is_good else 'FAILED'} {what}{'' if is_good else f': {detail!s:.1500}'}", flush=True)
    if not is_good:
        failures.append(what)


def sql(*statements, database="postgres"):
    for statement in statements:
        subprocess.run(["psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", url(database), "-c", statement], check=True,
                       capture_output=True)


def url(database, user=None, port=None):
    text = re.sub(r"(://[^/]*/)[^?]*", rf"\g<1>{database}", SERVER)
    if user:
        text = re.sub(r"://[^@/]*@", f"://{user}@", text)
    return re.sub(r":\d+/", f":{port}/", text) if port else text


def environment():
    return {k: v for k, v in os.environ.items() if not k.startswith("MADANG_")}


def serve(madang, data, database):
    """What a start that is refused says; None if the server listens."""
    process = subprocess.Popen(
        [madang, "serve", "--port", "0", "--data", data, "--database-url", database], env=environment(), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    line = process.stdout.readline()
    if line:
        process.terminate()
    words = process.communicate(timeout=PATIENCE)[1]
    return None if line else words


def doctor(madang, data, database):
    answer = subprocess.run(
        [madang, "doctor", "--inside", "--json", "--data", data, "--database-url", database], env=environment(), text=True,
        capture_output=True, timeout=PATIENCE)
    return [json.loads(line) for line in answer.stdout.splitlines()]


def refused(madang, folder, name, database, cause, cure):
    data = f"{folder}/{name}"
    words = serve(madang, data, database)
    check(words and cause in words and cure in words, f"{name}: the start is refused with its cause and cure", words)
    found = doctor(madang, data, database)
    check(any(one["check"] == "database" and cause in one["message"] and cure in one["cure"] for one in found),
          f"{name}: the doctor says the same", found)


@contextlib.contextmanager
def pooler(folder, mode):
    """PgBouncer in front of the database `pooled`."""
    port = free_port()
    host, server_port = re.search(r"@([^:/]+):(\d+)/", SERVER).groups()
    settings = pathlib.Path(folder) / f"pgbouncer-{mode}.ini"
    settings.write_text(f"""[databases]
pooled = host={host} port={server_port} dbname=pooled user={re.search('//([^@:]+)', SERVER)[1]}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
auth_type = any
pool_mode = {mode}
default_pool_size = 20
unix_socket_dir =
""")
    command = ["pgbouncer", str(settings)]
    if os.geteuid() == 0:
        # It refuses to be root.
        user = pwd.getpwnam("postgres")
        os.chmod(folder, 0o755)
        command = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", *command]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            if process.poll() is not None or time.monotonic() > end:
                sys.exit("pgbouncer did not start")
            time.sleep(0.05)
        yield url("pooled", port=port)
    finally:
        process.terminate()
        process.wait(PATIENCE)


def main():
    parser = argparse.ArgumentParser(description="`madang` on PostgreSQL that was set up with a mistake.")
    parser.add_argument("madang", help="the madang program, for example .build/debug/madang")
    madang = os.path.abspath(parser.parse_args().madang)
    os.environ["PATH"] += ":/usr/sbin"
    if not shutil.which("pgbouncer"):
        parser.error("there is no pgbouncer: Scripts/install test installs it")
    with tempfile.TemporaryDirectory() as folder:
        for encoding in "LATIN1", "SQL_ASCII":
            sql(f"CREATE DATABASE encoded_{encoding} ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
            refused(madang, folder, encoding, url(f"encoded_{encoding.lower()}"), f"the encoding {encoding}", "--encoding UTF8")
        sql("CREATE ROLE guest LOGIN", "CREATE DATABASE unowned", "GRANT ALL ON DATABASE unowned TO guest")
        refused(madang, folder, "unowned", url("unowned", "guest"), "permission denied for schema public",
                "GRANT USAGE, CREATE ON SCHEMA public")
        sql("ALTER DATABASE unowned OWNER TO guest")
        check(serve(madang, f"{folder}/unowned", url("unowned", "guest")) is None, "unowned: the cure is one")
        sql("CREATE ROLE other LOGIN", "ALTER DATABASE unowned OWNER TO other")
        refused(madang, folder, "others", url("unowned", "other"), "", "REASSIGN OWNED BY")
        sql("CREATE ROLE pathless LOGIN", "ALTER ROLE pathless SET search_path = nowhere", "CREATE DATABASE pathless OWNER pathless")
        refused(madang, folder, "pathless", url("pathless", "pathless"), "no schema has been selected", "search_path = public")
        refused(madang, folder, "prisma", url("postgres") + "?schema=public", "the parameter 'schema'", "SET search_path")
        sql("CREATE DATABASE pooled")
        for mode in "transaction", "statement":
            with pooler(folder, mode) as database:
                refused(madang, folder, mode, database, "a pooler uses another PostgreSQL connection for each transaction", "pool_mode = session")
        with pooler(folder, "session") as database:
            words = serve(madang, f"{folder}/session", database)
            check(words is None, "a pooler that gives each client a connection of its own is served", words)
    print(f"{len(failures)} failed")
    sys.exit(1 if failures else 0)


main()
