/**
 * Draws rows of the timeline.
 * @module
 */

import { say, visible } from "./console-dom.js";
import { duration, number } from "./console-figures.js";
import { personName, place, placeName } from "./console-places.js";
import { isId } from "./console-row.js";
import { h } from "./elements.js";
import { t } from "./words.js";

let worldsAreShown = false;
/** Whether rows show their world. */
export const showWorlds = (on) => {
  worldsAreShown = on;
};

let elapsedIsShown = false;
/** Whether rows show the real time since their server began: while a clock stands still, all have the same moment. Returns if that changed. */
export function showElapsed(on) {
  const isChange = on !== elapsedIsShown;
  elapsedIsShown = on;
  return isChange;
}

/** When a row was: by the clock, or `+12.400 s` since the server began. */
export const momentOf = (row) =>
  elapsedIsShown && row.number ? `+${(row.elapsed / 1000).toFixed(3)}\u00a0s` : row.at.slice(11, 23);

/** An empty row; {@link drawRow} fills it. */
export function makeRow() {
  const element = h("div.row");
  element.parts = {
    at: h("span.at.mono.faint"),
    who: h("span.who"),
    tag: h("span.pill.sky"),
    method: h("span.mono.method"),
    before: h("span.path"),
    place: h("b", { dir: "auto" }),
    after: h("span.path"),
    quote: h("bdi.quote"),
    out: h("span.pill"),
    ms: h("span.ms.mono.faint"),
  };
  const { at, who, tag, method, before, place: where, after, quote, out, ms } = element.parts;
  element.append(at, who, h("span.what", null, tag, method, h("span.where", null, before, where, after), quote), out, ms);
  return element;
}

/** Fills an element of {@link makeRow}. */
export function drawRow(element, row) {
  const { parts } = element;
  const it = wordsOf(row);
  say(parts.at, momentOf(row));
  say(parts.who, worldsAreShown ? `${row.world || t("world.server")} · ${it.who}` : it.who);
  parts.who.className = it.dim ? "who soft" : "who";
  show(parts.tag, it.tag);
  if (it.tag) parts.tag.className = `pill ${it.tagKind ?? "sky"}`;
  show(parts.method, it.method);
  show(parts.before, it.before);
  show(parts.place, it.place);
  show(parts.after, it.after);
  show(parts.quote, it.quote);
  show(parts.out, it.out);
  const kind = `pill ${it.outKind ?? ""}`;
  if (parts.out.className !== kind) parts.out.className = kind;
  say(parts.ms, duration(row.ms));
  const own = row.gone ? "row gone" : row.quiet ? "row quiet" : row.kind === "mark" ? "row across" : "row";
  if (element.className !== own) element.className = own;
}

function show(element, text) {
  const hidden = !text;
  if (element.hidden !== hidden) element.hidden = hidden;
  if (!hidden) say(element, text);
}

