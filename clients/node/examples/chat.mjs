// A small chat client without dependencies: the client under test in the examples. Put your own in its place. It keeps the ten rules of
// docs/build-a-client.md that the tests are about.
import assert from "node:assert";
import { EventEmitter, once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

/** The server refused the call; `code` is such as `E05`. */
export class Refused extends Error {
  constructor(code) {
    super(code);
    this.code = code;
  }
}

/** No answer that can be read came. Perhaps the server did what was asked. */
export class Unclear extends Error {}

export class Chat {
  /** The answer to the sign-in. */
  user;
  #url;
  #key;
  #timeout;
  #access;
  #refresh;
  #renewal;
  #rooms = new Map();
  #paths = new Map();
  #events = new EventEmitter();
  #closing = new AbortController();

  constructor(url, key, timeout = 5000) {
    this.#url = url;
    this.#key = key;
    this.#timeout = timeout;
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

  /** Posts once: if no answer comes, it looks in the history before it posts again. */
  async post(room, content) {
    const path = `${await this.room(room)}/chats`;
    const newest = (await this.chats(room)).at(-1)?.createdAt ?? "";
    for (let attempt = 0; attempt < 3; attempt++) {
      try {
        return await this.call("POST", path, { content });
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
    const open = once(this.#events, "open", { signal: AbortSignal.timeout(10_000) });
    this.#listen(room);
    await open;
  }

  /** What the screen of an open room shows, oldest first. */
  texts(room) {
    return [...this.#rooms.get(room).values()].sort((a, b) => a.createdAt.localeCompare(b.createdAt)).map((chat) => chat.content);
  }

  /** Waits until an open room shows a text. */
  async waitFor(room, text, milliseconds = 10_000) {
    const signal = AbortSignal.timeout(milliseconds);
    while (!this.texts(room).includes(text)) await once(this.#events, "show", { signal });
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
    while (!this.#closing.signal.aborted) {
      await this.#connection(room).catch(() => pause(200));
    }
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
    const headers = { SesacKey: this.#key, "Content-Type": "application/json" };
    if (this.#access) Object.assign(headers, { Authorization: this.#access, RefreshToken: this.#refresh });
    let answer;
    let json;
    try {
      answer = await this.#http(method, `/v1/${path}`, body && JSON.stringify(body), headers);
      json = answer.text ? JSON.parse(answer.text) : undefined;
    } catch (cause) {
      throw new Unclear(`${method} ${path}`, { cause });
    }
    if (answer.status !== 200) throw json?.errorCode ? new Refused(json.errorCode) : new Unclear(`${method} ${path}: ${answer.status}`);
    return json;
  }

  async #http(method, path, body, headers = {}, timeout = this.#timeout) {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(timeout)]);
    const answer = await fetch(this.#url + path, { method, body, headers, signal });
    return { status: answer.status, text: await answer.text() };
  }
}
