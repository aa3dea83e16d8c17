/**
 * Tests of chat clients against Madang, by node's own test runner: each test gets a server of its own, with people, a clock,
 * faults and a journal.
 *
 *     import { test } from "node:test";
 *     import { once, withWorld } from "madang-testing";
 *
 *     test("posts once", withWorld({ seed: "courtyard", number: 7 }, async (world) => {
 *       await myClient(world.url, world.key()).post("Weekend/ios", "Lunch?");
 *       await world.expect([once({ operation: "postToChannel" })]);
 *     }));
 */

import type { TestContext } from "node:test";

/** `"500ms"`, `"5s"`, `"10m"`, `"25h"`, `"30d"`, or a number of seconds. A wrong notation is a `TypeError`. */
export type Duration = string | number;
export type Edition = "2024-10" | "2024-01";
/** A chat as clients of the edition 2024-10 get it. */
export type Chat = Record<string, any>;

/** A duration in whole milliseconds. */
export function milliseconds(duration: Duration): number;

/** The server refused a call, or there is no server. The message names the cause and the cure. */
export class MadangError extends Error {
  constructor(text: string, details?: { status?: number; code?: string; body?: string; cause?: unknown });
  /** The HTTP status, if the server answered. */
  status?: number;
  /** The error code of the wire contract, such as `E13`, if a rule of the contract forbids the call. */
  code?: string;
  /** The answer's body. */
  body: string;
}

/** How a world begins. */
export interface Plan {
  /** `courtyard` (default), `empty`, `crowded` or `edge`; a seed of one's own as YAML, as an object, or as the URL of a file. */
  seed?: string | object | URL;
  /** With a number, ids, tokens and dates are the same in each run, and the clock stands still. */
  number?: number;
  /** Settings of this world only. */
  settings?: Record<string, string | number | boolean>;
  name?: string;
  /** How long the world outlives the last call; without it a lease is renewed until the world or the process ends. */
  ttl?: Duration;
}

/**
 * A test's function with a world of its own. The world ends after the test, also after a failed one. The test fails if its body
 * ends without waiting for a call of the kit.
 */
export function withWorld(body: (world: World, context: TestContext) => unknown): (context: TestContext) => Promise<void>;
export function withWorld(plan: Plan, body: (world: World, context: TestContext) => unknown): (context: TestContext) => Promise<void>;

/** The server of this process, found or started by the first call. */
export function madang(): Promise<MadangServer>;

/**
 * The server of `MADANG_DEV_URL`; else one that is started with the program of `MADANG_PROGRAM`; else the one at
 * http://127.0.0.1:8080; else one that is started with `madang` of the PATH. Rejects with `MadangError` if there is none.
 */
export function findOrStart(options?: { standard?: string }): Promise<MadangServer>;
/** Starts `program serve --dev` on a free port. It ends with this process. */
export function start(program: string): Promise<MadangServer>;

export interface CallOptions {
  query?: Record<string, string | number | undefined>;
  headers?: Record<string, string>;
  /** Statuses that are no errors, besides 200. */
  accept?: number[];
}

export class MadangServer {
  constructor(url: string, options?: { token?: string; story?: string });
  url: string;
  /** One line: whether it was found or started, and where. */
  story: string;
  get wasStarted(): boolean;
  /** The folder of a server that was started, with its log. */
  folder?: string;
  /** Any development call of the server: `dev("GET", "worlds")`. */
  dev(method: string, path: string, body?: unknown, options?: CallOptions): Promise<any>;
  /** Rejects with `MadangError` if no server in development mode answers within 30 s. */
  check(): Promise<void>;
  /** Makes a world. Remove it afterwards. */
  makeWorld(plan?: Plan): Promise<World>;
  /**
   * Why the server cannot be used; undefined if it answers within 5 s. It is asked only after a call without an answer, and if
   * `isCertain` is true.
   */
  silence(isCertain?: boolean): Promise<string | undefined>;
  /** Ends the server if it was started. One that does not end within 15 s is killed; `MadangError` if that fails. */
  close(): Promise<void>;
  /** No longer renews the lease of a world. */
  forget(world: World): void;
}

/** A server of its own. What the server refuses is a `MadangError` with its text. */
export class World {
  private constructor();
  readonly id: string;
  readonly name: string;
  readonly number?: number;
  /** The server's URL for the client under test. */
  readonly url: string;
  readonly server: MadangServer;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly scripts: Scripts;
  readonly journal: Journal;
  readonly sockets: Sockets;
  /** The time of its clock. */
  now(): Promise<Date>;
  /** The API key of an edition, for the header `SesacKey`. */
  key(edition?: Edition): string;
  /** Any development call of this world: `dev("GET", "clock")` is `GET /_dev/clock`. */
  dev(method: string, path: string, body?: unknown, options?: CallOptions): Promise<any>;
  /** Ends it and removes its data. Does nothing if it has ended, also by its lease. */
  remove(): Promise<void>;

