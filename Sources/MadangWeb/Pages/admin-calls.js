/**
 * Calls of the server for the administrator's session: `/admin/api/...`.
 * @module
 */

/** The server refused. `code` names the reason; `message` is the server's sentence, in English. */
export class Refusal extends Error {
  constructor(status, code, message, seconds = 0, kind = "") {
    super(message);
    this.status = status;
    this.code = code;
    /** The domain's reason, if it has one: `noSuchUser`. */
    this.kind = kind;
    /** Seconds to wait, with status 429. */
    this.seconds = seconds;
  }
}

/** No answer of the server arrived. A write may have happened all the same. */
export class Lost extends Error {
  /** @param {boolean} [isStrange] another program answered, or the server to an address that may not use the console */
  constructor(message, isStrange = false) {
    super(message);
    this.isStrange = isStrange;
  }
}

/** How long an answer may take, in milliseconds. A doctor or an export takes its time. */
const READING = 15_000;
const WRITING = 120_000;

const BASE = new URL("api/", document.baseURI).pathname;
let proof = "";
/** Number of the administrator whose page this is; null before sign-in. */
let owner = null;
let onEnd = () => {};
let activeAt = Date.now();

/** Sets what happens when the session of `administrator` has ended, or another one has signed in elsewhere in this browser. */
export function whenSessionEnds(administrator, listener) {
  owner = administrator;
  onEnd = listener;
}

/** Milliseconds since the last call that prolonged the session. */
export const idleFor = () => Date.now() - activeAt;

/** The session: `{administrator, proof, server}`; `administrator` is null before sign-in. */
export async function readSession() {
  return keepProof(await request("GET", "session"));
}

/** A write that begins a session: `session` or `setup`. */
export async function beginSession(path, body) {
  return keepProof(await proved("POST", path, body, readSession));
}

/** Whether a link, a name and a password can make an administrator. Throws the refusal that the setup would get. */
export const checkSetup = (body) => proved("POST", "setup/check", body, readSession);

/**
 * Reads.
 * @param {string} path
 * @param {Object<string, string|number|null|undefined>} [query] empty values are left out
 * @param {{poll?: boolean}} [how] `poll`: a timer asks, so it must not prolong the session
 */
export function get(path, query = {}, how = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  return inSession(request("GET", path + (given.length ? `?${new URLSearchParams(given)}` : ""), undefined, how));
}

export const post = (path, body = {}) => inSession(proved("POST", path, body));
export const put = (path, body) => inSession(proved("PUT", path, body));
export const remove = (path, body) => inSession(proved("DELETE", path, body));

/** Prolongs the session: the person is here, and the page has nothing to ask. */
export const stay = () => inSession(ownSession());

async function ownSession() {
  const session = await readSession();
  if (owner !== null && session.administrator?.number !== owner) throw new Refusal(401, "signedOut", "");
  return session;
}

function keepProof(session) {
  proof = session.proof;
  return session;
}

async function inSession(promise) {
  try {
    return await promise;
  } catch (error) {
    if (error.code === "signedOut") onEnd();
    throw error;
  }
}

/** A write. Another tab may have signed in again: then the session has another proof. */
async function proved(method, path, body, read = ownSession) {
  try {
    return await request(method, path, body);
  } catch (error) {
    if (error.code !== "proof") throw error;
    const before = proof;
    await read();
    if (proof === before) throw error;
    return request(method, path, body);
  }
}

async function request(method, path, body, { poll = false } = {}) {
  const headers = {};
  if (method !== "GET") headers["X-Madang-Proof"] = proof;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (poll) headers["X-Madang-Poll"] = "1";
  let answer;
  let said;
  try {
    answer = await fetch(BASE + path, {
      method, headers, body: body === undefined ? undefined : JSON.stringify(body), cache: "no-store", credentials: "same-origin",
      signal: AbortSignal.timeout(method === "GET" ? READING : WRITING),
    });
    said = await answer.json();
  } catch (error) {
    throw new Lost(`${method} ${path}: ${error.message}`, Boolean(answer));
  }
  if (answer.ok) {
    if (!poll) activeAt = Date.now();
    return said;
  }
  // A proxy's error page is no answer of the server.
  if (typeof said?.error !== "string") throw new Lost(`${method} ${path}: ${answer.status}`, true);
  throw new Refusal(answer.status, said.error, said.message ?? "", Number(answer.headers.get("Retry-After")) || 1, said.kind ?? "");
}
