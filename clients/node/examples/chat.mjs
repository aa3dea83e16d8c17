// A small chat client without dependencies: the client under test in the examples. Put your own in its place. It keeps the ten rules of
// docs/build-a-client.md that the tests are about.
import assert from "node:assert";
import { EventEmitter, once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

/** After so many failed connections in a row the client stops to connect again: a minute. */
const MOST_FAILURES = 300;

/** The server refused the call; `code` is such as `E05`. */
export class Refused extends Error {
  constructor(code) {
    super(code);
    this.code = code;
  }
}

/** No answer that can be read came. Perhaps the server did what was asked. */
export class Unclear extends Error {}

/** A chat with pictures, as multipart/form-data. */
function form(content, files) {
  const data = new FormData();
  data.append("content", content);
  for (const [name, bytes] of files) data.append("files", new Blob([bytes], { type: "image/png" }), name);
  return data;
}

export class Chat {
  /** The answer to the sign-in. */
  user;
  /** How long a call may take, in milliseconds. Uploads have more time. */
  timeout;
  #url;
  #key;
  #access;
  #refresh;
  #renewal;
  #rooms = new Map();
  #paths = new Map();
  #events = new EventEmitter();
  #closing = new AbortController();
  #failures = 0;

  constructor(url, key, timeout = 15_000) {
    this.#url = url;
    this.#key = key;
    this.timeout = timeout;
  }

  async signIn(email, password, deviceToken) {
    this.user = await this.#send("POST", "users/login", { email, password, deviceToken });
    ({ accessToken: this.#access, refreshToken: this.#refresh } = this.user.token);
  }

  /** The path of a channel with a name such as `Weekend/ios`. */
  async room(name) {
    if (this.#paths.has(name)) return this.#paths.get(name);
    for (const workspace of await this.call("GET", "workspaces")) {
      const path = `workspaces/${workspace.workspace_id}/channels`;
      for (const channel of await this.call("GET", path)) {
        this.#paths.set(`${workspace.name}/${channel.name}`, `${path}/${channel.channel_id}`);
      }
    }
    return this.#paths.get(name) ?? assert.fail(`there is no room ${name}`);
  }

  /** The chats of a room after a date, oldest first. */
  async chats(room, after = "") {
    return this.call("GET", `${await this.room(room)}/chats?cursor_date=${after}`);
  }

  async unread(room, after) {
    return (await this.call("GET", `${await this.room(room)}/unreads?after=${after}`)).count;
  }

  /** Posts once: if no answer comes, it looks in the history before it posts again. `files` are names and bytes of pictures. */
  async post(room, content, files = []) {
    const path = `${await this.room(room)}/chats`;
    const newest = (await this.chats(room)).at(-1)?.createdAt ?? "";
    for (let attempt = 0; attempt < 3; attempt++) {
      try {
        return await this.call("POST", path, files.length ? form(content, files) : { content });
      } catch (error) {
        if (!(error instanceof Unclear)) throw error;
        await pause(100);
        const mine = (chat) => chat.content === content && chat.user.user_id === this.user.user_id;
        const stored = (await this.chats(room, newest)).find(mine);
        if (stored) return stored;
      }
    }
    throw new Unclear(content);
  }

  /** Shows a room: its history, and each new chat as it comes. Resolves when the history is there. */
  async open(room) {
    this.#rooms.set(room, new Map());
    const open = this.#next("open", 30_000, `${room} did not open`);
    this.#listen(room);
    await open;
  }

  /** What the screen of an open room shows, oldest first. */
  texts(room) {
    return [...this.#rooms.get(room).values()].sort((a, b) => a.createdAt.localeCompare(b.createdAt)).map((chat) => chat.content);
  }

  /** Waits until an open room shows a text. */
  async waitFor(room, text, milliseconds = 30_000) {
    const end = Date.now() + milliseconds;
    const complaint = `${room} did not show '${text}' within ${milliseconds} ms`;
    while (!this.texts(room).includes(text)) await this.#next("show", Math.max(end - Date.now(), 0), complaint);
  }

  close() {
    this.#closing.abort();
  }

  #show(room, chats) {
    for (const chat of chats) this.#rooms.get(room).set(chat.chat_id, chat);
    this.#events.emit("show");
  }

  /** Connects again whenever a connection ends, and reads what it missed. */
  async #listen(room) {
    while (!this.#closing.signal.aborted && this.#failures < MOST_FAILURES) {
      await this.#connection(room).catch(() => { this.#failures += 1; });
      // With a reference, a client that was not closed would keep the process of the tests.
      await pause(200, undefined, { ref: false });
    }
  }

  /** Waits for an event of this client. Its timer keeps the process, as between two connections nothing else does. */
  async #next(event, milliseconds, complaint) {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), milliseconds);
    await once(this.#events, event, { signal: late.signal }).catch(() => assert.fail(complaint)).finally(() => clearTimeout(timer));
  }

  /** One Socket.IO connection by long-polling, until it ends or falls silent. */
  async #connection(room) {
    let path = "/socket.io/?EIO=4&transport=polling";
    const opened = JSON.parse((await this.#http("GET", path)).text.slice(1));
    path += `&sid=${opened.sid}`;
    const namespace = `/ws-channel-${(await this.room(room)).split("/").at(-1)}`;
    await this.#http("POST", path, `40${namespace},${JSON.stringify({ SesacKey: this.#key, token: this.#access })}`);
    // A server that is alive sends a ping within this time.
    const patience = opened.pingInterval + opened.pingTimeout;
    for (;;) {
      for (const packet of (await this.#http("GET", path, undefined, {}, patience)).text.split("\x1e")) {
        if (packet === "2") {
          await this.#http("POST", path, "3");
        } else if (packet.startsWith("40/")) {
          this.#failures = 0;
          this.#show(room, await this.chats(room, [...this.#rooms.get(room).values()].at(-1)?.createdAt));
          this.#events.emit("open");
        } else if (packet.startsWith("42/")) {
          this.#show(room, [JSON.parse(packet.slice(packet.indexOf(",") + 1))[1]]);
        } else if (packet !== "6") {
          // A refused or ended connection. An expired token is renewed by the next call.
          await this.call("GET", "users/me");
          throw new Unclear(packet);
        }
      }
    }
  }

  /** A call of the API. An access token that has expired is renewed, once for all calls. */
  async call(method, path, body) {
    const used = this.#access;
    try {
      return await this.#send(method, path, body);
    } catch (error) {
      if (error.code !== "E05") throw error;
    }
    if (this.#access === used) {
      this.#renewal ??= this.#send("GET", "auth/refresh").finally(() => { this.#renewal = undefined; });
      this.#access = (await this.#renewal).accessToken;
    }
    return this.#send(method, path, body);
  }

  async #send(method, path, body) {
    const headers = { SesacKey: this.#key };
    let limit = this.timeout;
    if (body instanceof FormData) {
      // The time for a large body grows with its size: 10,000 bytes a second.
      for (const file of body.getAll("files")) limit += Math.ceil(file.size / 10);
    } else {
      headers["Content-Type"] = "application/json";
      body &&= JSON.stringify(body);
    }
    if (this.#access) Object.assign(headers, { Authorization: this.#access, RefreshToken: this.#refresh });
    let answer;
    let json;
    try {
      answer = await this.#http(method, `/v1/${path}`, body, headers, limit);
      json = answer.text ? JSON.parse(answer.text) : undefined;
    } catch (cause) {
      throw new Unclear(`${method} ${path}`, { cause });
    }
    if (answer.status !== 200) throw json?.errorCode ? new Refused(json.errorCode) : new Unclear(`${method} ${path}: ${answer.status}`);
    return json;
  }

  async #http(method, path, body, headers = {}, timeout = this.timeout) {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(timeout)]);
    const answer = await fetch(this.#url + path, { method, body, headers, signal });
    return { status: answer.status, text: await answer.text() };
  }
}
