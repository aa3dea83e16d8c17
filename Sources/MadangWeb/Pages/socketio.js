/**
 * A client of Socket.IO 5 over Engine.IO 4, without dependencies.
 *
 *     const io = new SocketIO();                       // the page's own server, at /socket.io/
 *     const room = io.namespace("/ws-channel-17");     // all namespaces share one connection
 *     room.on("channel", (chat) => show(chat));
 *     room.onconnect = () => readWhatWasMissed();      // also after every reconnect: nothing is replayed
 *     room.onrefused = (message) => {};                // the server said no; it is asked again by room.connect()
 *     io.onstate = (state) => {};                      // "idle" | "connecting" | "open" | "waiting"
 *
 * It connects when the first namespace is asked for, by WebSocket; where that fails, by long-polling. After a loss it
 * connects again, with growing pauses and jitter, and joins all namespaces again. `io.wake()` ends a pause early;
 * `io.renew()` replaces a connection that may be dead.
 * Events and acknowledgements with JSON arguments work in both directions. Binary attachments do not.
 * @module
 */

/** Engine.IO packet types: the first character of each packet. */
const OPEN = "0", CLOSE = "1", PING = "2", PONG = "3", MESSAGE = "4";

/** Socket.IO packet types: the first character of each message. */
const CONNECT = "0", DISCONNECT = "1", EVENT = "2", ACK = "3", REFUSED = "4";

/** Separates packets in a long-polling body. */
const SEPARATOR = "\x1e";

/** Milliseconds: the first pause after a loss, the longest, and how long a server may take to open a session. */
const FIRST_PAUSE = 400, LONGEST_PAUSE = 30_000, OPENING = 10_000;

/** Packets that may wait for a connection. More are a mistake of the caller. */
const MOST_WAITING = 1000;

export class SocketIO {
  /** @type {(state: string) => void} */
  onstate = () => {};
  /** "idle" | "connecting" | "open" | "waiting" */
  state = "idle";

  #address;
  #namespaces = new Map();
  #transport = null;
  #losses = 0;
  #timer = 0;
  /** WebSocket failed to open, so the next attempt polls. */
  #polling = false;

  /** @param {{url?: string}} [options] `url`: of the Socket.IO server; the page's own by default */
  constructor({ url = new URL("/socket.io/", location.href).href } = {}) {
    this.#address = url;
  }

  /**
   * The namespace of this name; the same object each time. It joins at once, and again after each loss.
   * @param {string} name such as `/ws-channel-17`
   * @param {{auth?: object|(() => object)}} [options] the payload of its connect
   * @returns {Namespace}
   */
  namespace(name, options = {}) {
    let one = this.#namespaces.get(name);
    if (!one) {
      one = new Namespace(name, options.auth, (packet) => this.#send(packet), () => this.#namespaces.delete(name));
      this.#namespaces.set(name, one);
      if (this.state === "open") one.connect();
      else if (this.state === "idle") this.#open();
    }
    return one;
  }

  /** Ends a pause between two attempts: call it when the device is online or the page is seen again. */
  wake() {
    if (this.state !== "waiting") return;
    this.#losses = 0;
    this.#open();
  }

  /** Connects again: call it when the device's network has changed, since the old connection may be silently dead. */
  renew() {
    if (this.state !== "open") return this.wake();
    this.#transport.end();
    this.wake();
  }

