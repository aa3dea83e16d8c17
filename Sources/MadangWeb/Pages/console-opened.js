/**
 * The opened row: request, answer, the reason of a refusal, what was written, which sockets it reached.
 * @module
 */

import { post } from "./console-api.js";
import { before, reached, section, socketWords } from "./console-around.js";
import { ruleOf } from "./console-besides.js";
import { curl, isSendable, variablesOf } from "./console-curl.js";
import { block, button, copy, fill, pretty, visible } from "./console-dom.js";
import { bytes, duration } from "./console-figures.js";
import { entryOf } from "./console-follow.js";
import { message, more, statusLine } from "./console-message.js";
import { personName } from "./console-places.js";
import { momentOf, titleOf } from "./console-rows.js";
import { showTest } from "./console-testdialog.js";
import { why } from "./console-why.js";
import { writtenBy } from "./console-written.js";
import { h, toast } from "./elements.js";
import { hasText, t } from "./words.js";

const SETTLE = 60;

export class Opened {
  node = h("section.opened-row", { "aria-label": t("open.label"), hidden: true });
  #app;
  #acts;
  #row = null;
  #turn = 0;

  /**
   * @param {object} app
   * @param {{close: () => void, jump: (row: object) => void, narrow: (query: string) => void}} acts
   */
  constructor(app, acts) {
    [this.#app, this.#acts] = [app, acts];
  }

  hide() {
    this.node.hidden = true;
    this.#row = null;
    this.#turn++;
    this.node.replaceChildren();
  }

  /** Shows names that arrived after the row was opened. */
  renamed() {
    if (!this.#row) return;
    const heading = this.node.querySelector("h2");
    const isRead = this.node.contains(document.activeElement) && document.activeElement !== heading;
    if (isRead) heading.textContent = titleOf(this.#row);
    else this.show(this.#row, document.activeElement === heading);
  }

  /** Shows a row; with `focus` its heading gets the focus. */
  async show(row, focus = false) {
    const turn = ++this.#turn;
    // If the same row is shown again, its content stays until the new content is ready.
    const former = row === this.#row ? this.node.querySelector(".opened-body") : null;
    this.#row = row;
    const heading = h("h2", { tabindex: "-1" }, titleOf(row));
    const body = h("div.opened-body");
    fill(this.node,
      h("header", null, heading, button(t("close"), this.#acts.close, "quiet-button")),
      h("p.soft.under", null, this.#under(row)),
      former ?? body);
    const put = (content) => {
      // Content that has the focus is not replaced.
      if (former?.contains(document.activeElement)) return;
      fill(body, content);
      former?.replaceWith(body);
    };
    this.node.hidden = false;
    if (!former) this.node.scrollTop = 0;
    if (focus) heading.focus();
    if (row.number === undefined) {
      put(this.#plain(row));
      return;
    }
    if (row.gone) {
      put(h("p.soft", null, t("open.dropped")));
      return;
    }
    // A held arrow key passes many rows. Only the one that stays is fetched.
    await new Promise((done) => setTimeout(done, SETTLE));
    if (turn !== this.#turn) return;
    try {
      const entry = await entryOf(row.world, row.number);
      if (turn !== this.#turn) return;
      put(entry ? this.#whole(row, entry) : h("p.soft", null, t("open.dropped")));
    } catch (error) {
      if (turn === this.#turn) put(h("p.why", null, this.#app.wording(error)));
    }
  }

  #under(row) {
    const words = [
      row.person ? personName(row.person) : t("open.noAccount"),
      row.edition,
      row.world && t("open.world", { world: row.world }),
      row.number && t("open.entry", { n: row.number }),
      row.ms !== undefined && duration(row.ms),
    ];
    return [h("span.mono", null, momentOf(row)), ` · ${words.filter(Boolean).join(" · ")}`];
  }

  #plain(row) {
    return [
      row.text ? block(row.text, t("open.text")) : null,
      row.link ? h("p", null, h("a", { href: row.link[0] }, row.link[1])) : null,
    ];
  }

  #whole(row, entry) {
    const reason = why(entry, this.#app, row.world);
    const acts = h("div.acts", { role: "group", "aria-label": t("open.acts") });
    if (entry.kind === "request" && !entry.longPolling) {
      if (isSendable(entry)) acts.append(button(t("open.curl"), () => this.#copyCurl(row, entry)));
      acts.append(button(t("open.again"), () => this.#again(row)));
      if (isSendable(entry)) acts.append(button(t("open.test"), () => this.#showTest(row, entry)));
    }
    if (reason?.act) acts.append(reason.act);
    if (entry.session) acts.append(button(t("open.session"), () => this.#acts.narrow(`socket:${entry.session} show:all`)));
    if (row.person) {
      acts.append(
        button(t("open.person", { who: personName(row.person) }), () => this.#acts.narrow(`person:${row.person.split("@")[0]}`)),
      );
    }
    return [reason?.node, acts, ...(entry.kind === "request" ? this.#request(row, entry) : this.#other(row, entry))];
  }

  async #copyCurl(row, entry) {
    const first = [...new Set(variablesOf(entry))].join(", ");
    if (await copy(curl(entry, this.#app.origin(row.world)), t("open.curl"))) {
      toast(first ? t("open.setFirst", { names: first }) : t("copied"));
    }
  }

  async #again(row) {
    const sent = await this.#app.doing(post(row.world, `journal/${row.number}/again`), ({ number }) => t("open.sent", { n: `${number}` }));
    if (sent) this.#app.awaitRow(row.world, sent.number);
  }

  async #showTest(row, entry) {
    const app = this.#app;
    const known = () => (app.alone ? app.worlds()[0] : app.worlds().find((one) => one.id === row.world));
    // A world may be newer than the list of worlds.
    if (row.world && !known()) await app.readWorlds();
    const { seed, number = null } = known() ?? {};
    showTest(entry, { id: row.world, seed, number, rule: entry.fault && ruleOf(row.world, entry.fault.rule) }, app.store.rows);
  }

  #request(row, entry) {
    const { method, path, query, request, answer, status } = entry;
    const asked = message(`${method} ${path}${query ? `?${query}` : ""}`, request, entry);
    const isAnswered = answer && status !== undefined;
    const answered = isAnswered ? message(statusLine(status), answer, entry) : t("open.noAnswer");
    return [
      section(t("open.request"), block(asked, t("open.request")), more(request), truncated(request)),
      section(t("open.answer"), block(answered, t("open.answer")), more(answer), truncated(answer)),
      section(t("open.written"), h("p.soft", null, writtenBy(row, entry))),
      reached(row, this.#app.store.rows, (one, words) => this.#jump(one, words)),
      before(row, this.#app.store.rows, (one, words) => this.#jump(one, words)),
    ];
  }

  #jump(row, words) {
    return h("button.link", { type: "button", onclick: () => this.#acts.jump(row) }, words);
  }

  #other(row, entry) {
    const facts = Object.entries({
      event: entry.event,
      packet: entry.packet,
      direction: entry.direction,
      namespace: entry.namespace,
      session: entry.session,
      transport: entry.transport,
      reason: entry.reason,
      ack: entry.ack,
      deviceToken: entry.deviceToken,
      imp_uid: entry.payment,
      merchant_uid: entry.merchant,
      amount: entry.amount,
      subject: entry.subject,
      language: entry.language,
      size: entry.size && bytes(entry.size),
    }).filter(([, value]) => value !== undefined && value !== "");
    const to = row.to ?? [];
    const cause = row.chat &&
      this.#app.store.rows.findLast((one) => one.kind === "request" && one.chat === row.chat && one.world === row.world);
    return [
      h("dl.facts", null,
        facts.map(([name, value]) => [h("dt", null, factName(name)), h("dd.mono", null, visible(String(value)))])),
      entry.payload ? section(t("open.payload"), block(pretty(entry.payload, entry.truncated), t("open.payload")), truncated(entry)) : null,
      entry.kind === "mail" ? h("p", null, h("a", { href: this.#app.link("mails") }, t("page.mails"))) : null,
      to.length ? section(t("open.reached"), h("ul.plain", null, to.slice(0, 100).map(socketRow))) : null,
      cause ? section(t("open.cause"), h("p", null, this.#jump(cause, titleOf(cause)))) : null,
    ];
  }
}

const socketRow = ([person, session, transport]) =>
  h("li", null, person ? personName(person) : "–", socketWords(session, transport));
const factName = (name) => (hasText(`fact.${name}`) ? t(`fact.${name}`) : name);
const truncated = (part) => (part?.truncated ? h("p.soft", null, t("open.truncated")) : null);
