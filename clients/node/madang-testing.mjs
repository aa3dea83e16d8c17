/**
 * Tests of chat clients against Madang, by node's own test runner: each test gets a server of its own, with people, a clock,
 * faults and a journal. madang-testing.d.ts has the types and says what each call promises.
 * @module
 */

import { AssertionError } from "node:assert";
import { AsyncLocalStorage } from "node:async_hooks";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";

/** The longest time that a call may take, in milliseconds. The server ends waiting calls after 60 s. */
const WAIT = 75_000;
/** How long a server may take to say that it is there when it is looked for, in milliseconds. */
const FIND = 30_000;
/** How long it may take to say so after a call without an answer, in milliseconds. */
const ABOUT = 5_000;
/** How long a server may take to end after the signal TERM, in seconds. Then it is killed. */
const PATIENCE = 15;
/** The most entries of one answer. */
const PAGE = 20_000;
/** How many of the newest entries a report shows; the file has all. */
const SHOWN = 100;
/** How long a world outlives a runner that was killed. */
const LEASE = "10m";
/** The most bytes of a test's name in the name of a file. */
const LONGEST = 150;

export class MadangError extends Error {
  constructor(text, { status, code, body = "", cause } = {}) {
    super(text, { cause });
    Object.assign(this, { name: "MadangError", status, code, body });
  }
}

// MARK: Options

/** How many letters must be added, removed or replaced to make one text of another. */
function distance(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const letter of one) {
    const next = [row[0] + 1];
    for (let index = 0; index < other.length; index++) {
      next.push(Math.min(next[index] + 1, row[index + 1] + 1, row[index] + (letter === other[index] ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1);
}

/** The name that was probably meant, or undefined. */
function nearest(name, names) {
  const ranked = names.map((one) => [distance(name.toLowerCase(), one.toLowerCase()), one]).sort(([one], [other]) => one - other);
  return ranked[0][0] <= Math.max(1, name.length / 3) ? ranked[0][1] : undefined;
}

/** The options of a call, completed by defaults. The call has no others: without an error a misspelt one would do nothing. */
function options(call, chosen, defaults) {
  const names = Object.keys(defaults);
  if (typeof chosen !== "object" || chosen === null) {
    throw new TypeError(`${call} takes its options by name: write { ${names[0]}: ... }, not ${shown(chosen)}`);
  }
  const unknown = Object.keys(chosen).find((name) => !Object.hasOwn(defaults, name));
  if (unknown !== undefined) {
    const meant = nearest(unknown, names);
    const question = meant === undefined ? "" : ` Did you mean '${meant}'?`;
    throw new TypeError(`${call} has no option '${unknown}'.${question} Its options: ${names.join(", ")}`);
  }
  return { ...defaults, ...given(chosen) };
}

const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value));
const given = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

// MARK: Texts of clients and servers

/** Control characters, separators of lines, signs that change the direction of text, and halves of pairs of UTF-16. */
const UNSAFE = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\p{Cs}]/gu;

/** A text in one line of a report, which a client cannot forge: its control characters are written as `\u001b`. */
const printable = (text) => String(text).replace(UNSAFE, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);

