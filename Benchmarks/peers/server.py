#!/usr/bin/env python3
"""The part of the chat that the benchmarks use, as one writes it with aiohttp, python-socketio and SQLite: `server.py PORT DATABASE`.

Edition 2024-10's posting, history and fan-out over Socket.IO. Every chat is on disk before it is answered (WAL, synchronous=FULL).
The database holds the tables of server.sql, with people, rooms and tokens. Listens on loopback only.
"""

import asyncio
import sys
import time
import uuid
from datetime import datetime, timezone

import aiosqlite
import socketio
from aiohttp import web

MEMBER = """SELECT u.*, r.id AS room_id, r.uuid AS room_uuid, r.name AS room_name FROM tokens t JOIN users u ON u.id = t.user_id
  JOIN members m ON m.user_id = u.id JOIN rooms r ON r.id = m.room_id WHERE t.token = ? AND r.uuid = ?"""
ADVANCE = "UPDATE rooms SET last_chat_at = MAX(last_chat_at + 1, ?) WHERE id = ? RETURNING last_chat_at"
INSERT = "INSERT INTO chats (uuid, room_id, author_id, content, created_at) VALUES (?, ?, ?, ?, ?)"
HISTORY = """SELECT c.uuid AS chat_uuid, c.content, c.created_at, u.* FROM chats c JOIN users u ON u.id = c.author_id
  WHERE c.room_id = ? AND c.created_at > ? ORDER BY c.created_at LIMIT 500"""

sio = socketio.AsyncServer(async_mode="aiohttp", namespaces="*")
routes = web.RouteTableDef()


def iso(milliseconds):
    moment = datetime.fromtimestamp(milliseconds // 1000, timezone.utc)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03}Z"


def chat_json(room, chat, person):
    return {
        "channel_id": room["room_uuid"],
        "channelName": room["room_name"],
        "chat_id": chat["chat_uuid"],
        "content": chat["content"],
        "createdAt": iso(chat["created_at"]),
        "files": [],
        "user": {
            "user_id": person["uuid"],
            "email": person["email"],
            "nickname": person["nickname"],
            "profileImage": person["profile_image"],
        },
    }


async def first(database, sql, values):
    async with database.execute(sql, values) as cursor:
        return await cursor.fetchone()


async def member(request):
    token = request.headers.get("Authorization", "")
    found = await first(request.app["reader"], MEMBER, (token, request.match_info["channel"]))
    if not found:
        raise web.HTTPBadRequest(text='{"errorCode":"E13"}', content_type="application/json")
    return found


@routes.post("/v1/workspaces/{workspace}/channels/{channel}/chats")
async def post(request):
    room = await member(request)
    content = (await request.json())["content"]
    chat = {"chat_uuid": str(uuid.uuid4()), "content": content}
    database = request.app["writer"]
    # One connection writes, so one chat after the other; its lock keeps transactions apart.
    async with request.app["writing"]:
        row = await first(database, ADVANCE, (time.time_ns() // 1_000_000, room["room_id"]))
        chat["created_at"] = row["last_chat_at"]
        await database.execute(INSERT, (chat["chat_uuid"], room["room_id"], room["id"], content, chat["created_at"]))
        await database.commit()
        answer = chat_json(room, chat, room)
        await sio.emit("channel", answer, namespace=f"/ws-channel-{room['room_uuid']}")
    return web.json_response(answer)


@routes.get("/v1/workspaces/{workspace}/channels/{channel}/chats")
async def history(request):
    room = await member(request)
    cursor = request.query.get("cursor_date", "1970-01-01T00:00:00.000Z")
    after = round(datetime.fromisoformat(cursor).timestamp() * 1000)
    async with request.app["reader"].execute(HISTORY, (room["room_id"], after)) as rows:
        return web.json_response([chat_json(room, row, row) async for row in rows])


@sio.on("connect", namespace="*")
async def connect(namespace, sid, environ, auth):
    channel = namespace.removeprefix("/ws-channel-")
    return bool(await first(app["reader"], MEMBER, ((auth or {}).get("token", ""), channel)))


async def with_database(application):
    application["writing"] = asyncio.Lock()
    for name in ("writer", "reader"):
        database = await aiosqlite.connect(sys.argv[2])
        database.row_factory = aiosqlite.Row
        await database.execute("PRAGMA journal_mode = WAL")
        await database.execute("PRAGMA synchronous = FULL")
        application[name] = database
    yield
    for name in ("writer", "reader"):
        await application[name].close()


app = web.Application()
app.add_routes(routes)
app.cleanup_ctx.append(with_database)
sio.attach(app)
web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), access_log=None, print=None, shutdown_timeout=1)