  /** A person, by an e-mail or the text before its `@`. */
  person(who: string): Person;
  /** All people, ordered by number. */
  people(): Promise<Person[]>;
  /** A client of the API that is signed in, by an e-mail or the text before its `@`. */
  signIn(email: string, options?: { password?: string; edition?: Edition }): Promise<Client>;

  /** Restores the first state. Faults stay. `wait` is how long calls in progress may go on; 2 s by default. */
  reset(options?: { wait?: Duration }): Promise<void>;
  snapshot(name: string): Promise<void>;
  restore(name: string, options?: { wait?: Duration }): Promise<void>;
  snapshots(): Promise<string[]>;
  removeSnapshot(name: string): Promise<void>;
  /** The present state as a seed, in YAML. */
  exportSeed(): Promise<string>;
  /** Ends all connections, and refuses new ones for this real time. Data stays. */
  restart(options?: { downFor?: Duration }): Promise<void>;

  /** Waits until all expectations are met. Rejects with an `AssertionError` with the server's differences, one a line. */
  expect(expected: Expected[], options?: ExpectOptions): Promise<void>;
  /** Habits of the clients that will cause trouble; empty for a good client. */
  review(options?: { account?: string; after?: number }): Promise<Finding[]>;
  /** Rejects with an `AssertionError` if the review finds a habit: the findings and their cures, one a line. */
  expectPolite(options?: { account?: string; after?: number }): Promise<void>;
  /** How much of the API was used. */
  coverage(): Promise<{ counts: any; report: any }>;

  /** Records a payment in won; the `imp_uid` that a client shows. */
  pay(amount: number, merchantUid: string, options?: { status?: "paid" | "ready" | "cancelled" | "failed" }): Promise<string>;
  /** A token as the provider would issue it. */
  socialToken(provider: "kakao" | "apple", subject: string, options?: { email?: string; nickname?: string }): Promise<string>;
  /**
   * Mails that would have been sent, oldest first. They are written shortly after the call that causes them: with `within`,
   * waits for `count` of them, at most so long in real time, and returns those that came.
   */
  mails(options?: { to?: string; after?: number; within?: Duration; count?: number }): Promise<Record<string, any>[]>;
  /** Notifications that would have been sent, oldest first; as `mails`. */
  pushes(options?: { after?: number; within?: Duration; count?: number }): Promise<Record<string, any>[]>;
}

/** A habit of a client that will cause trouble in production. */
export interface Finding {
  habit: string;
  account?: string;
  what: string;
  cure: string;
  /** The rule of the wire contract. */
  rule: string;
  /** Numbers of the journal's entries; at most the first 100. */
  entries: number[];
}

export interface ExpectOptions {
  /** They must happen in this order, by start. */
  inOrder?: boolean;
  /** No other entry of these kinds may come, or no other one of `among`. */
  only?: boolean;
  among?: Filter;
  /** Only entries with a higher number count. */
  after?: number;
  /** How long to wait, in real time: 5 s by default, 60 s at most. */
  within?: Duration;
  /** How much longer to watch for entries that come too often. */
  settling?: Duration;
}

/** Selects entries: all given fields must match. In texts `*` matches any text. */
export interface Filter {
  kind?: "request" | "connection" | "packet" | "push" | "mail" | "payment";
  /** An `operationId`, or method and path of the OpenAPI documents. */
  operation?: string;
  edition?: Edition;
  method?: string;
  path?: string;
  status?: number | string;
  code?: string;
  /** An e-mail, or the text before its `@`. */
  account?: string;
  event?: string;
  packet?: string;
  namespace?: string;
  direction?: "fromClient" | "toClient";
  transport?: "polling" | "websocket";
  session?: string;
  /** The kind of a fault that applied; `*` is any. */
  fault?: string;
  /** JSON whose fields the body of a request or push, or the first argument of an event, must have. */
  body?: unknown;
  /** JSON whose fields the body of the answer must have. */
  answer?: unknown;
}

/** A filter, and how many entries should match it. */
export interface Expected {
  filter: Filter;
  times: { min: number; max?: number };
  spacing?: { atLeast?: string; atMost?: string };
}
export function once(filter: Filter): Expected;
export function times(count: number, filter: Filter): Expected;
export function atLeast(count: number, filter: Filter): Expected;
export function atMost(count: number, filter: Filter): Expected;
/** Not at all. The whole time of `within` is watched. */
export function never(filter: Filter): Expected;
/** The same, with limits for the real time between one match and the next. */
export function spaced(expected: Expected, limits: { atLeast?: Duration; atMost?: Duration }): Expected;

/** One entry of a journal, as docs/reference/dev.md describes it. Secrets are `***`. */
export interface Entry extends Record<string, any> {
  number: number;
  kind: string;
  /** The start, by the world's clock. */
  at: string;
  /** The start, in real milliseconds since the world was made. */
  elapsed: number;
}
/** One line for an entry. */
export function describe(entry: Entry): string;