// MARK: Time

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A duration in whole milliseconds. */
export function milliseconds(duration) {
  const parts = typeof duration === "string" ? /^([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|d|w)$/.exec(duration) : undefined;
  const value = parts ? Number(parts[1]) * UNITS[parts[2]] : typeof duration === "number" ? duration * 1000 : NaN;
  if (!(value >= 0 && value < Infinity)) {
    const given = typeof duration === "string" ? `'${duration}'` : String(duration);
    throw new TypeError(`${given} is not a duration: write 500ms, 5s, 10m, 25h or 30d, or a number of seconds`);
  }
  return Math.round(value);
}

const durationText = (duration) => `${milliseconds(duration)}ms`;
const moment = (date) => (date instanceof Date ? date.toISOString() : date);

// MARK: HTTP

/** A call that got no answer, with node's `code`. The message names the call. */
class NoAnswer extends Error {}

/** Sends a request without proxies and without following redirects. A failure of the network is `NoAnswer`. */
function send(method, url, path, { headers = {}, body, timeout = WAIT } = {}) {
  return new Promise((resolve, reject) => {
    const fail = (cause) => {
      clearTimeout(timer);
      const words = cause.code === "ETIMEDOUT" ? cause.message : `no answer: ${cause.message || cause.code}`;
      reject(Object.assign(new NoAnswer(`${method} /${path}: ${words}`, { cause }), { code: cause.code }));
    };
    const request = (url.startsWith("https:") ? https : http).request(`${url}/${path}`, { method, headers, agent: false }, (response) => {
      const parts = [];
      response.on("data", (part) => parts.push(part));
      response.on("error", fail);
      response.on("end", () => {
        clearTimeout(timer);
        const text = Buffer.concat(parts).toString();
        resolve({ status: response.statusCode, headers: response.headers, text, json: () => (text ? JSON.parse(text) : undefined) });
      });
    });
    // A request's own limit does not count the time to connect.
    const timer = setTimeout(() => request.destroy(
      Object.assign(new Error(`no answer within ${timeout / 1000} s`), { code: "ETIMEDOUT" })), timeout);
    request.on("error", fail);
    request.end(body);
  });
}

function withQuery(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  if (!given.length) return path;
  return `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

function refuse(call, { status, headers, text }) {
  let said;
  try {
    said = JSON.parse(text);
  } catch {
    said = undefined;
  }
  if (typeof said?.error === "string") {
    throw new MadangError(printable(said.error), { status, code: /\((E\d\d)\)$/.exec(said.error)?.[1], body: text });
  }
  if (typeof said?.errorCode === "string") {
    const why = headers["x-madang-explanation"] ?? said.errorCode;
    throw new MadangError(`${call}: ${status} ${printable(why)}`, { status, code: said.errorCode, body: text });
  }
  throw new MadangError(`${call}: ${status} ${printable(text.slice(0, 1000))}`.trimEnd(), { status, body: text });
}

/** A development call: its JSON, or its text if it is not JSON. `accept` are statuses that are no errors. */
async function develop(server, method, path, body, chosen, timeout) {
  const { query, headers, accept } = options("dev", chosen, { query: undefined, headers: {}, accept: [] });
  const data = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const length = data === undefined ? {} : { "Content-Length": Buffer.byteLength(data) };
  const call = `${method} /_dev/${path}`;
  const answer = await send(method, server.url, `_dev/${withQuery(path, query)}`, {
    headers: { ...server.headers, ...length, ...headers }, body: data, timeout,
  });
  if (answer.status !== 200 && !accept.includes(answer.status)) refuse(call, answer);
  if (!answer.headers["content-type"]?.startsWith("application/json")) return answer.text;
  try {
    return answer.json();
  } catch (cause) {
    throw new MadangError(`${call}: the answer is cut or is not JSON: ${printable(answer.text.slice(-100))}`, { cause });
  }
}

const segment = encodeURIComponent;
/** `workspaces` for `workspaces`, `/workspaces` and `/v1/workspaces`. */
const belowVersion = (path) => path.replace(/^\/+/, "").replace(/^v1\//, "");

// MARK: Clients and people

export class Client {
  #url;
  #headers;

  constructor(url, headers, edition) {
    this.#url = url;
    this.#headers = headers;
    Object.assign(this, { edition, user: {}, accessToken: "", refreshToken: "" });
  }

  async signIn(email, password) {
    const { token, accessToken, refreshToken, ...user } = await this.post("users/login", { email, password });
    // The edition 2024-01 has the tokens beside the other fields.
    Object.assign(this, token ?? { accessToken, refreshToken }, { user });
  }

  get(path, chosen) { return this.#read("GET", path, undefined, chosen); }
  post(path, json, chosen) { return this.#read("POST", path, json, chosen); }
  put(path, json, chosen) { return this.#read("PUT", path, json, chosen); }
  delete(path, chosen) { return this.#read("DELETE", path, undefined, chosen); }

  async request(method, path, json, chosen = {}) {
    const { query, headers, timeout } = options("request", chosen, { query: undefined, headers: {}, timeout: undefined });
    const body = json === undefined ? undefined : JSON.stringify(json);
    const sent = body === undefined ? {} : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
    if (this.accessToken) sent.Authorization = this.accessToken;
    return send(method, this.#url, `v1/${withQuery(belowVersion(path), query)}`, {
      headers: { ...this.#headers, ...sent, ...headers }, body, timeout,
    });
  }

  async #read(method, path, json, chosen) {
    const answer = await this.request(method, path, json, chosen);
    if (answer.status < 200 || answer.status > 299) refuse(`${method} /v1/${belowVersion(path)}`, answer);
    return answer.json();
  }
}

export class Person {
  #develop;

  constructor(develop, who, account = {}) {
    this.#develop = develop;
    Object.assign(this, { who, ...account });
  }

  async post(text, chosen = {}) {
    return this.#act("post", { text, ...options("post", chosen, { in: undefined, files: 0 }) });
  }
  async write(text, chosen = {}) {
    const message = options("write", chosen, { to: undefined, in: undefined, files: 0 });
    if (message.to === undefined) throw new TypeError('write needs a receiver: write { to: "joon" }');
    return this.#act("post", { text, ...message });
  }
  async join(place) { await this.#act("join", { in: place }); }
  async leave(place) { await this.#act("leave", { in: place }); }

  async call(method, path, body, chosen = {}) {
    const { edition } = options("call", chosen, { edition: "2024-10" });
    return this.#develop(method, `people/${segment(this.who)}/v1/${belowVersion(path)}`, body, { query: { edition } });
  }

  #act(act, body) { return this.#develop("POST", `people/${segment(this.who)}/${act}`, body); }
}

// MARK: Parts of a world

class Clock {
  #develop;

  constructor(develop) { this.#develop = develop; }

  async now() { return new Date((await this.#develop("GET", "clock")).now); }
  async rate() { return (await this.#develop("GET", "clock")).rate; }
  async advance(by) { await this.#develop("POST", "clock", { advance: milliseconds(by) / 1000 }); }
  async set(date) { await this.#develop("POST", "clock", { set: moment(date) }); }
  async freeze() { await this.#develop("POST", "clock", { freeze: true }); }
  async resume() { await this.#develop("POST", "clock", { resume: true }); }
  async run(at) { await this.#develop("POST", "clock", { rate: at }); }
}

const EFFECTS = new Set(["bytes", "bytesPerSecond", "status", "code", "body", "contentType", "retryAfter", "after", "count",
  "closeCode", "message", "overtaken"]);

class Faults {
  #develop;

  constructor(develop) { this.#develop = develop; }

  async add(kind, { time, jitter, until, match = {}, ...fields } = {}) {
    const effect = given({
      kind, milliseconds: time === undefined ? undefined : milliseconds(time),
      jitter: jitter === undefined ? undefined : milliseconds(jitter),
    });
    const matched = given({ ...match, until: moment(until) });
    for (const [name, value] of Object.entries(given(fields))) (EFFECTS.has(name) ? effect : matched)[name] = value;
    const { id } = await this.#develop("POST", "faults", { match: matched, effect });
    return { id, kind, effect, match: matched, matched: 0, applied: 0 };
  }

  async rules() {
    const { faults } = await this.#develop("GET", "faults");
    return faults.map((rule) => ({ ...rule, kind: rule.effect.kind }));
  }

  async remove(fault) { await this.#develop("DELETE", `faults/${fault.id ?? fault}`); }
  async removeAll() { await this.#develop("DELETE", "faults"); }
}

class Scripts {
  #develop;

  constructor(develop) { this.#develop = develop; }

  async add(script) { await this.#develop("POST", "scripts", typeof script === "string" ? script : JSON.stringify(script)); }
  list() { return this.#develop("GET", "scripts"); }
  async start(name) { await this.#develop("POST", `scripts/${segment(name)}/start`); }
  async stop(name) { await this.#develop("POST", `scripts/${segment(name)}/stop`); }
  async remove(name) { await this.#develop("DELETE", `scripts/${segment(name)}`); }
  finished(name, chosen) { return this.#waited("finished", name, undefined, chosen); }
  ran(name, runs, chosen) { return this.#waited("ran", name, runs, chosen); }

  async #waited(call, name, runs, chosen = {}) {
    const { within, allowingFailures } = options(call, chosen, { within: "5s", allowingFailures: false });
    const run = await this.#develop("GET", `scripts/${segment(name)}`, undefined, { query: { wait: durationText(within), runs } });
    const isOver = ["ended", "stopped"].includes(run.state) && run.underWay === 0;
    if (run.failures.length && !allowingFailures) {
      throw new MadangError(
        `${run.failed} of ${run.runs} runs of the script '${name}' failed, the first one: ${printable(run.failures[0].error)}`);
    }
    if (!(runs === undefined ? isOver : run.runs >= runs)) {
      throw new MadangError(
        `the script '${name}' did not end within ${within}: it is ${run.state}, ${run.runs} runs have ended, ` +
        `${run.underWay} still run. Pauses follow the world's clock: does it stand still?`);
    }
    return run;
  }
}

