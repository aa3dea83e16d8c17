/**
 * Calls of the server for the cookie's session: `/web/...` and, below it, the 2024-10 edition at `/web/v1/...`.
 * @module
 */

/** The server refused: `code` is one of the contract's, such as `E14`. */
export class Refusal extends Error {
  constructor(code, seconds = 0, why = "") {
    super(code);
    this.code = code;
    /** A word that tells pages more than the code: `readOnly` or `disabled`. */
    this.why = why;
    /** Seconds to wait, with `E98`. */
    this.seconds = seconds;
  }
}

/** No answer arrived. A write may have happened all the same. */
export class Lost extends Error {}

/** How long an answer may take, in milliseconds. */
const PATIENCE = 15_000;

/** How often a read is tried when no answer arrives or the server asks to wait. */
const TRIES = 3;

/** Codes that end a session of this page. */
const ENDED = new Set(["E02", "E03", "E05", "E06"]);

let proof = "";
/** The account whose page this is; empty before sign-in. */
let owner = "";
let onEnd = () => {};
let onMode = () => {};

/** Sets what happens with each answer: whether the server is in read-only mode. */
export function whenReadOnly(listener) {
  onMode = listener;
}

/**
 * Sets what happens when the session has ended elsewhere, or belongs to another account.
 * @param {string} account whose page this is: no call is made as another one
 */
export function whenSessionEnds(account, listener) {
  owner = account;
  onEnd = listener;
}

/** The header that proves that a write comes from this page. */
function proofHeader() {
  return { "X-Madang-Proof": proof };
}

export const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/**
 * The session: `{account, proof, now, server}`; `account` is null before sign-in.
 * @returns {Promise<object>}
 */
export async function readSession() {
  return keepProof(await read("/web/session"));
}

/** Signs in. @returns {Promise<object>} the session */
export async function signIn(email, password) {
  return keepProof(await write("POST", "/web/session", { email, password }));
}

/** Makes an account and signs in. @returns {Promise<object>} the session */
export async function signUp(values) {
  return keepProof(await write("POST", "/web/accounts", values));
}

/** Asks for a mail with a link to a new password. The answer never tells whether the account exists. */
export function forgotPassword(email) {
  return write("POST", "/web/password-resets", { email });
}

/** Ends this session, or with `everywhere` all of the account. */
export function signOut(everywhere) {
  return ended(write("DELETE", everywhere ? "/web/sessions" : "/web/session"));
}

/**
 * Unread counts of many rooms of a workspace in one answer.
 * @param {Object<string, string>} rooms the date up to which each was read
 * @returns {Promise<Object<string, number>>}
 */
export async function unreadCounts(workspace, rooms) {
  return (await ended(write("POST", "/web/unreads", { workspace, rooms }))).counts;
}

/** A call of the edition that reads. */
export function get(path) {
  return ended(proven(() => read(`/web/v1${path}`)));
}

/** A call of the edition that writes: `body` is an object or a FormData. */
export function send(method, path, body, headers) {
  return ended(write(method, `/web/v1${path}`, body, headers));
}

/** Reads an answer as a stream of bytes. @returns {Promise<Response>} */
export function getStream(path, signal) {
  return ended(proven(() => request(`/web/v1${path}`, { signal }, true)));
}

function keepProof(session) {
  if (!owner || session.account?.user_id === owner) proof = session.proof;
  return session;
}

/** Makes a call. If another tab has signed in again as the same person, there is another proof: the call is made once more. */
async function proven(make) {
  try {
    return await make();
  } catch (error) {
    if (error.code !== "E02") throw error;
    const before = proof;
    await readSession();
    if (proof === before) throw error;
    return await make();
  }
}

async function ended(promise) {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof Refusal && ENDED.has(error.code)) onEnd();
    throw error;
  }
}

async function read(address) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await request(address, {});
    } catch (error) {
      const wait = error instanceof Lost ? 300 * attempt : error.code === "E98" ? error.seconds * 1000 : 0;
      if (!wait || attempt === TRIES) throw error;
      await pause(Math.min(wait, 10_000));
    }
  }
}

async function write(method, address, body, more) {
  const options = () => {
    const headers = { ...more };
    if (body && !(body instanceof FormData)) headers["Content-Type"] = "application/json";
    return { method, headers, body: body instanceof FormData ? body : body && JSON.stringify(body) };
  };
  return proven(() => request(address, options()));
}

/** One request. An answer without a code of the contract counts as lost: a proxy wrote it. */
async function request(address, options, stream = false) {
  const abort = new AbortController();
  options.signal?.addEventListener("abort", () => abort.abort());
  const timer = setTimeout(() => abort.abort(), PATIENCE);
  let answer;
  try {
    // Some reads change things (`exit`, the first read of a channel), so reads carry the proof, too.
    const headers = { ...proofHeader(), ...options.headers };
    answer = await fetch(address, { cache: "no-store", credentials: "same-origin", ...options, headers, signal: abort.signal });
    if (answer.ok && stream) return answer;
    const said = await answer.json();
    const refused = answer.ok ? null : refusal(answer.headers, said);
    if (refused instanceof Lost) throw refused;
    onMode(answer.headers.has("X-Madang-Read-Only"));
    if (refused) throw refused;
    return said;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Lost(`${options.method ?? "GET"} ${address}: ${error.message}`);
  } finally {
    clearTimeout(timer);
  }
}

function refusal(headers, body) {
  if (!/^E\d\d$/.test(body?.errorCode ?? "")) return new Lost("not an answer of the server");
  return new Refusal(body.errorCode, Number(headers.get("Retry-After")) || 1, headers.get("X-Madang-Why") ?? "");
}

/**
 * Posts a form and reports how much has been sent. `fetch` cannot report that.
 * @param {string} path of the edition
 * @param {FormData} body
 * @param {{headers: object, progress: (share: number) => void, signal: AbortSignal}} options `progress` from 0 to 1
 * @returns {Promise<object>}
 */
export function upload(path, body, { headers, progress, signal }) {
  return ended(new Promise((done, fail) => {
    const call = new XMLHttpRequest();
    // A large upload may take long; silence may not.
    let timer = 0;
    const alive = () => {
      clearTimeout(timer);
      timer = setTimeout(() => call.abort(), 2 * PATIENCE);
    };
    const lost = () => { clearTimeout(timer); fail(new Lost(`POST ${path}`)); };
    call.open("POST", `/web/v1${path}`);
    for (const [key, value] of Object.entries({ ...proofHeader(), ...headers })) call.setRequestHeader(key, value);
    call.responseType = "json";
    call.upload.onprogress = (event) => {
      alive();
      if (event.lengthComputable) progress(event.loaded / event.total);
    };
    call.onload = () => {
      clearTimeout(timer);
      if (!call.response || ![200, 400, 500].includes(call.status)) return lost();
      onMode(call.getResponseHeader("X-Madang-Read-Only") !== null);
      if (call.status === 200) return done(call.response);
      fail(refusal({ get: (key) => call.getResponseHeader(key) }, call.response));
    };
    call.onerror = call.onabort = lost;
    signal?.addEventListener("abort", () => call.abort());
    alive();
    call.send(body);
  }));
}
