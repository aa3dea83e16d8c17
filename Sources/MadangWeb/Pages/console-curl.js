/**
 * A request as a line of curl. Secrets are not in the journal: their places are named instead.
 * @module
 */

import { visible } from "./console-dom.js";
import { unmasked } from "./console-message.js";

const DROPPED = new Set(["content-length", "connection", "accept-encoding", "host", "transfer-encoding"]);
const PLACES = new Map([
  ["sesackey", "dev-key-{edition}"],
  ["authorization", "$TOKEN"],
  ["refreshtoken", "$REFRESH_TOKEN"],
  ["cookie", "$COOKIE"],
]);

const hex = (byte) => `\\x${byte.toString(16).padStart(2, "0")}`;
const bytesOf = (sign) => Array.from(new TextEncoder().encode(sign), hex).join("");

/**
 * Quotes text for a shell; `$NAME` in double quotes stays a variable. A terminal acts on control characters of a pasted text, also
 * within quotes: a text with one is quoted as `$'…'`, in which bash, ksh and zsh read escapes.
 */
function quote(text) {
  if (visible(text) === text && !/[\n\t]/.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escaped = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\t", "\\t").replace(/['!]/g, bytesOf);
  return `$'${Array.from(escaped, (sign) => (visible(sign) === sign ? sign : bytesOf(sign))).join("")}'`;
}

/** A file of the folder that the command is run in, never another one of this machine: the name was chosen by the caller. */
const fileOf = (name) => `./${name.split(/[/\\]/).pop().replace(/[^\p{L}\p{N}_.-]/gu, "_").replace(/^[.-]+/, "") || "file"}`;

/** A part of a form; none if curl would read its name as more than a name. */
function part({ name, fileName, text }) {
  if (/[=;"@<\\]/.test(name)) return null;
  return fileName ? `-F ${quote(`${name}=@"${fileOf(fileName)}"`)}` : `--form-string ${quote(`${name}=${text ?? ""}`)}`;
}

/** Whether clients send a path as it was recorded, and to this server: `@host`, `http://host` and `/../` lead elsewhere. */
export const isSendable = ({ path }) => path[0] === "/" && !/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path);

const HIDDEN = [["authorization", "TOKEN", "accessToken"], ["refreshtoken", "REFRESH_TOKEN", "refreshToken"]];
const masks = (entry, name) => entry.request.headers.some((one) => one.name.toLowerCase() === name && one.value === "***");

/** Lines that put the tokens of the request's person into the variables that the command has, by a sign-in as seeds allow it. */
function signIns(entry, origin) {
  if (!entry.account) return [];
  const person = JSON.stringify({ email: entry.account, password: "Passw0rd!" });
  const key = `SesacKey: dev-key-${entry.edition ?? "2024-10"}`;
  return HIDDEN.filter(([header]) => masks(entry, header)).map(([, variable, field]) =>
    `${variable}=$(curl -s ${quote(`${origin}/v1/users/login`)} -H ${quote(key)} -d ${quote(person)} \\
  | sed ${quote(`s/.*"${field}":"\\([^"]*\\)".*/\\1/`)})`);
}

/** Variables of the command that have to be set first. */
export const variablesOf = (entry) => {
  const known = entry.account ? HIDDEN.map(([header]) => header) : [];
  const masked = entry.request.headers.filter((one) => one.value === "***").map((one) => one.name.toLowerCase());
  return masked.filter((one) => one !== "sesackey" && !known.includes(one)).map((one) => PLACES.get(one) ?? "$SECRET");
};

/**
 * @param {object} entry A whole entry of a request.
 * @param {string} origin Such as `http://127.0.0.1:38141`.
 */
export function curl(entry, origin) {
  const { request } = entry;
  const address = `${origin}${entry.path}${entry.query ? `?${entry.query}` : ""}`;
  const words = [`curl ${/[[\]{}]/.test(address) ? "-g " : ""}${quote(address)}`];
  const takesBody = request.body !== undefined || request.parts;
  const isUsual = entry.method === (takesBody ? "POST" : "GET");
  if (!isUsual) words.push(`-X ${/^[A-Z]+$/.test(entry.method) ? entry.method : quote(entry.method)}`);
  for (const { name, value } of request.headers) {
    const lower = name.toLowerCase();
    if (DROPPED.has(lower) || lower === "user-agent" || (lower === "accept" && value === "*/*")) continue;
    if (lower === "content-type" && request.parts) continue;
    const hidden = value === "***";
    const put = hidden ? (PLACES.get(lower) ?? "$SECRET").replace("{edition}", entry.edition ?? "2024-10") : value;
    words.push(`-H ${hidden && put[0] === "$" ? `${quote(`${name}: `)}"${put}"` : quote(`${name}: ${put}`)}`);
  }
  const parts = request.parts?.map(part) ?? [];
  words.push(...parts.filter(Boolean));
  if (request.body !== undefined) words.push(`--data-raw ${quote(unmasked(entry))}`);
  const note = parts.includes(null) ? "\n# Parts with the signs = ; @ < or quotes in their names are left out." : "";
  return [...signIns(entry, origin), words.join(" \\\n  ") + note].join("\n");
}
