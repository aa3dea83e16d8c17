/**
 * A request as a line of curl. Secrets are not in the journal: their places are named instead.
 * @module
 */

const DROPPED = new Set(["content-length", "connection", "accept-encoding", "host", "transfer-encoding"]);
const PLACES = { sesackey: "dev-key-{edition}", authorization: "$TOKEN", refreshtoken: "$REFRESH_TOKEN", cookie: "$COOKIE" };

/** Quotes text for a POSIX shell; `$NAME` in double quotes stays a variable. */
const quote = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * @param {object} entry A whole entry of a request.
 * @param {string} origin Such as `http://127.0.0.1:38141`.
 */
export function curl(entry, origin) {
  const { request } = entry;
  const words = [`curl ${quote(`${origin}${entry.path}${entry.query ? `?${entry.query}` : ""}`)}`];
  const takesBody = request.body !== undefined || request.parts;
  if (entry.method !== (takesBody ? "POST" : "GET")) words.push(`-X ${entry.method}`);
  for (const { name, value } of request.headers) {
    const lower = name.toLowerCase();
    if (DROPPED.has(lower) || lower === "user-agent" || (lower === "accept" && value === "*/*")) continue;
    if (lower === "content-type" && request.parts) continue;
    const hidden = value === "***";
    const put = hidden ? (PLACES[lower] ?? "$SECRET").replace("{edition}", entry.edition ?? "2024-10") : value;
    words.push(`-H ${hidden && put[0] === "$" ? `${quote(`${name}: `)}"${put}"` : quote(`${name}: ${put}`)}`);
  }
  for (const part of request.parts ?? []) {
    words.push(
      part.fileName
        ? `-F ${quote(`${part.name}=@${part.fileName}`)}`
        : `--form-string ${quote(`${part.name}=${part.text ?? ""}`)}`,
    );
  }
  if (request.body !== undefined) words.push(`--data-raw ${quote(request.body)}`);
  return words.join(" \\\n  ");
}