class Sockets {
  #develop;

  constructor(develop) { this.#develop = develop; }

  async list(chosen = {}) {
    const { account, ...wait } = options("list", chosen, { account: undefined, within: undefined, count: 1 });
    return this.#develop("GET", "sockets", undefined, { query: { account, ...waiting(wait) } });
  }

  async cut(which = {}) {
    const { account, session } = options("cut", which, { account: undefined, session: undefined });
    if ((account === undefined) === (session === undefined)) throw new TypeError("name either an account or a session");
    if (session !== undefined) {
      await this.#develop("DELETE", `sockets/${segment(session)}`);
      return 1;
    }
    return (await this.#develop("DELETE", "sockets", undefined, { query: { account } })).cut;
  }
}

const hasJSON = (filter) => filter.body !== undefined || filter.answer !== undefined;

class Journal {
  #develop;
  #host;

  constructor(develop, url) {
    this.#develop = develop;
    this.#host = new URL(url).host;
  }

  async entries(filter = {}, chosen = {}) {
    let { after } = options("entries", chosen, { after: 0 });
    if (hasJSON(filter)) return this.#numbered((await this.#outcome(filter, 0, after, 0)).matched[0].entries);
    const found = [];
    for (;;) {
      const page = await this.#page(filter, { after, limit: PAGE });
      found.push(...page.entries);
      if (page.entries.length < PAGE) return found;
      after = page.last;
    }
  }

  async wait(filter = {}, chosen = {}) {
    const { within, count, after } = options("wait", chosen, { within: "5s", count: 1, after: 0 });
    const found = hasJSON(filter)
      ? await this.#numbered((await this.#outcome(filter, count, after, within)).matched[0].entries)
      : (await this.#page(filter, { after, limit: PAGE, wait: durationText(within), count })).entries;
    if (found.length < count) {
      const wanted = Object.entries(filter).map(([name, value]) => `${name} ${shown(value)}`).join(", ") || "any entry";
      throw failure(`came ${found.length} of ${count} times within ${within}: ${wanted}`, this.wait);
    }
    return found;
  }

  async last() { return (await this.#develop("POST", "journal", {})).last; }
  async clear() { await this.#develop("DELETE", "journal"); }

  // The archive's URLs begin with the host that was asked.
  har() { return this.#develop("GET", "journal", undefined, { query: { format: "har", limit: PAGE }, headers: { Host: this.#host } }); }

  async lines() { return (await this.entries()).map((entry) => `${JSON.stringify(entry)}\n`).join(""); }

  #page(filter, more) { return this.#develop("GET", "journal", undefined, { query: { ...filter, ...more } }); }

  /** Only expectations look into bodies. */
  #outcome(filter, count, after, within) {
    const question = { expected: [{ ...filter, times: { min: count } }], after, wait: durationText(within) };
    return this.#develop("POST", "expect", question, { accept: [409] });
  }

  async #numbered(numbers) {
    if (!numbers.length) return [];
    const wanted = new Set(numbers);
    return (await this.entries({}, { after: Math.min(...numbers) - 1 })).filter((entry) => wanted.has(entry.number));
  }
}

/** The error of a failed test, with the stack of the caller. */
function failure(message, stackStartFn) {
  return new AssertionError({ message, operator: "expect", stackStartFn });
}

// MARK: Expectations

export const times = (count, filter) => ({ filter, times: { min: count, max: count } });
export const once = (filter) => times(1, filter);
export const atLeast = (count, filter) => ({ filter, times: { min: count } });
export const atMost = (count, filter) => ({ filter, times: { min: 0, max: count } });
export const never = (filter) => times(0, filter);
export function spaced(expected, limits) {
  const spacing = given(options("spaced", limits, { atLeast: undefined, atMost: undefined }));
  return { ...expected, spacing: Object.fromEntries(Object.entries(spacing).map(([name, time]) => [name, durationText(time)])) };
}

// MARK: Worlds

export class World {
  #server;
  #made;
  #connection;
  #removed = false;

  constructor(server, made, connection) {
    this.#server = server;
    this.#made = made;
    this.#connection = connection;
    const develop = (...call) => this.dev(...call);
    Object.assign(this, {
      clock: new Clock(develop), faults: new Faults(develop), scripts: new Scripts(develop), sockets: new Sockets(develop),
      journal: new Journal(develop, this.url),
    });
  }

  get id() { return this.#made.id; }
  get name() { return this.#made.name; }
  get number() { return this.#made.number ?? undefined; }
  get url() { return this.#connection.headers.Host ? `http://${this.#connection.headers.Host}` : this.#connection.url; }
  get server() { return this.#server; }
  now() { return this.clock.now(); }

  key(edition = "2024-10") {
    const key = this.#made.keys[edition];
    if (!key) throw new MadangError(`there is no edition '${edition}': there are ${Object.keys(this.#made.keys).join(", ")}`);
    return key;
  }

  dev(method, path, body, chosen) {
    return this.#server.dev(method, `worlds/${segment(this.id)}${path ? `/${path}` : ""}`, body, chosen);
  }

  async remove() {
    if (this.#removed) return;
    this.#server.forget(this);
    try {
      await this.dev("DELETE", "");
    } catch (refusal) {
      // It has ended before, perhaps by its lease.
      if (refusal.status !== 400) throw refusal;
    }
    this.#removed = true;
  }

  [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() { return this.remove(); }

  person(who) { return new Person((...call) => this.dev(...call), who); }

  async people() {
    const found = [];
    for (;;) {
      const page = await this.dev("GET", "people", undefined, { query: { after: found.at(-1)?.number } });
      found.push(...page.map((account) => new Person((...call) => this.dev(...call), account.email, account)));
      if (page.length < 1000) return found;
    }
  }

  async signIn(email, chosen = {}) {
    const { password, edition } = options("signIn", chosen, { password: "Passw0rd!", edition: "2024-10" });
    const whole = String(email).includes("@") ? email : (await this.person(email).call("GET", "users/me")).email;
    const headers = { ...this.#connection.headers, SesacKey: this.key(edition) };
    const client = new Client(this.#connection.url, headers, edition);
    await client.signIn(whole, password);
    return client;
  }

  async reset(chosen = {}) { await this.dev("POST", "reset", pauseOf("reset", chosen)); }
  async snapshot(name) { await this.dev("POST", "snapshots", { name }); }
  async restore(name, chosen = {}) { await this.dev("POST", `snapshots/${segment(name)}/restore`, pauseOf("restore", chosen)); }
  snapshots() { return this.dev("GET", "snapshots"); }
  async removeSnapshot(name) { await this.dev("DELETE", `snapshots/${segment(name)}`); }
  exportSeed() { return this.dev("GET", "seed"); }
  async restart(chosen = {}) {
    const { downFor } = options("restart", chosen, { downFor: "2s" });
    await this.dev("POST", "restart", { milliseconds: milliseconds(downFor) });
  }

  async expect(expected, chosen = {}) {
    const { inOrder, only, among, after, within, settling } = options("expect", chosen,
      { inOrder: false, only: false, among: undefined, after: 0, within: "5s", settling: 0 });
    if (!Array.isArray(expected)) throw new TypeError("expect takes a list: write world.expect([once(...)])");
    if (!expected.every((item) => item?.filter)) throw new TypeError("expect takes items such as once({ operation: \"me\" })");
    const question = given({
      expected: expected.map(({ filter, ...limits }) => ({ ...filter, ...limits })), order: inOrder ? "strict" : "any", only, among,
      after, wait: durationText(within), settle: durationText(settling),
    });
    const outcome = await this.dev("POST", "expect", question, { accept: [409] });
    if (!outcome.met) throw failure(outcome.differences.map(printable).join("\n"), this.expect);
  }

  async review(chosen = {}) {
    const query = options("review", chosen, { account: undefined, after: 0 });
    const { findings } = await this.dev("GET", "review", undefined, { query });
    return findings.map(({ calls, ...finding }) => ({ ...finding, entries: calls }));
  }
  async expectPolite(chosen = {}) {
    const findings = await this.review(options("expectPolite", chosen, { account: undefined, after: 0 }));
    if (findings.length) throw failure(findings.map(sentence).join("\n"), this.expectPolite);
  }
  coverage() { return this.dev("GET", "coverage"); }

  async pay(amount, merchantUid, chosen = {}) {
    const { status } = options("pay", chosen, { status: "paid" });
    return (await this.dev("POST", "payments", { merchant_uid: merchantUid, amount, status })).imp_uid;
  }
  async socialToken(provider, subject, chosen = {}) {
    const person = options("socialToken", chosen, { email: undefined, nickname: undefined });
    return (await this.dev("POST", "social-tokens", { provider, subject, ...person })).token;
  }
  async mails(chosen = {}) {
    const { to, after, ...wait } = options("mails", chosen, { to: undefined, after: 0, within: undefined, count: 1 });
    return this.dev("GET", "mails", undefined, { query: { to, after, ...waiting(wait) } });
  }
  async pushes(chosen = {}) {
    const { after, ...wait } = options("pushes", chosen, { after: 0, within: undefined, count: 1 });
    return this.dev("GET", "pushes", undefined, { query: { after, ...waiting(wait) } });
  }
}

function sentence({ habit, account, what, entries, cure }) {
  const numbers = entries.slice(0, 5).join(", ") + (entries.length > 5 ? ` and ${entries.length - 5} more` : "");
  return printable(`${habit}${account ? ` of ${account}` : ""}: ${what} (entries ${numbers}). Instead: ${cure}`);
}

const waiting = ({ within, count }) => (within === undefined ? {} : { wait: durationText(within), count });

/** How long calls in progress may go on, in the server's words. */
function pauseOf(call, chosen) {
  const { wait } = options(call, chosen, { wait: undefined });
  return wait === undefined ? {} : { wait: durationText(wait) };
}

/** A connection to a world: at its own port, or by host name at the server's port where only that is published. */
function reachable(server, made) {
  const { hostname, port } = new URL(made.url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port || 80) });
    const end = (isOpen) => {
      socket.destroy();
      resolve(isOpen ? { url: made.url, headers: {} }
        : { url: server.url, headers: { Host: `${made.id}.localhost:${new URL(server.url).port || 80}` } });
    };
    // After a pause of this process a timer comes before the events of a socket that is open by then.
    socket.setTimeout(2000, () => setImmediate(() => end(false)));
    socket.on("connect", () => end(true));
    socket.on("error", () => end(false));
  });
}

// MARK: Forgotten awaits

/** The calls of the running test: a set in the body of a test, undefined elsewhere and within calls of the kit. */
const noted = new AsyncLocalStorage();

/** The promise of a call, which knows whether the test waits for it. An `await` calls `then`, as this is a class of its own. */
class Call extends Promise {
  static get [Symbol.species]() { return Promise; }

  then(...handlers) {
    this.isAwaited = true;
    return super.then(...handlers);
  }
}

const framesOf = (error) => error.stack.slice(error.stack.indexOf("\n    at "));

/** Lets the stack of an error end with the line of the test, which V8 does not know for an `await` of a class of its own. */
function showCaller(error, frames) {
  const [caller] = frames.trimStart().split("\n");
  if (typeof error?.stack === "string" && !error.stack.includes(caller)) error.stack += frames;
}

/** Notes the calls of a class, so that a test fails whose body ends without waiting for them. */
function note(type, path) {
  for (const [method, { value: run }] of Object.entries(Object.getOwnPropertyDescriptors(type.prototype))) {
    if (method === "constructor" || typeof run !== "function") continue;
    type.prototype[method] = function noting(...values) {
      const calls = noted.getStore();
      const outcome = noted.run(undefined, () => run.apply(this, values));
      if (!calls || !(outcome instanceof Promise)) return outcome;
      const entry = { name: `${path}.${method}`, outcome, site: {} };
      Error.captureStackTrace(entry.site, noting);
      calls.add(entry);
      outcome.then(() => calls.delete(entry), (error) => {
        entry.hasFailed = true;
        showCaller(error, framesOf(entry.site));
      });
      entry.call = new Call((resolve) => resolve(outcome));
      // Otherwise node reports a failure that the test does not wait for as that of another test; `settle` reports it.
      Promise.prototype.then.call(entry.call, undefined, () => {});
      return entry.call;
    };
  }
}

for (const [path, type] of Object.entries({
  "world": World, "world.clock": Clock, "world.faults": Faults, "world.scripts": Scripts, "world.sockets": Sockets,
  "world.journal": Journal, "world.person(...)": Person, "client": Client,
})) note(type, path);

/** The calls that a body has not waited for. */
const forgotten = (calls) => [...calls].filter(({ call, hasFailed }) => !(hasFailed && call.isAwaited));

/** What the test should do about a forgotten call. */
const words = ({ name, call }) => (call.isAwaited ? `${name} had not ended when the test ended: write 'await' before all that waits for it`
  : `${name} was not awaited: write 'await'`);

/** Waits for the forgotten calls of a body that has ended, and fails if there are any. */
async function settle(calls) {
  const left = forgotten(calls);
  if (!left.length) return;
  const outcomes = await Promise.allSettled(left.map(({ outcome }) => outcome));
  const cause = outcomes.find(({ status }) => status === "rejected")?.reason;
  const error = new Error([...new Set(left.map(words))].join("\n"), cause && { cause });
  error.stack = `${error}${framesOf(left[0].site)}`;
  throw error;
}

// MARK: The server

/** How a world begins. */
const PLAN = { seed: "courtyard", number: undefined, settings: undefined, name: undefined, ttl: undefined };

export class MadangServer {
  #started;
  #worlds = new Set();
  #renewal;
  #isDoubtful = false;

  constructor(url, { token, story, started } = {}) {
    this.url = url.replace(/\/+$/, "");
    this.headers = token ? { Authorization: `Bearer ${token}` } : {};
    this.story = story ?? `madang: found at ${this.url}`;
    this.folder = started?.folder;
    this.#started = started;
  }

  get wasStarted() { return this.#started !== undefined; }

  async dev(method, path, body, chosen = {}) {
    if (this.#isDoubtful) await this.#about(ABOUT);
    return this.#call(method, path, body, chosen, WAIT);
  }

  async check() {
    if (!(await this.#about(FIND))?.keys) throw new MadangError(`${this.url} is not a Madang server in development mode`);
  }

  async silence(isCertain = false) {
    try {
      if (this.#isDoubtful || isCertain) await this.#about(ABOUT);
    } catch (error) {
      if (error.status === undefined) return `the server at ${this.url} does not answer: ${error.message}`;
    }
    return undefined;
  }

  #about(limit) { return this.#call("GET", "about", undefined, {}, limit); }

  /** After a call without an answer, later calls ask first whether the server is there: a hung one costs each `ABOUT`, not `WAIT`. */
  async #call(method, path, body, chosen, timeout) {
    try {
      const answer = await develop(this, method, path, body, chosen, timeout);
      this.#isDoubtful = false;
      return answer;
    } catch (error) {
      if (error instanceof MadangError) this.#isDoubtful = false;
      if (!(error instanceof NoAnswer)) throw error;
      this.#isDoubtful = true;
      // A server that has ended is not slow.
      const end = error.code === "ETIMEDOUT" ? "" : await fate(this.folder);
      throw new MadangError(`${error.message}${end}`, { cause: error.cause });
    }
  }

  async makeWorld(plan = {}) {
    const { seed, number, settings, name, ttl } = options("makeWorld", plan, PLAN);
    const field = seed instanceof URL ? readFileSync(seed, "utf8") : seed;
    const made = await this.dev("POST", "worlds", given({ seed: field, number, settings, name, ttl: durationText(ttl ?? LEASE) }));
    const world = new World(this, made, await reachable(this, made));
    if (ttl === undefined) this.#renew(world);
    return world;
  }

  forget(world) { this.#worlds.delete(world); }

  /** Ends the server if it was started. */
  async close() {
    clearInterval(this.#renewal);
    if (this.#started) await end(this.#started, this.url);
  }

  /** Any call about a world renews its lease; a test may stand in a debugger for an hour. */
  #renew(world) {
    this.#worlds.add(world);
    this.#renewal ??= setInterval(() => {
      for (const one of this.#worlds) {
        // The world has ended. Other failures pass, and the lease lasts for more tries.
        one.clock.now().catch(({ status }) => { if (status === 400) this.forget(one); });
      }
    }, milliseconds(LEASE) / 4).unref();
  }
}

note(MadangServer, "madang");

const STANDARD = "http://127.0.0.1:8080";

// The server ends with this process, however that ends: then the script's input ends. The folder stays until then, with the log and,
// if the server ended before, its exit status. Only the server keeps stdout.
const SUPERVISE = `
exec 3<&0
"$0" serve --dev --port 0 --data "$1/data" </dev/null 2>"$1/log" 3<&- & server=$!
exec >/dev/null 2>&1
{
  read -r _ <&3
  [ -e "$1/status" ] || kill $server
  tenths=0
  until [ -e "$1/status" ] || [ $tenths -ge $(($2 * 10)) ]; do sleep 0.1; tenths=$((tenths + 1)); done
  [ -e "$1/status" ] || kill -KILL $server
} & watch=$!
exec 3<&-
wait $server; echo $? >"$1/status"
wait $watch
rm -rf "$1"
`;

/** The path of a program, or undefined. */
function which(program) {
  const places = program.includes("/") ? [program] : (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, program));
  return places.find((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

export async function start(program) {
  if (!which(program)) throw new MadangError(`there is no program ${program}: set MADANG_PROGRAM to the path of 'madang'`);
  const folder = mkdtempSync(join(tmpdir(), "madang-test-"));
  const child = spawn("sh", ["-c", SUPERVISE, program, folder, String(PATIENCE)], { stdio: ["pipe", "pipe", "ignore"], detached: true });
  // The script may have ended.
  child.stdin.on("error", () => {});
  const line = await new Promise((resolve) => {
    const lines = createInterface({ input: child.stdout });
    const timer = setTimeout(() => resolve(""), 60_000);
    lines.once("line", (text) => { clearTimeout(timer); resolve(text); });
    lines.once("close", () => { clearTimeout(timer); resolve(""); });
  });
  const url = /http:\/\/\S+/.exec(line)?.[0];
  if (!url) {
    const words = log(folder).join(" ") || "it said nothing";
    await end({ child, folder }, "no URL yet");
    throw new MadangError(`${program} serve --dev did not start: ${words}`);
  }
  // The process of the tests may end although the server runs.
  for (const one of [child, child.stdin, child.stdout]) one.unref();
  return new MadangServer(url, { story: `madang: started ${program} at ${url}`, started: { child, folder } });
}

/** Ends a server that was started, and removes its folder. */
async function end({ child, folder }, url) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  // The script counts pauses, which are longer on a busy machine.
  const limit = PATIENCE * 2 + 60;
  const ended = new Promise((resolve) => child.once("exit", () => resolve(true)));
  child.ref();
  child.stdin.end("end\n");
  const late = new AbortController();
  const isEnded = await Promise.race([ended, pause(limit * 1000, false, { signal: late.signal }).catch(() => false)]);
  late.abort();
  if (isEnded) return;
  child.unref();
  throw new MadangError(`the server at ${url} did not end within ${limit} s: look for processes that use ${folder}`);
}

/** How the server of a folder ended, to be appended to the error of a call; empty if it still runs. */
async function fate(folder) {
  if (folder === undefined) return "";
  let status = "";
  // The connections of a process end before its status is known.
  for (const end = Date.now() + 10_000; !status && Date.now() < end; await pause(20)) status = read(join(folder, "status")).trim();
  if (!status) return "";
  const signal = Number(status) > 128 ? ` (signal ${Number(status) - 128})` : "";
  const lines = log(folder).map((line) => `\n  ${line}`).join("") || " (empty)";
  return `\nThe server has ended with status ${status}${signal}. The end of its log:${lines}`;
}

/** The last lines of a server's log. */
function log(folder) {
  return read(join(folder, "log")).split("\n").filter((line) => line.trim()).slice(-10).map((line) => printable(line).slice(0, 500));
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

export async function findOrStart(chosen = {}) {
  const { standard } = options("findOrStart", chosen, { standard: STANDARD });
  const { MADANG_DEV_URL: url, MADANG_DEV_TOKEN: token, MADANG_PROGRAM: program } = process.env;
  if (url) {
    const server = new MadangServer(url, { token, story: `madang: found at ${url} (MADANG_DEV_URL)` });
    try {
      await server.check();
    } catch (cause) {
      const cure = cause.status ? "set MADANG_DEV_TOKEN to the token that 'madang serve --dev --lan' prints"
        : "start 'madang serve --dev' there, or unset MADANG_DEV_URL to have a server started";
      throw new MadangError(`no development server at ${url} (MADANG_DEV_URL): ${cause.message}; ${cure}`, { cause });
    }
    return server;
  }
  if (program) return start(program);
  const server = new MadangServer(standard, { token });
  // Another program may be there, or none: it is asked for 5 s only.
  if ((await server.silence(true)) === undefined) {
    try {
      await server.check();
      return server;
    } catch {
      // It is no server in development mode.
    }
  }
  const found = which("madang");
  if (!found) {
    throw new MadangError(
      `no Madang server answers at ${standard}, and there is no program 'madang' on the PATH: start 'madang serve --dev', ` +
      "or set MADANG_DEV_URL to the URL of a server, or MADANG_PROGRAM to the program");
  }
  return start(found);
}

// MARK: Tests

let shared;

export function madang() {
  shared ??= findOrStart().then((server) => {
    process.stderr.write(`${server.story}\n`);
    return server;
  });
  return shared;
}

export function withWorld(plan, body) {
  if (typeof plan === "function") [plan, body] = [{}, plan];
  return async (context) => {
    options("withWorld", plan, PLAN);
    const server = await madang();
    const world = await server.makeWorld(plan);
    const calls = new Set();
    let hasEnded = false;
    try {
      await noted.run(calls, () => body(world, context));
      hasEnded = true;
      await settle(calls);
    } catch (error) {
      const isKept = process.env.MADANG_TEST_KEEP === "1" && !server.wasStarted;
      const silence = await server.silence(true);
      const lines = silence === undefined ? await report(context, world, isKept)
        : [`Madang world ${world.id}`, ...silence.split("\n"), "So its journal is not here, and it is not removed."];
      if (!isKept && silence === undefined) lines.push(...(await removed(server, world)));
      const mistakes = hasEnded ? [] : forgotten(calls).map(words);
      for (const line of [...new Set(mistakes), ...lines]) context.diagnostic(line);
      throw error;
    }
    const left = await removed(server, world);
    if (left.length) throw new MadangError(left.join("\n"));
  };
}

/** Removes a world, and returns what went wrong. */
async function removed(server, world) {
  const silence = await server.silence();
  if (silence !== undefined) return [...silence.split("\n"), `So the world ${world.id} is not removed.`];
  try {
    await world.remove();
    return [];
  } catch (error) {
    return `the world ${world.id} is not removed: ${error.message}`.split("\n");
  }
}

/** What a failed test leaves for its reader. */
async function report(context, world, isKept) {
  const console = `${world.url}/_dev/`;
  try {
    const entries = await world.journal.entries();
    return [
      `Madang world ${world.id}`,
      ...(entries.length > SHOWN ? [`  ... ${entries.length - SHOWN} earlier entries`] : []),
      ...entries.slice(-SHOWN).map(describe),
      ...(entries.length ? [] : ["  the journal is empty"]),
      ...(await world.faults.rules()).map(
        ({ id, kind, matched, applied }) => `fault ${id} ${printable(kind)}: matched ${matched}, applied ${applied}`),
      isKept ? `console: ${console}` : `console: ${console} until the world ends with its test; ` +
        "MADANG_TEST_KEEP=1 keeps the worlds of failed tests at a server that was found",
      ...(await write(context, world)).map((file) => `written: ${file}`),
    ];
  } catch (error) {
    return `the journal of the world ${world.id} cannot be read: ${error.message}`.split("\n");
  }
}

async function write(context, world) {
  const folder = process.env.MADANG_TEST_RESULTS;
  if (!folder) return [];
  mkdirSync(folder, { recursive: true });
  const file = context.filePath ? `${basename(context.filePath)}_` : "";
  const name = fileName(`${file}${context.fullName ?? context.name}`);
  const files = [join(folder, `${name}.journal.ndjson`), join(folder, `${name}.har`)];
  writeFileSync(files[0], await world.journal.lines());
  writeFileSync(files[1], JSON.stringify(await world.journal.har()));
  return files;
}

/** The name of a test's files. Names that lose characters end with a hash of the test's name, so that they differ. */
function fileName(test) {
  const name = Buffer.from(test.replace(/^\.+|[^\p{L}\p{N}_.-]+/gu, "_")).subarray(0, LONGEST).toString().replace(/\ufffd$/, "");
  return name === test ? name : `${name}-${createHash("sha256").update(test).digest("hex").slice(0, 8)}`;
}

/** One line for an entry of a journal. */
export function describe(entry) {
  let what;
  if (entry.kind === "request") {
    const outcome = entry.status === undefined ? "no answer" : [entry.status, entry.code].filter(Boolean).join(" ");
    what = `${entry.method} ${entry.path} (${entry.operation ?? "no operation"}): ${outcome}`;
  } else if (entry.kind === "packet") {
    const sender = entry.direction === "fromClient" ? "from the client" : "to the client";
    what = [entry.packet, entry.event, entry.namespace, sender, entry.payload].filter(Boolean).join(" ");
  } else {
    const kind = entry.kind === "push" ? `push to ${entry.deviceToken}` : entry.kind;
    what = [kind, entry.event, entry.reason, entry.payload].filter(Boolean).join(" ");
  }
  const fault = entry.fault ? `, fault ${printable(entry.fault.kind)}` : "";
  const number = String(entry.number).padStart(4);
  return `${number}  +${(entry.elapsed / 1000).toFixed(3)} s  ${printable(entry.account ?? "-")}  ${printable(what.slice(0, 300))}${fault}`;
}
