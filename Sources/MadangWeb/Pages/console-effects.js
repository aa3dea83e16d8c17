/**
 * Faults that can be switched on from a list: their fields with values to begin with. docs/reference/dev.md describes them.
 * @module
 */

/** @type {Object<string, {of: "requests"|"sockets", fields: Object<string, number|string>, optional?: Object<string, ""|boolean>}>} */
export const EFFECTS = {
  status: { of: "requests", fields: { status: 503 }, optional: { code: "", body: "", retryAfter: "", after: false } },
  expiredToken: { of: "requests", fields: {} },
  limited: { of: "requests", fields: { retryAfter: 1 } },
  latency: { of: "requests", fields: { milliseconds: 2000 }, optional: { jitter: "", after: false } },
  answerLost: { of: "requests", fields: {} },
  cut: { of: "requests", fields: { bytes: 10 } },
  malformedJSON: { of: "requests", fields: {} },
  contentType: { of: "requests", fields: { contentType: "text/html" } },
  drip: { of: "requests", fields: { bytes: 20, milliseconds: 200 } },
  reset: { of: "requests", fields: {}, optional: { after: false } },
  restart: { of: "requests", fields: { milliseconds: 2000 }, optional: { after: false } },
  refuseUpgrade: { of: "sockets", fields: { status: 400 } },
  refuseNamespace: { of: "sockets", fields: { message: "not allowed" } },
  drop: { of: "sockets", fields: {} },
  delay: { of: "sockets", fields: { milliseconds: 1000 }, optional: { jitter: "", overtaken: false } },
  duplicate: { of: "sockets", fields: { count: 1 } },
  reorder: { of: "sockets", fields: { milliseconds: 1000 } },
  truncate: { of: "sockets", fields: { bytes: 10 } },
  silence: { of: "sockets", fields: {} },
  noPong: { of: "sockets", fields: {} },
  close: { of: "sockets", fields: {}, optional: { closeCode: "" } },
  disconnectNamespace: { of: "sockets", fields: {} },
  resetSocket: { of: "sockets", fields: {} },
};

/** Fields of `match` that every fault takes. */
export const OF_ANY = ["nth", "every", "probability", "times", "until"];

/** Fields of `match`, for faults on requests and on sockets. */
export const CONDITIONS = {
  requests: ["account", "operation", "method", "path", "edition", ...OF_ANY],
  sockets: ["account", "namespace", "event", "direction", "transport", ...OF_ANY],
};

/** A rule in few words, such as `operation postToChannel · nth 2`. */
export const matchWords = (match) => Object.entries(match ?? {}).map(([name, value]) => `${name} ${value}`).join(" · ");

/** Whether a rule can still apply. One with `times` is used up in the end. */
export const isLive = ({ match, applied }) => !(match?.times && applied >= match.times);
