"""What the database and the disk hold themselves, when all nodes have stopped."""

import hashlib
import pathlib
import sqlite3

LEDGER = """
SELECT users.email, users.coins, COALESCE((SELECT SUM(amount) FROM coin_entries WHERE user_id = users.id), 0) FROM users
"""
ROOMS = """
SELECT rooms.id, rooms.last_seq, COUNT(chats.id), COALESCE(MIN(chats.seq), 1), COALESCE(MAX(chats.seq), 0)
FROM rooms LEFT JOIN chats ON chats.room_id = rooms.id WHERE rooms.deleted_at IS NULL GROUP BY rooms.id, rooms.last_seq
"""
ORDER = """
SELECT room_id, seq FROM (
  SELECT room_id, seq, created_at, LAG(created_at) OVER (PARTITION BY room_id ORDER BY seq) AS earlier FROM chats) AS pairs
WHERE created_at <= earlier
"""
# Files of a deleted room may go before its rows do.
FILES = """
SELECT files.path, files.size, files.sha256 FROM files LEFT JOIN rooms ON rooms.id = files.room_id
LEFT JOIN workspaces ON workspaces.id = rooms.workspace_id
WHERE rooms.deleted_at IS NULL AND workspaces.deleted_at IS NULL
  AND files.path NOT IN (SELECT path FROM file_removals)
"""


def of_sqlite(path):
    """A function from SQL to rows."""
    def query(sql):
        base = sqlite3.connect(path)
        try:
            return base.execute(sql).fetchall()
        finally:
            base.close()
    return query


async def check(model, query, data, balances, is_sqlite):
    """`query` answers rows, at once or later; `balances` maps e-mails to coins."""
    async def ask(sql):
        rows = query(sql)
        return rows if isinstance(rows, list) else await rows

    if is_sqlite:
        if (told := await ask("PRAGMA integrity_check")) != [("ok",)]:
            model.problem("database", "integrity_check", str(told)[:500])
        if told := await ask("PRAGMA foreign_key_check"):
            model.problem("database", "foreign_key_check", str(told)[:500])
    for email, coins, total in await ask(LEDGER):
        if int(coins) != int(total):
            model.problem("coins", email, f"has {coins} coins, and entries of {total}")
        if int(coins) != balances.get(email, 100):
            model.problem("coins", email, f"has {coins} coins in the database, not {balances.get(email, 100)}")
    for room, last, count, least, most in await ask(ROOMS):
        if not int(last) == int(count) == int(most) or int(least) != 1:
            model.problem("database", f"room {room}", f"last_seq is {last} of {count} chats, seq from {least} to {most}")
    for room, seq in await ask(ORDER):
        model.problem("order", f"room {room}", f"the chat of seq {seq} is not younger than the one before it")
    for path, size, digest in await ask(FILES):
        model.counts["files on disk"] += 1
        file = pathlib.Path(data, "files", path)
        if not file.exists():
            model.problem("file", path, "a row names it, and it is not there")
        elif file.stat().st_size != int(size) or hashlib.sha256(file.read_bytes()).hexdigest() != digest:
            model.problem("file", path, f"has {file.stat().st_size} bytes of {size}, or others")