  /** Leaves all namespaces and closes the connection. A later `namespace()` opens a new one. */
  close() {
    clearTimeout(this.#timer);
    for (const one of this.#namespaces.values()) one.lost(false);
    this.#namespaces.clear();
    this.#transport?.close();
    this.#transport = null;
    this.#set("idle");
  }

  #set(state) {
    if (this.state === state) return;
    this.state = state;
    this.onstate(state);
  }

  #open() {
    clearTimeout(this.#timer);
    this.#set("connecting");
    const Transport = this.#polling ? Polling : WebSockets;
    const transport = new Transport(this.#address, {
      opened: () => {
        if (transport !== this.#transport) return;
        this.#losses = 0;
        this.#set("open");
        for (const one of this.#namespaces.values()) one.connect();
      },
      message: (text) => {
        if (transport === this.#transport) this.#receive(text);
      },
      closed: (wasOpen) => {
        if (transport !== this.#transport) return;
        this.#transport = null;
        // Each way gets its turn: a network that lets WebSockets through may come back.
        this.#polling = wasOpen ? false : !this.#polling;
        for (const one of this.#namespaces.values()) one.lost(true);
        this.#pause();
      },
    });
    this.#transport = transport;
  }

  #pause() {
    const pause = Math.min(FIRST_PAUSE * 2 ** this.#losses++, LONGEST_PAUSE) * (0.5 + Math.random());
    this.#set("waiting");
    this.#timer = setTimeout(() => this.#open(), pause);
  }

  #send(packet) {
    if (this.state !== "open") return false;
    this.#transport.send(MESSAGE + packet);
    return true;
  }

  #receive(text) {
    const packet = parse(text);
    if (packet) this.#namespaces.get(packet.namespace)?.receive(packet);
  }
}

/** One namespace of a connection. Made by `SocketIO.namespace()`. */
class Namespace {
  /** Called when the server let this client in, after every reconnect too. @type {() => void} */
  onconnect = () => {};
  /** Called when the namespace was left: by a loss (`true`: it will be joined again) or by the server (`false`). */
  ondisconnect = (_again) => {};
  /** Called with the server's message when it does not let this client in. @type {(message: string) => void} */
  onrefused = () => {};
  /** Whether events arrive now. */
  connected = false;

  #auth;
  #send;
  #forget;
  #listeners = new Map();
  #answers = new Map();
  #lastAnswer = 0;
  #waiting = [];
  #asked = false;

  constructor(name, auth, send, forget) {
    this.name = name;
    this.#auth = auth;
    this.#send = send;
    this.#forget = forget;
  }

  /** Adds a listener of an event. A listener's answer is sent if the server asked for one. */
  on(event, listener) {
    const all = this.#listeners.get(event);
    if (all) all.push(listener);
    else this.#listeners.set(event, [listener]);
    return this;
  }

  /** Sends an event now, or as soon as the namespace is connected. */
  emit(event, ...values) {
    this.#deliver(EVENT + this.#prefix() + JSON.stringify([event, ...values]));
  }

  /** Sends an event and waits for the server's acknowledgement. It fails if the connection is lost before. */
  request(event, ...values) {
    const id = ++this.#lastAnswer;
    return new Promise((done, fail) => {
      this.#answers.set(id, { done, fail });
      this.#deliver(EVENT + this.#prefix() + id + JSON.stringify([event, ...values]));
    });
  }

  /** Asks the server to be let in. Done by itself at first and after each loss; again after a refusal if called. */
  connect() {
    if (this.connected || this.#asked) return;
    const auth = typeof this.#auth === "function" ? this.#auth() : this.#auth;
    this.#asked = this.#send(CONNECT + this.#prefix() + (auth ? JSON.stringify(auth) : ""));
  }

  /** Leaves the namespace for good. */
  close() {
    if (this.connected || this.#asked) this.#send(DISCONNECT + this.#prefix());
    this.#forget();
    this.lost(false);
  }

  /** For `SocketIO`: the connection was lost. */
  lost(again) {
    const was = this.connected;
    this.connected = this.#asked = false;
    for (const { fail } of this.#answers.values()) fail(new Error("connection lost"));
    this.#answers.clear();
    if (was) this.ondisconnect(again);
  }

  /** For `SocketIO`: a packet of this namespace. */
  receive({ type, id, data }) {
    if (type === CONNECT) {
      this.connected = true;
      this.#asked = false;
      for (const packet of this.#waiting.splice(0)) this.#send(packet);
      this.onconnect();
    } else if (type === DISCONNECT) {
      this.lost(false);
    } else if (type === REFUSED) {
      this.#asked = false;
      this.onrefused(data?.message ?? "");
    } else if (type === EVENT && Array.isArray(data)) {
      const [event, ...values] = data;
      for (const listener of this.#listeners.get(event) ?? []) {
        const answer = listener(...values);
        if (id !== null) this.#send(ACK + this.#prefix() + id + JSON.stringify(answer === undefined ? [] : [answer]));
      }
    } else if (type === ACK && Array.isArray(data)) {
      this.#answers.get(id)?.done(data[0]);
      this.#answers.delete(id);
    }
  }

  #prefix() {
    return this.name === "/" ? "" : `${this.name},`;
  }

  #deliver(packet) {
    if (this.connected && this.#send(packet)) return;
    if (this.#waiting.length >= MOST_WAITING) throw new Error("too many events wait for a connection");
    this.#waiting.push(packet);
  }
}

/**
 * Reads a Socket.IO packet: type, then `/namespace,` unless it is `/`, then an id of acknowledgement, then JSON.
 * @returns {{type: string, namespace: string, id: number|null, data: any}|null} null if it cannot be read
 */
function parse(text) {
  const parts = /^([0-4])(?:(\/[^,]*),?)?(\d+)?([^]*)$/.exec(text);
  if (!parts) return null;
  const [, type, namespace, id, json] = parts;
  try {
    return { type, namespace: namespace ?? "/", id: id === undefined ? null : Number(id), data: json ? JSON.parse(json) : null };
  } catch {
    return null;
  }
}

/** What both transports share: the session's opening, heartbeats, and one report of the end. */
class Transport {
  #events;
  #timer;
  #limit = OPENING;
  #open = false;
  #ended = false;

  constructor(events) {
    this.#events = events;
    this.#expect();
  }

  /** A packet of Engine.IO. */
  received(packet) {
    if (this.#ended) return;
    const type = packet[0];
    if (type === OPEN) {
      let session;
      try {
        session = JSON.parse(packet.slice(1));
      } catch {
        return this.end();
      }
      this.#limit = session.pingInterval + session.pingTimeout;
      this.#open = true;
      this.opened?.(session);
      this.#events.opened();
    } else if (type === PING) {
      this.send(PONG + packet.slice(1));
    } else if (type === MESSAGE) {
      this.#events.message(packet.slice(1));
    } else if (type === CLOSE) {
      return this.end();
    }
    this.#expect();
  }

  /** The connection is over. Either side may have ended it. */
  end() {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.close();
    this.#events.closed(this.#open);
  }

  get over() {
    return this.#ended;
  }

  /** A server that is silent for longer than its own heartbeat is gone. */
  #expect() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.end(), this.#limit);
  }
}

class WebSockets extends Transport {
  #socket;

  constructor(address, events) {
    super(events);
    const url = new URL(address);
    url.protocol = url.protocol.replace("http", "ws");
    url.search = "?EIO=4&transport=websocket";
    this.#socket = new WebSocket(url);
    this.#socket.onmessage = (event) => this.received(event.data);
    this.#socket.onclose = this.#socket.onerror = () => this.end();
  }

  send(packet) {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(packet);
  }

  close() {
    this.#socket.close();
  }
}

class Polling extends Transport {
  #url;
  #waiting = [];
  #posting = false;
  #abort = new AbortController();

  constructor(address, events) {
    super(events);
    this.#url = new URL(address);
    this.#url.search = "?EIO=4&transport=polling";
    this.#poll();
  }

  opened(session) {
    this.#url.searchParams.set("sid", session.sid);
  }

  send(packet) {
    this.#waiting.push(packet);
    if (!this.#posting) this.#post();
  }

  close() {
    this.#abort.abort();
  }

  async #poll() {
    try {
      while (!this.over) {
        const answer = await fetch(this.#url, { signal: this.#abort.signal, cache: "no-store" });
        if (!answer.ok) break;
        for (const packet of (await answer.text()).split(SEPARATOR)) this.received(packet);
      }
    } catch { /* the end follows */ }
    this.end();
  }

  async #post() {
    this.#posting = true;
    try {
      while (this.#waiting.length && !this.over) {
        const body = this.#waiting.splice(0).join(SEPARATOR);
        const answer = await fetch(this.#url, { method: "POST", body, signal: this.#abort.signal });
        if (!answer.ok) throw new Error(`status ${answer.status}`);
      }
    } catch {
      this.end();
    }
    this.#posting = false;
  }
}
