/**
 * Development calls. Paths are relative to the page, so they keep a token in its path (`/_dev/TOKEN/`).
 * @module
 */

const BASE = new URL(".", location.href).pathname;

/** A refusal of a development call. `message` is the server's sentence. */
export class CallError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Milliseconds that an answer may take. */
const LONGEST = 120_000;

/** The path of a call. `world` is an id, or "" for the server that serves the page. */
export const pathOf = (world, call) => `${BASE}${world ? `worlds/${encodeURIComponent(world)}/` : ""}${call}`;

/**
 * Makes a call.
 * @param {string} world
 * @param {string} call Path below `/_dev/` or the world, with its query.
 * @param {{method?: string, body?: any, text?: boolean, signal?: AbortSignal}} [how] `body` is sent as JSON unless it is text.
 */
export async function call(world, path, { method = "GET", body, text = false, signal } = {}) {
  let answer;
  try {
    answer = await fetch(pathOf(world, path), {
      method,
      signal: signal ?? AbortSignal.timeout(LONGEST),
      cache: "no-store",
      credentials: "same-origin",
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new CallError(0, "");
  }
  const got = await answer.text();
  if (!answer.ok) {
    let message = got;
    try {
      const said = JSON.parse(got);
      message = said.error ?? said.errorCode ?? got;
    } catch { /* not JSON */ }
    throw new CallError(answer.status, message || `${answer.status}`);
  }
  return text || !got ? got : JSON.parse(got);
}

export const get = (world, path, signal) => call(world, path, { signal });
export const post = (world, path, body = {}) => call(world, path, { method: "POST", body });
export const remove = (world, path) => call(world, path, { method: "DELETE" });

/** A call of the API, made as a person, without journal and limits. */
export const as = (world, person, path, how) => call(world, `people/${encodeURIComponent(person)}/v1/${path}`, how);
