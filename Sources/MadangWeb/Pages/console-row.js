/**
 * A row of the timeline: the fields of an entry that the list shows. Bodies are left out to save memory.
 * @module
 */

import { placeKey } from "./console-places.js";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const CHAT = /"(?:chat_id|dm_id)":\s*"?([0-9a-f-]+)/;
const VERSION = /^v\d$/;
/** Files of the pages that the server has for browsers. */
const PAGE_FILE = /^\/(?:[\w.-]+\.(?:js|css|svg|png|webmanifest))?$/;
const QUOTE = 140;
const BUSY = new Set(["ping", "pong", "noop", "open", "upgrade", "close", "message"]);

/** Whether a segment of a path, or the key of a place, is an id. */
export const isId = (text) => UUID.test(text) || /^(?:[wcd]:)?\d+$/.test(text);

const cut = (text) => (text.length > QUOTE ? `${text.slice(0, QUOTE)}…` : text);

function parsed(text) {
  if (!text || text.length > 20_000) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parts of a path: ids of workspace and room as written, the room's kind, and the other segments. */
export function placeOf(path) {
  const parts = path.split("/").filter(Boolean);
  const place = { workspace: undefined, room: undefined, kind: "c", rest: [] };
  // The chat for browsers has the API below `/web`.
  if (parts[0] === "web" && VERSION.test(parts[1])) parts.shift();
  if (VERSION.test(parts[0])) parts.shift();
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index];
    const next = parts[index + 1];
    const isList = part === "channels" && next === "my" && index + 2 === parts.length;
    if (part === "workspaces" && next) {
      place.workspace = next;
      index++;
    } else if ((part === "channels" || part === "dms") && next && !isList) {
      // Rooms of edition 2024-01 may be named instead of numbered.
      [place.room, place.kind] = [decoded(next), part[0]];
      index++;
      if (place.room === "my" && parts[index + 1]) {
        place.room = decoded(parts[index + 1]);
        index++;
      }
    } else place.rest.push(part);
  }
  return place;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The key of the room of a namespace such as `/ws-channel-ID`. */
export function roomOf(namespace) {
  const found = /^\/ws-(channel|dm)-([^?]+)/.exec(namespace ?? "");
  return found ? placeKey(found[1][0], found[2]) : undefined;
}

/**
 * @param {object} entry An entry of the journal.
 * @param {string} world
 */
export function rowOf(entry, world) {
  const row = {
    world,
    number: entry.number,
    at: entry.at,
    elapsed: entry.elapsed,
    kind: entry.kind,
    person: entry.account ?? "",
    operation: entry.operation ?? "",
    status: entry.status,
    code: entry.code,
    ms: entry.milliseconds,
    fault: entry.fault?.kind,
    outcome: "ok",
    quiet: false,
    quote: "",
    edition: entry.edition,
    session: entry.session,
  };
  (KINDS[entry.kind] ?? (() => {}))(row, entry);
  if (row.fault) row.outcome = "fault";
  return row;
}

const KINDS = {
  request(row, entry) {
    row.method = entry.method;
    row.path = entry.path;
    Object.assign(row, placeFields(entry.path));
    row.quiet = entry.longPolling === true || (entry.method === "GET" && entry.status < 400 && PAGE_FILE.test(entry.path));
    if (entry.status === undefined) row.outcome = "lost";
    else if (entry.status >= 500) row.outcome = "failed";
    else if (entry.status >= 400) row.outcome = "refused";
    const { request, answer } = entry;
    if (request.body || request.parts) row.quote = quoteOf(request);
    if (answer?.body && row.outcome === "ok") {
      if (answer.body[0] === "[" && !answer.truncated) row.count = parsed(answer.body)?.length;
      if (entry.method === "POST") row.chat = CHAT.exec(answer.body)?.[1];
    }
  },

  connection(row, entry) {
    row.event = entry.event;
    row.transport = entry.transport;
    row.quote = entry.reason ?? "";
    row.quiet = entry.event === "upgraded";
    if (entry.event === "refused") row.outcome = "refused";
  },

  packet(row, entry) {
    Object.assign(row, {
      packet: entry.packet,
      event: entry.event,
      toClient: entry.direction === "toClient",
      transport: entry.transport,
    });
    row.room = roomOf(entry.namespace);
    row.namespace = entry.namespace;
    row.quiet = BUSY.has(entry.packet) || (entry.packet === "connect" && !row.toClient);
    if (entry.packet === "connectError") {
      row.outcome = "refused";
      row.quote = cut(entry.payload ?? "");
    }
    if (entry.packet !== "event") return;
    row.kind = "event";
    row.chat = CHAT.exec(entry.payload ?? "")?.[1];
    const first = parsed(entry.payload)?.[1];
    if (typeof first?.content === "string") row.quote = cut(first.content);
    if (Array.isArray(first?.files)) row.files = first.files.length;
    if (typeof first?.user?.nickname === "string") row.by = first.user.nickname;
    if (row.toClient) row.to = [[row.person, entry.session, entry.transport, entry.number]];
  },

  push(row, entry) {
    row.device = entry.deviceToken;
    const payload = parsed(entry.payload);
    row.room = payload?.channel_id
      ? placeKey("c", String(payload.channel_id))
      : payload?.room_id && placeKey("d", String(payload.room_id));
    row.workspace = payload?.workspace_id && placeKey("w", String(payload.workspace_id));
    row.quote = cut(payload?.aps?.alert?.body?.split("\n").pop() ?? "");
  },

  mail(row, entry) {
    row.quote = cut(entry.subject ?? "");
  },

  payment(row, entry) {
    row.event = entry.event;
    row.quote = entry.merchant ?? "";
    row.count = entry.amount;
    if (entry.event === "refused") row.outcome = "refused";
  },
};

function placeFields(path) {
  const { workspace, room, kind, rest } = placeOf(path);
  return {
    workspace: placeKey("w", workspace),
    room: placeKey(kind, room),
    rest: rest.map((one) => (isId(one) && one.length > 8 ? `${one.slice(0, 4)}…` : one)).join("/"),
  };
}

function quoteOf({ body, parts }) {
  if (parts) {
    const text = parts.find((one) => one.name === "content" || one.name === "name")?.text ?? "";
    const files = parts.filter((one) => one.fileName).length;
    return cut(files ? `${text}${text ? " " : ""}+${files}` : text);
  }
  const fields = parsed(body);
  if (fields) {
    const text = fields.content ?? fields.name ?? fields.email ?? fields.nickname ?? fields.deviceToken ?? "";
    return typeof text === "string" ? cut(text) : "";
  }
  const found = /(?:^|&)(?:content|name|email)=([^&]*)/.exec(body);
  return found ? cut(decoded(found[1].replaceAll("+", " "))) : "";
}
