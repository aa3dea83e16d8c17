#!/usr/bin/env node
// The part of the chat that the benchmarks use, as one writes it with express, ws and PostgreSQL: `server.js PORT DATABASE_URL`.
//
// Edition 2024-10's posting, history and fan-out; sockets are plain WebSockets, as Debian packages no Socket.IO server. Every chat is on
// disk before it is answered. The database holds the tables of server.sql, with people, rooms and tokens. Loopback only.
'use strict';
const { randomUUID } = require('crypto');
const http = require('http');
const express = require('express');
const { WebSocketServer, WebSocket } = require('ws');
const { Pool, types } = require('pg');

types.setTypeParser(types.builtins.INT8, Number);
const pool = new Pool({ connectionString: process.argv[3], max: 8 });
// Statements with a name are prepared once per connection.
const MEMBER = { name: 'member', text: `
  SELECT u.*, r.id AS room_id, r.uuid AS room_uuid, r.name AS room_name FROM tokens t JOIN users u ON u.id = t.user_id
  JOIN members m ON m.user_id = u.id JOIN rooms r ON r.id = m.room_id WHERE t.token = $1 AND r.uuid = $2` };
const ADVANCE = { name: 'advance', text: `
  UPDATE rooms SET last_chat_at = GREATEST(last_chat_at + 1, $1) WHERE id = $2 RETURNING last_chat_at` };
const INSERT = { name: 'insert', text: `
  INSERT INTO chats (uuid, room_id, author_id, content, created_at) VALUES ($1, $2, $3, $4, $5)` };
const HISTORY = { name: 'history', text: `
  SELECT c.uuid AS chat_uuid, c.content, c.created_at, u.* FROM chats c JOIN users u ON u.id = c.author_id
  WHERE c.room_id = $1 AND c.created_at > $2 ORDER BY c.created_at LIMIT 500` };

const query = (client, statement, ...values) => client.query({ ...statement, values }).then((result) => result.rows);
const sockets = new Map(); // of each room

function chatJSON(room, chat, person) {
  return {
    channel_id: room.room_uuid,
    channelName: room.room_name,
    chat_id: chat.chat_uuid,
    content: chat.content,
    createdAt: new Date(chat.created_at).toISOString(),
    files: [],
    user: { user_id: person.uuid, email: person.email, nickname: person.nickname, profileImage: person.profile_image },
  };
}

async function transaction(work) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

function broadcast(channel, text) {
  for (const socket of sockets.get(channel) ?? []) {
    if (socket.readyState === WebSocket.OPEN) socket.send(text);
  }
}

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.use(express.json());
app.use('/v1/workspaces/:workspace/channels/:channel', async (request, response, next) => {
  try {
    [request.room] = await query(pool, MEMBER, request.get('Authorization') ?? '', request.params.channel);
    if (request.room) next();
    else response.status(400).json({ errorCode: 'E13' });
  } catch (error) {
    next(error);
  }
});

app.post('/v1/workspaces/:workspace/channels/:channel/chats', async (request, response, next) => {
  const { room } = request;
  const chat = { chat_uuid: randomUUID(), content: request.body.content };
  try {
    await transaction(async (client) => {
      const [row] = await query(client, ADVANCE, Date.now(), room.room_id);
      chat.created_at = row.last_chat_at;
      await query(client, INSERT, chat.chat_uuid, room.room_id, room.id, chat.content, chat.created_at);
    });
  } catch (error) {
    next(error);
    return;
  }
  const answer = chatJSON(room, chat, room);
  broadcast(room.room_uuid, JSON.stringify(answer));
  response.json(answer);
});

app.get('/v1/workspaces/:workspace/channels/:channel/chats', async (request, response, next) => {
  const { room } = request;
  try {
    const rows = await query(pool, HISTORY, room.room_id, Date.parse(request.query.cursor_date ?? '1970-01-01'));
    response.json(rows.map((row) => chatJSON(room, row, row)));
  } catch (error) {
    next(error);
  }
});

// GET /sockets?channel=ID&token=TOKEN
const server = http.createServer(app);
const upgrades = new WebSocketServer({ noServer: true });
server.on('upgrade', async (request, socket, head) => {
  const { searchParams } = new URL(request.url, 'http://127.0.0.1');
  const channel = searchParams.get('channel');
  const [room] = await query(pool, MEMBER, searchParams.get('token'), channel).catch(() => []);
  if (!room) {
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    return;
  }
  upgrades.handleUpgrade(request, socket, head, (opened) => {
    if (!sockets.has(channel)) sockets.set(channel, new Set());
    sockets.get(channel).add(opened);
    opened.on('close', () => sockets.get(channel).delete(opened));
  });
});
server.listen(Number(process.argv[2]), '127.0.0.1', 4096);
