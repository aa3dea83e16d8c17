/**
 * The query of the timeline: `person:mina outcome:refused -kind:push "free text"`.
 * @module
 */

import { label, names } from "./console-places.js";

/** Names before the colon. */
export const FIELDS = [
  "person", "room", "operation", "method", "path", "outcome", "code", "kind", "event", "fault", "socket", "world", "show",
];
/** Names that the journal has for some of them. */
const ALIASES = new Map([["account", "person"], ["session", "socket"], ["status", "code"]]);
export const OUTCOMES = ["ok", "refused", "failed", "lost", "fault", "slow"];
export const ROW_KINDS = ["request", "event", "socket", "push", "mail", "payment", "fault"];
/** Milliseconds from which an answer is slow. */
const SLOW = 500;

const TERM = /(-)?(?:(\w+):)?(?:"([^"]*)"?|(\S+))/g;

/** The parts of a query. */
export function terms(text) {
  return [...text.matchAll(TERM)].map(([, not, field, quoted, plain]) => ({
    not: not === "-",
    field: ALIASES.get(field) ?? field,
    value: (quoted ?? plain ?? "").toLowerCase(),
  }));
}

const TESTS = {
  person: (value) => (row) =>
    row.person.toLowerCase().includes(value) || (row.to?.some((one) => one[0].toLowerCase().includes(value)) ?? false),
  room: (value) => (row) => Boolean(row.room || row.workspace) && label(row).toLowerCase().includes(value),
  operation: (value) => (row) => row.operation.toLowerCase().includes(value),
  outcome: (value) => (row) => row.outcome === value || (value === "slow" && row.ms >= SLOW && !row.quiet),
  kind: (value) => (row) => kindOf(row) === value,
  code: (value) => (row) => (row.code ?? "").toLowerCase() === value || String(row.status ?? "") === value,
  method: (value) => (row) => (row.method ?? "").toLowerCase() === value,
  path: (value) => (row) => (row.path ?? "").toLowerCase().includes(value),
  event: (value) => (row) => (row.event ?? "").toLowerCase() === value,
  world: (value) => (row) => row.world.toLowerCase() === value,
  fault: (value) => (row) => value === "*" ? Boolean(row.fault) : (row.fault ?? "").toLowerCase().includes(value),
  socket: (value) => (row) =>
    (row.session ?? "").toLowerCase().startsWith(value) ||
    (row.to?.some((one) => one[1].toLowerCase().startsWith(value)) ?? false),
  show: () => () => true,
};

/** The kind of a row in words of the query. */
export const kindOf = (row) => (row.kind === "connection" || row.kind === "packet" ? "socket" : row.kind);

const free = (value) => (row) =>
  row.quote.toLowerCase().includes(value) || row.person.toLowerCase().includes(value) ||
  row.operation.toLowerCase().includes(value) ||
  (row.path ?? "").toLowerCase().includes(value) || (row.code ?? "").toLowerCase() === value ||
  label(row).toLowerCase().includes(value);

/**
 * The test of a query. Heartbeats, requests of long-polling and files of pages are shown only with `show:all`.
 * @param {string} text
 * @returns {(row: object) => boolean}
 */
export function matcher(text) {
  const parts = terms(text);
  const all = parts.some((one) => one.field === "show" && one.value === "all");
  // Values of one field are alternatives; different fields must all match.
  const groups = new Map();
  for (const { not, field, value } of parts) {
    if (!value) continue;
    const isField = Object.hasOwn(TESTS, field ?? "");
    const test = isField ? TESTS[field](value) : free(field ? `${field}:${value}` : value);
    const key = `${not ? "-" : ""}${isField ? field : `${value}!`}`;
    groups.set(key, [...(groups.get(key) ?? []), test]);
  }
  const wanted = [...groups].filter(([key]) => !key.startsWith("-")).map(([, tests]) => tests);
  const unwanted = [...groups].filter(([key]) => key.startsWith("-")).flatMap(([, tests]) => tests);
  return (row) =>
    (all || !row.quiet) && wanted.every((tests) => tests.some((test) => test(row))) && !unwanted.some((test) => test(row));
}

/** Names before a colon that are no fields. An address such as `http://...` and a time such as `12:30` have none. */
export const unknownFields = (text) =>
  terms(text).filter(({ field, value }) => /^[a-z]/i.test(field ?? "") && !Object.hasOwn(TESTS, field) && !value.startsWith("//")).map((one) => one.field);

/** Whether a query has a term. */
export const has = (text, field, value) => terms(text).some((one) => !one.not && one.field === field && one.value === value);

/** The query with a term, or without it if it was there. */
export function toggled(text, field, value) {
  const word = `${field}:${value}`;
  if (!has(text, field, value)) return `${text.trim()} ${word}`.trim();
  return text.split(/\s+/).filter((one) => one.toLowerCase() !== word).join(" ");
}

/**
 * Completions of the word at the cursor.
 * @param {string} text
 * @param {number} cursor
 * @param {{worlds: string[], operations: string[], faults: string[]}} known
 */
export function completions(text, cursor, known) {
  const start = text.lastIndexOf(" ", cursor - 1) + 1;
  const word = text.slice(start, cursor);
  const bare = word.replace(/^-/, "");
  const sign = word.startsWith("-") ? "-" : "";
  const colon = bare.indexOf(":");
  const values = colon < 0
    ? FIELDS.map((one) => `${one}:`)
    : valuesOf(bare.slice(0, colon), known).map((one) => `${bare.slice(0, colon)}:${/\s/.test(one) ? `"${one}"` : one}`);
  const found = bare || sign ? values.filter((one) => one.toLowerCase().startsWith(bare.toLowerCase()) && one !== bare) : values;
  const rest = colon < 0 || !bare.slice(colon + 1)
    ? []
    : values.filter((one) =>
      !found.includes(one) && one.toLowerCase().includes(bare.slice(colon + 1).toLowerCase()) && one !== bare
    );
  return { start, words: [...found, ...rest].slice(0, 12).map((one) => sign + one) };
}

function valuesOf(field, { worlds, operations, faults }) {
  switch (field) {
    case "person":
      return names.people().map((one) => one.email.split("@")[0]);
    case "room":
      return names.rooms();
    case "operation":
      return operations;
    case "outcome":
      return OUTCOMES;
    case "kind":
      return ROW_KINDS;
    case "code":
      return ["E01", "E02", "E03", "E05", "E11", "E12", "E13", "E14", "E15", "E21", "E81", "E82", "E97", "E98", "E99"];
    case "method":
      return ["GET", "POST", "PUT", "DELETE"];
    case "event":
      return ["channel", "dm", "opened", "closed"];
    case "world":
      return worlds;
    case "fault":
      return faults;
    case "show":
      return ["all"];
    default:
      return [];
  }
}
