/** Overview: figures with the last hour or day, what needs a person, what happened last. @module */

import { get, post } from "./admin-calls.js";
import { actorWords, auditWords } from "./admin-audit-words.js";
import { findingWords } from "./admin-finding.js";
import { bar, graph, tinyGraph } from "./admin-graph.js";
import { button, choice, facts, pill, section, redraw, sure, table } from "./admin-parts.js";
import { ago, bytes, date, number, percent, span, when } from "./admin-words.js";
import { h, name as named, toast } from "./elements.js";
import { readSetting, t, writeSetting } from "./words.js";

export default async function overview(app) {
  let range = readSetting("admin.range") === "day" ? "day" : "hour";
  let [state, waiting, last] = [await app.state(), [], []];
  const place = h("div.overview");

  const readMore = async () => {
    [waiting, last] = await Promise.all([
      state.pending ? get("accounts", { state: "pending", limit: 5 }, { poll: true }).then((answer) => answer.accounts) : [],
      get("audit", { limit: 6 }, { poll: true }).then((answer) => answer.entries)]);
  };
  await readMore();

  const decide = (action, done) => (account) => async () => {
    if (action === "reject" && !await sure(t("account.reject"), t("account.reject.ask", { email: account.email }), t("account.reject"))) return;
    await post(`accounts/${account.number}/${action}`);
    toast(t(done, { name: account.nickname }));
    await app.look();
    await readMore();
    draw();
  };
  const approve = decide("approve", "account.approved");
  const reject = decide("reject", "account.rejected");

  const draw = () => {
    redraw(place,
      h("div.stats", null, stats(state, range)),
      notes(app, state),
      waiting.length ? section([t("overview.waiting"), h("span.faint.count", null, number(state.pending))],
        table(t("overview.waiting"), [t("account.name"), [t("email"), "wide"], [t("account.since"), "wide"], ["", "acts"]], waiting.map((one) => [
          h("a.row-link", { href: app.link("accounts", one.number), "data-focus": `account-${one.number}` }, named(one.nickname), h("span.under", null, one.email)), one.email, when(one.pendingAt),
          [h("div.row-acts", null, button(t("account.approve.short"), approve(one), "small", one.nickname), button(t("account.reject.short"), reject(one), "small.grave", one.nickname))]])),
        h("p", null, h("a.link", { href: app.link("accounts", "", { state: "pending" }) }, t("overview.waiting.all", { n: state.pending })))) : null,
      h("div.columns", null, queues(app, state, range), care(app, state), totals(state)),
      last.length > 0 && section(t("overview.last"),
        table(t("overview.last"), [t("audit.what"), [t("audit.who"), "wide"], t("audit.when")], last.map((entry) => [auditWords(entry), named(actorWords(entry.actor)), when(entry.at)])),
        h("p", null, h("a.link", { href: app.link("audit") }, t("overview.all")))));
  };
  draw();

  return {
    node: place,
    actions: [choice(t("range.label"), [["hour", t("range.hour")], ["day", t("range.day")]], range, (value) => { range = value; writeSetting("admin.range", value); draw(); })],
    onOverview(next) {
      const isOther = next.pending !== state.pending;
      state = next;
      if (isOther) return readMore().then(draw, () => {});
      if (!place.matches(":has(:hover svg.graph)") && !document.querySelector("dialog[open]")) draw();
    },
    repeat: { every: 60_000, act: () => readMore().then(draw, () => {}) },
  };
}

function stats(state, range) {
  const series = state.series[range];
  const [from, step] = [Date.parse(series.from), series.step * 1000];
  const stat = (label, value, under, values, colour, format, more) => h("section.stat", null, h("h2.soft", null, label), h("p.figure", null, value, under && h("span.soft.small", null, under)),
    graph({ label: `${label}, ${t(`range.${range}`)}`, values, from, step, colour, format, ...more }));
  const { disk } = state;
  const used = disk.size - disk.free;
  return [
    stat(t("stat.people"), number(state.connected.people), t("stat.sockets", { n: state.connected.sockets }), series.people, "persimmon", number, { calm: true }),
    stat(t("stat.chats"), number(state.chatsToday), null, series.chats, "pine", number, { calm: true, unit: t(range === "hour" ? "stat.perMinute" : "stat.perQuarter") }),
    stat(t("stat.post"), state.post === null ? "–" : span(state.post), t("stat.p99"), series.post, "sky", span),
    h("section.stat", null, h("h2.soft", null, t("stat.disk")), h("p.figure", null, percent(used / disk.size), h("span.soft.small", null, t("stat.free", { size: bytes(disk.free) }))),
      h("div.graph-box", null, h("div.bar-box", null, bar(used / disk.size, t("stat.disk.heard", { used: bytes(used), size: bytes(disk.size) }))), h("p.faint.small", null, t("stat.of", { used: bytes(used), size: bytes(disk.size) })))),
  ];
}

/** One line for each of the first findings. */
function notes(app, state) {
  const { first, errors, warnings } = state.findings;
  if (!first.length) return null;
  return h("div.notes", null, first.map((one) => h("div.note", null, pill(t(`severity.${one.severity}`), one.severity === "error" ? "bad" : "warm"), h("span", null, findingWords(one)),
    h("a.button", { href: app.link("health"), "aria-label": t("health.cure.of", { message: one.message }) }, t("health.cure")))),
  errors + warnings > first.length && h("p", null, h("a.link", { href: app.link("health") }, t("overview.findings", { n: errors + warnings - first.length }))));
}

function queues(app, { pushes, mails, database, series }, range) {
  const line = (label, waiting, trouble, address, values) => [label, h("span.queue", null, tinyGraph({ label: `${label}, ${t(`range.${range}`)}`, values, colour: trouble ? "plum" : "pine", format: number }), waiting === 0 ? pill(t("queue.none"), "good") : address ? h("a.link", { href: app.link(address) }, number(waiting)) : number(waiting), trouble && pill(trouble, "bad"))];
  return section(t("overview.queues"), facts([
    line(t("queue.pushes"), pushes.waiting, pushes.failing && t("queue.failing"), null, series[range].pushes), line(t("queue.mails"), mails.waiting, mails.failing && t("queue.failing"), "mails", series[range].mails), line(t("queue.database"), database.waiting, null, null, series[range].database)]));
}

function care(app, { backup, certificate, startedAt, version }) {
  const ends = certificate?.endsAt;
  const left = ends && (new Date(ends) - Date.now()) / 86_400_000;
  return section(t("overview.care"), facts([
    [t("backup.last"), h("a.link", { href: app.link("backups") }, backup.last ? ago(backup.last) : t("backup.never"))],
    [t("backup.next"), backup.next && ago(backup.next)],
    [t("certificate"), certificate ? [h("span", { title: certificate.names.join(", ") }, ends ? t("certificate.until", { date: date(ends) }) : t("certificate.none")), certificate.error ? [" ", pill(t("certificate.failing"), "bad"), h("div.soft", null, certificate.error)] : left < 14 && [" ", pill(t("certificate.soon"), "bad")]] : t(location.protocol === "https:" ? "certificate.proxy" : "certificate.plain")],
    [t("overview.version"), version], [t("overview.started"), ago(startedAt)]]));
}

function totals({ totals: all }) {
  return section(t("overview.totals"), facts([[t("total.accounts"), number(all.accounts)], [t("total.workspaces"), number(all.workspaces)], [t("total.chats"), number(all.chats)], [t("total.files"), `${number(all.files)} · ${bytes(all.fileBytes)}`]]));
}
