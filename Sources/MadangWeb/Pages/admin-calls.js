/**
 * Calls of the server for the administrator's session: `/admin/api/...`.
 * @module
 */

/** The server refused. `code` names the reason; `message` is the server's sentence, in English. */
export class Refusal extends Error {
  constructor(status, code, message, seconds = 0) {
    super(message);
    this.status = status;
    this.code = code;
    /** Seconds to wait, with status 429. */
    this.seconds = seconds;
  }
}

/** No answer arrived. A write may have happened all the same. */
export class Lost extends Error {}

/** How long an answer may take, in milliseconds. A doctor or an export takes its time. */
const READING = 15_000;
const WRITING = 120_000;

const BASE = new URL("api/", document.baseURI).pathname;
let proof = "";
let onEnd = () => {};

/** Sets what happens when the session has ended. */
export function whenSessionEnds(listener) {
  onEnd = listener;
}

/** The session: `{administrator, proof, server}`; `administrator` is null before sign-in. */
export async function readSession() {
  return keepProof(await request("GET", "session"));
}

/** A write that begins a session: `session` or `setup`. */
export async function beginSession(path, body) {
  return keepProof(await proved("POST", path, body));
}

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
async function proved(method, path, body) {
  try {
    return await request(method, path, body);
  } catch (error) {
    if (error.code !== "proof") throw error;
    const before = proof;
    await readSession();
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
    throw new Lost(`${method} ${path}: ${error.message}`);
  }
  if (answer.ok) return said;
  // A proxy's error page is no answer of the server.
  if (typeof said?.error !== "string") throw new Lost(`${method} ${path}: ${answer.status}`);
  throw new Refusal(answer.status, said.error, said.message ?? "", Number(answer.headers.get("Retry-After")) || 1);
}