export interface Journal {
  /** The entries so far, oldest first. */
  entries(filter?: Filter, options?: { after?: number }): Promise<Entry[]>;
  /** Waits until `count` entries match, also earlier ones above `after`. Rejects with an `AssertionError` if they do not come. */
  wait(filter?: Filter, options?: { within?: Duration; count?: number; after?: number }): Promise<Entry[]>;
  /** The number of the newest entry. */
  last(): Promise<number>;
  /** Empties it. Numbers continue. */
  clear(): Promise<void>;
  /** The entries as an HTTP archive, which browsers open. */
  har(): Promise<{ log: any }>;
  /** The entries as JSON, one per line. */
  lines(): Promise<string>;
}

export interface Clock {
  now(): Promise<Date>;
  /** How many times as fast as real time it runs; 0 if it stands still. */
  rate(): Promise<number>;
  advance(by: Duration): Promise<void>;
  set(date: Date | string): Promise<void>;
  freeze(): Promise<void>;
  resume(): Promise<void>;
  run(at: number): Promise<void>;
}

export interface Fault {
  id: number;
  kind: string;
  effect: Record<string, any>;
  match: Record<string, any>;
  /** How many requests or packets it matched. */
  matched: number;
  /** To how many of them the effect was applied. */
  applied: number;
}

/** What a rule matches and does. docs/reference/dev.md describes each kind. */
export interface FaultFields {
  operation?: string; method?: string; path?: string; account?: string; edition?: Edition; header?: Record<string, string>;
  namespace?: string; event?: string; packet?: string; direction?: "fromClient" | "toClient"; transport?: "polling" | "websocket";
  nth?: number; every?: number; probability?: number; seed?: number; times?: number; until?: Date | string;
  /** Further fields of the match, such as `body`. */
  match?: Record<string, unknown>;
  /** Real time of the effect. */
  time?: Duration; jitter?: Duration;
  bytes?: number; bytesPerSecond?: number; status?: number; code?: string; body?: string; contentType?: string;
  /** In seconds. */
  retryAfter?: number;
  after?: boolean; count?: number; closeCode?: number; message?: string; overtaken?: boolean;
}

export interface Faults {
  add(kind: string, fields?: FaultFields): Promise<Fault>;
  rules(): Promise<Fault[]>;
  remove(fault: Fault | number): Promise<void>;
  removeAll(): Promise<void>;
}

export interface Run {
  name: string;
  state: "ready" | "running" | "ended" | "stopped";
  runs: number;
  underWay: number;
  failed: number;
  failures: { run: number; error: string }[];
}

export interface Scripts {
  /** Adds a script or a list of them: text in YAML or JSON, or an object. */
  add(script: string | object): Promise<void>;
  list(): Promise<Run[]>;
  start(name: string): Promise<void>;
  stop(name: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Waits until it has ended. Rejects with `MadangError` if it has not, or if a run failed. */
  finished(name: string, options?: { within?: Duration; allowingFailures?: boolean }): Promise<Run>;
  /** Waits until so many runs have ended. */
  ran(name: string, runs: number, options?: { within?: Duration; allowingFailures?: boolean }): Promise<Run>;
}

export interface Sockets {
  /**
   * The open sockets, or those of an account, the newest first, at most 1000. With `within`, waits for `count` of them, at most so
   * long in real time, and returns what is open.
   */
  list(options?: { account?: string; within?: Duration; count?: number }): Promise<{ session: string; transport: string; account?: string; namespaces: string[]; waitingBytes: number }[]>;
  /** Ends the sockets of an account, or the one of a session, as a network that fails. How many were cut. */
  cut(which: { account: string } | { session: string }): Promise<number>;
}

/** A person who acts without a client. A place is `Weekend/ios`, or a workspace for its default channel. */
export class Person {
  private constructor();
  readonly who: string;
  /** People of `world.people()` have these. */
  readonly email?: string;
  readonly id?: string;
  readonly number?: number;
  readonly nickname?: string;
  readonly workspaces?: string[];
  post(text: string, options: { in: string; files?: number }): Promise<Chat>;
  write(text: string, options: { to: string; in?: string; files?: number }): Promise<Chat>;
  join(place: string): Promise<void>;
  leave(place: string): Promise<void>;
  /** Any call of the API as this person, with a path below `/v1`. */
  call(method: string, path: string, body?: unknown, options?: { edition?: Edition }): Promise<any>;
}

export interface RequestOptions {
  query?: Record<string, string | number | undefined>;
  headers?: Record<string, string>;
}

/** A signed-in client of the API, with paths below `/v1`. Statuses that are not 2xx reject with `MadangError`. */
export class Client {
  private constructor();
  readonly edition: Edition;
  readonly user: Record<string, any>;
  readonly accessToken: string;
  readonly refreshToken: string;
  signIn(email: string, password: string): Promise<void>;
  get(path: string, options?: RequestOptions): Promise<any>;
  post(path: string, json?: unknown, options?: RequestOptions): Promise<any>;
  put(path: string, json?: unknown, options?: RequestOptions): Promise<any>;
  delete(path: string, options?: RequestOptions): Promise<any>;
  /** The answer of any status. */
  request(method: string, path: string, json?: unknown, options?: RequestOptions & { timeout?: number }): Promise<Answer>;
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  json(): any;
}
