/**
 * The second step of a sign-in: the secret for an authenticator app, and recovery codes.
 * @module
 */

import { h } from "./elements.js";
import { form } from "./form.js";
import { qrPicture } from "./qr.js";
import { copy } from "./admin-parts.js";
import { t } from "./words.js";

/** The field of a code of six digits. */
export const codeField = (more = {}) => ({ name: "code", label: t("code"), required: true, autocomplete: "one-time-code", inputmode: "numeric", ...more });

/** Digits without the blanks that apps show. */
export const plainCode = (text) => text.replace(/[\s-]/g, "");

/**
 * The secret as a picture and as text, and a form that confirms a code of the app.
 * @param {{secret: string, name: string, issuer: string, submit: string, action: (code: string) => Promise<void>, explain: (error: Error) => string, beside?: Array<Node>}} plan
 */
export function enrol({ secret, name, issuer, submit, action, explain, beside }) {
  const label = encodeURIComponent(`${issuer}:${name}`);
  const address = `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
  return [
    h("div.enrol", null, h("div.qr", null, qrPicture(address, t("totp.picture"))),
      h("div", null, h("p.soft.small", null, t("totp.bytext")), h("p.mono.secret-text", { dir: "ltr" }, secret.replace(/(.{4})(?=.)/g, "$1 ")),
        h("button.link.small", { type: "button", onclick: () => copy(secret) }, t("totp.copy")))),
    form({ fields: [codeField()], submit, explain, beside, action: (values) => action(plainCode(values.code)) }),
  ];
}

/**
 * Recovery codes, which are shown once. Going on needs a tick, and the browser asks before it leaves the page.
 * @param {string[]} codes @param {string} site @param {() => void} done
 */
export function recoveryCodes(codes, site, done) {
  const stay = (event) => event.preventDefault();
  addEventListener("beforeunload", stay);
  const go = h("button.button.main", { type: "button", disabled: true, onclick: () => {
    removeEventListener("beforeunload", stay);
    done();
  } }, t("recovery.go"));
  const kept = h("input", { type: "checkbox", onchange: () => { go.disabled = !kept.checked; } });
  const save = h("button.button", { type: "button", onclick: () => {
    const address = URL.createObjectURL(new Blob([`${site}\n\n${codes.join("\n")}\n`], { type: "text/plain" }));
    h("a", { href: address, download: "madang-recovery-codes.txt" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  } }, t("recovery.save"));
  return [
    h("ol.codes.mono", { "aria-label": t("recovery.title"), dir: "ltr" }, codes.map((code) => h("li", null, code))),
    h("div.actions", null, h("button.button", { type: "button", onclick: () => copy(codes.join("\n")) }, t("copy")), save),
    h("label.tick", null, kept, h("span", null, t("recovery.kept"))), h("div.actions", null, go),
  ];
}