const OUT = { ok: "good", refused: "bad", failed: "bad", lost: "bad", fault: "warm" };
const quoted = (text) => (text ? `“${visible(text)}”` : "");
/** Most letters of a path that a row shows. */
const LONGEST = 200;
const short = (text) => visible(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

/** The texts of a row. */
export function wordsOf(row) {
  const who = row.person ? personName(row.person) : "";
  return { who, outKind: OUT[row.outcome], ...(WORDS[row.kind] ?? WORDS.other)(row, who) };
}

/** The outcome of a request in few words. */
export function outcomeOf(row) {
  if (row.fault) return t("row.fault", { kind: row.fault, status: row.status ?? "" }).trim();
  if (row.status === undefined) return t("row.lost");
  if (row.code) return `${row.status} · ${row.code}`;
  return row.count === undefined ? `${row.status}` : t("row.counted", { status: row.status, n: row.count });
}

/** A path with names: the text before the place's name, the name, and the text behind it. */
export function pathWords({ workspace, room, rest, path }) {
  if (!workspace) return { before: short(rest ?? path ?? ""), place: "", after: "" };
  const tail = rest ? short(`/${rest}`) : "";
  if (room) return { before: "…/", place: isId(room) ? placeName(room).replace(/^#/, "") : short(room), after: tail };
  return { before: "", place: placeName(workspace), after: tail };
}

/** The title of a row. */
export function titleOf(row) {
  if (row.kind === "request") {
    const { before, place: name, after } = pathWords(row);
    const outer = row.room && row.workspace ? ` · ${placeName(row.workspace)}` : "";
    return row.workspace
      ? `${row.method} ${row.room ? `#${name}`.replace(/^##/, "#") : name}${after}${outer}`
      : `${row.method} ${before}`;
  }
  if (row.kind === "mark" || row.kind === "fault") return row.quote;
  if (row.kind === "mail") return visible(row.quote);
  const it = wordsOf(row);
  return [it.tag, it.before?.trim(), it.place, it.after?.trim()].filter(Boolean).join(" ");
}

const WORDS = {
  request: (row, who) => ({
    who: who || (row.operation === "signIn" || row.operation === "signUp" ? visible(row.quote.split("@")[0]) : "–"),
    dim: !who,
    method: row.method,
    ...pathWords(row),
    quote: row.method === "GET" ? "" : quoted(row.quote),
    out: outcomeOf(row),
  }),

  connection: (row, who) => ({
    who: who || "–",
    dim: true,
    tag: t("row.socket"),
    before: t(`row.connection.${row.event}`, { transport: row.transport ?? "" }),
    quote: visible(row.quote),
    out: row.fault ? outcomeOf({ ...row, status: "" }) : "",
  }),

  packet: (row, who) => ({
    who: who || "–",
    dim: !who,
    tag: t("row.socket"),
    before: row.quiet ? `${row.packet} ` : `${t(`row.packet.${row.packet}`)} `,
    place: row.room ? placeName(row.room) : "",
    after: row.transport ? ` · ${row.transport}` : "",
    quote: row.packet === "connectError" ? visible(row.quote) : "",
    out: row.fault ? outcomeOf({ ...row, status: "" }) : row.packet === "connectError" ? t("row.refused") : "",
  }),

  event: (row, who) => {
    const many = row.to?.length ?? 0;
    return {
      who: many ? (many === 1 ? `→ ${who}` : t("row.sockets", { n: many })) : who,
      dim: true,
      tag: t("row.event"),
      before: `${visible(row.event)} `,
      place: row.room ? placeName(row.room) : "",
      after: row.by ? ` · \u2068${visible(row.by)}\u2069` : "",
      quote: quoted(row.quote) || (row.files ? t("row.files", { n: row.files }) : ""),
      out: row.fault ? outcomeOf({ ...row, status: "" }) : many ? t("row.delivered") : t("row.sent"),
    };
  },

  push: (row, who) => ({
    who: `→ ${who || "–"}`,
    dim: true,
    tag: t("row.push"),
    tagKind: "",
    before: "",
    place: short(row.device),
    after: row.room && place(row.room) ? ` · ${placeName(row.room)}` : "",
    quote: quoted(row.quote),
    out: t("row.standin"),
    outKind: "",
  }),

  mail: (row) => ({
    who: `→ ${personName(row.person)}`,
    dim: true,
    tag: t("row.mail"),
    tagKind: "",
    before: visible(row.quote),
    out: t("row.standin"),
    outKind: "",
  }),

  payment: (row, who) => ({
    who: who || "–",
    dim: !who,
    tag: t("row.payment"),
    tagKind: "",
    before: `${t(`row.payment.${row.event}`)} `,
    place: short(row.quote),
    after: row.count === undefined ? "" : ` · ${t("row.won", { won: number(row.count) })}`,
    out: row.code ?? "",
    outKind: row.code ? "bad" : "good",
  }),

  fault: (row) => ({ who: "–", dim: true, tag: t("row.faultTag"), tagKind: "warm", before: row.quote, out: "" }),
  mark: (row) => ({ who: "", before: row.quote, out: "" }),
  other: (row) => ({ before: row.kind, out: "" }),
};
