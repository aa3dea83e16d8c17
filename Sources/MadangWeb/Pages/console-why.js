/**
 * Explains a refusal and offers a cure.
 * @module
 */

import { post } from "./console-api.js";
import { codeRow, contractLink, headingsOf, headingTitle } from "./console-contract.js";
import { button, visible } from "./console-dom.js";
import { personById, personName, place, placeKey, placeName } from "./console-places.js";
import { placeOf } from "./console-row.js";
import { h } from "./elements.js";
import { currentLanguage, hasText, t } from "./words.js";

const headerOf = (message, name) => message?.headers.find((one) => one.name.toLowerCase() === name)?.value;

/** The server's own explanation, without the code and its general meaning. */
export function explanationOf(entry) {
  const text = headerOf(entry.answer, "x-madang-explanation") ?? "";
  const colon = text.indexOf(": ");
  return colon < 0 ? text.replace(/^E\d\d /, "") : text.slice(colon + 2);
}

/** For a missing membership: the sentence, and the place to join. */
function advice(entry) {
  if (!entry.account || !["E13", "E14"].includes(entry.code)) return null;
  const found = placeOf(entry.path ?? "");
  const [workspace, room] = [placeKey("w", found.workspace), placeKey(found.kind, found.room)];
  const outer = workspace && place(workspace);
  if (!outer?.members) return null;
  const who = personName(entry.account);
  const ownerOf = (id) => personName(ownerEmail(id));
  const words = { who, workspace: outer.name, owner: ownerOf(outer.owner) };
  if (!outer.members.includes(entry.account)) return { text: t("why.notMember", words), who, join: outer.name };
  if (entry.code === "E14") {
    const inner = room && place(room);
    return {
      text: t("why.notOwner", { ...words, place: inner?.name ?? outer.name, owner: ownerOf(inner?.owner ?? outer.owner) }),
    };
  }
  const inner = room && place(room);
  if (inner?.name[0] === "#") {
    return { text: t("why.notInRoom", { ...words, room: inner.name }), who, join: `${outer.name}/${inner.name.slice(1)}` };
  }
  return null;
}

const ownerEmail = (id) => personById(id)?.email ?? placeName(id ?? "");

/** The server's reason is English; in other languages the meaning of the code stands before it. */
function reason(code, said, hint) {
  const more = hint ? ` ${hint.text}` : "";
  if (currentLanguage() === "en" && said) return h("p", null, h("strong.said", null, `${code}: ${said}.`), more);
  const meaning = hasText(`code.${code}`) ? t(`code.${code}`) : code;
  return [
    h("p", null, h("strong", null, `${code}: ${meaning}`), more),
    said ? h("p.said", { lang: "en" }, said) : null,
  ];
}

/**
 * The box with the reason; null for a success.
 * @param {object} entry A whole entry.
 * @param {object} app
 */
export function why(entry, app, world) {
  if (entry.fault) {
    return {
      node: h("div.why.warm", null,
        h("p", null, h("strong", null, t("why.fault", { kind: entry.fault.kind })), " ", t(`effect.${entry.fault.kind}`)),
        h("p", null, h("a", { href: `#/${world || "~"}/faults` }, t("why.rule", { rule: entry.fault.rule })))),
    };
  }
  if (entry.kind === "request" && entry.status === undefined) {
    return { node: h("div.why", null, h("p", null, h("strong", null, t("why.lost")), " ", t("why.lostText"))) };
  }
  if (entry.packet === "connectError") {
    return {
      node: h("div.why", null,
        h("p", null, h("strong", null, t("why.namespace")), " ", visible(entry.payload ?? "")),
        h("p", null, contractLink("socket-access", t("why.contract", { title: "Socket access" })))),
    };
  }
  const code = entry.code;
  if (!code) return null;
  const said = explanationOf(entry);
  const hint = advice(entry);
  const links = h("p.links");
  const paragraph = h("blockquote", { lang: "en" });
  paragraph.hidden = true;
  codeRow(code).then((row) => {
    if (!row) return;
    paragraph.replaceChildren(h("span.mono", null, code), ` ${row[0].replaceAll("`", "")} · ${row[1].replaceAll("`", "")}`);
    paragraph.hidden = false;
  }).catch(() => {});
  const headings = ["error-codes", ...headingsOf(entry.operation, code, said)];
  Promise.all(headings.map(async (id) => [id, await headingTitle(id)])).then((found) => {
    const known = found.filter(([, title]) => title);
    links.replaceChildren(t("why.contractLinks"),
      ...known.flatMap(([id, title], index) => [index ? ", " : " ", contractLink(id, title)]));
  }).catch(() => {});
  const node = h("div.why", null,
    reason(code, said, hint),
    paragraph,
    links);
  if (!hint?.join) return { node };
  const words = { who: hint.who, place: hint.join };
  const letIn = async () => {
    const joined = post(world, `people/${encodeURIComponent(entry.account)}/join`, { in: hint.join });
    if (await app.doing(joined, () => t("why.isIn", words))) app.readNames();
  };
  return { node, act: button(t("why.letIn", words), letIn) };
}
