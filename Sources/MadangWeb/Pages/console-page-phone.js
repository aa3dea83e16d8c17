/**
 * A phone: address and key as a QR code.
 * @module
 */

import { copyButton, field, fill, select } from "./console-dom.js";
import { h } from "./elements.js";
import { qrPicture } from "./qr.js";
import { t } from "./words.js";

const LOCAL = /^(127\.|localhost$|\[?::1\]?$|.*\.localhost$)/;

export default function page(app) {
  const edition = select(["2024-10", "2024-01"], "2024-10", { onchange: () => draw() });
  const code = h("div.qr");
  const words = h("div.grow");
  const draw = () => {
    const world = app.worlds().find((one) => one.id === app.world);
    const origin = new URL(app.about.url);
    // Worlds listen on the same addresses as the server that made them.
    if (world) origin.port = world.port;
    const key = (world?.keys ?? app.about.keys)[edition.value] ?? "";
    const address = origin.origin;
    const text = `${address}/#key=${encodeURIComponent(key)}&edition=${edition.value}`;
    fill(code, qrPicture(text, t("phone.code", { address })));
    fill(words,
      LOCAL.test(origin.hostname)
        ? h("p.why.warm", null,
          h("strong", null, t("phone.local")),
          " ",
          t("phone.localWhy"),
          " ",
          h("code", null, "madang serve --dev --lan"))
        : h("p", null, t("phone.same")),
      h("dl.facts", null, fact(t("phone.address"), address), fact("SesacKey", key), fact(t("phone.text"), text)),
      h("p.soft", null, t("phone.how")));
  };
  draw();
  return {
    title: t("page.phone"),
    node: h("div.page", null,
      h("p.lead", null, t("phone.lead")),
      h("div.form", null, field(t("coverage.edition"), edition)),
      h("div.phone", null, code, words)),
  };
}

const fact = (name, value) => [
  h("dt", null, name),
  h("dd.mono.break", null,
    value,
    " ",
    copyButton(() => value, name)),
];
