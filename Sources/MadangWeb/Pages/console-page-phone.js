// A phone: address and key as a QR code.

import { copy, field, fill, h, select } from "./console-dom.js";
import { t } from "./console-text.js";
import { qrPicture } from "./qr.js";

const LOCAL = /^(127\.|localhost$|\[?::1\]?$|.*\.localhost$)/;

export default function page(app) {
  const edition = select(["2024-10", "2024-01"], "2024-10", { onchange: () => draw() });
  const code = h("div", { class: "qr" });
  const words = h("div", { class: "grow" });
  const draw = () => {
    const world = app.worlds().find((one) => one.id === app.world);
    const origin = new URL(app.about.url);
    // Worlds listen on the same addresses as the server that made them.
    if (world) origin.port = world.port;
    const key = (world?.keys ?? app.about.keys)[edition.value] ?? "";
    const address = origin.origin;
    const text = `${address}/#key=${encodeURIComponent(key)}&edition=${edition.value}`;
    fill(code, qrPicture(text, t("phone.code", { address })));
    fill(words, LOCAL.test(origin.hostname) ? h("p", { class: "why warm" }, h("strong", {}, t("phone.local")), " ", t("phone.localWhy"), " ", h("code", {}, "madang serve --dev --lan")) : h("p", {}, t("phone.same")),
      h("dl", { class: "facts" }, fact(app, t("phone.address"), address), fact(app, "SesacKey", key), fact(app, t("phone.text"), text)), h("p", { class: "soft" }, t("phone.how")));
  };
  draw();
  return { title: t("page.phone"), node: h("div", { class: "page" }, h("p", { class: "lead" }, t("phone.lead")), h("div", { class: "form" }, field(t("coverage.edition"), edition)), h("div", { class: "phone" }, code, words)) };
}

const fact = (app, name, value) => [h("dt", {}, name), h("dd", { class: "mono break" }, value, " ", h("button", { type: "button", class: "link", onclick: async () => { if (await copy(value, name)) app.toast(t("copied")); } }, t("copy")))];
