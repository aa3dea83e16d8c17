/**
 * Before the console: sign-in, and the link that makes an administrator.
 * @module
 */

import { beginSession, checkSetup } from "./admin-calls.js";
import { isGood, newPassword } from "./admin-password.js";
import { codeField, enrol, plainCode, recoveryCodes } from "./admin-secondstep.js";
import { explain, refused, troubleTitle } from "./admin-trouble.js";
import { h } from "./elements.js";
import { form } from "./form.js";
import { chooseLanguage, currentLanguage, LANGUAGES, t } from "./words.js";

/** A card alone on the page. Returns what fills it. */
export function cardOn(ground, server) {
  const card = h("main.card");
  ground.className = "alone";
  ground.replaceChildren(card, languages());
  return (title, text, ...body) => {
    const heading = h("h1", { tabindex: "-1" }, title);
    card.replaceChildren(h("div.mark", { "aria-hidden": "true" }, ([...server.name][0] ?? "M").toUpperCase()), h("div", null, heading, h("p.soft.lead", null, text)), ...body.flat().filter(Boolean));
    document.title = `${title} · ${server.name}`;
    const first = [...card.querySelectorAll("input:not([type=checkbox])")].find((input, at, all) => !input.value || at === all.length - 1);
    (first && !matchMedia("(pointer: coarse)").matches ? first : heading).focus({ preventScroll: true });
  };
}

/**
 * Asks for name, password and code. The server checks them together, so neither can be tried alone.
 * @param {HTMLElement} ground @param {object} server of the session
 * @param {{name: string, isIdle: boolean}} [ended] the administrator whose session was open until now, and whether it ended for want of activity
 * @returns {Promise<object>} the session
 */
export function showSignIn(ground, server, ended) {
  return new Promise((done) => {
    const show = cardOn(ground, server);
    let given = { name: ended?.name ?? "", password: "" };
    const askPassword = () => show(t(ended ? "ended.title" : "signin.title"), t(!ended ? "signin.text" : ended.isIdle ? "ended.text" : "ended.other", { name: server.name, n: server.idleMinutes }), form({
      fields: [
        { name: "name", label: t("signin.name"), value: given.name, required: true, autocomplete: "username" },
        { name: "password", label: t("password"), type: "password", value: given.password, required: true, autocomplete: "current-password" }],
      submit: t("signin.next"), explain,
      action: async (values) => { given = values; askCode(); },
    }));
    const askCode = () => show(t("code.title"), t("code.text"), form({
      fields: [codeField({ hint: t("code.recovery"), inputmode: "text" })],
      submit: t("signin.do"), explain: (error) => explain(error, { credentials: t("signin.wrong") }),
      beside: [h("button.button.plain", { type: "button", onclick: askPassword }, t("back"))],
      action: async (values) => done(await beginSession("session", { ...given, code: plainCode(values.code) })),
    }));
    askPassword();
  });
}

/**
 * Makes an administrator from a link: name and password, authenticator, recovery codes.
 * @param {HTMLElement} ground @param {object} server @param {string} token of the link
 * @returns {Promise<object>} the session; null if the link does not work and the person wants to sign in
 */
export function showSetup(ground, server, token) {
  return new Promise((done) => {
    const show = cardOn(ground, server);
    const step = (n, text) => [h("p.step.faint.small", null, t("setup.step", { n, total: 3 })), text];
    let given = { name: "", password: "" };
    let trouble = "";
    const askName = ({ secret, first }) => {
      const names = form({
        fields: [{ name: "name", label: t("signin.name"), value: given.name, required: true, most: 60, autocomplete: "username", hint: t("setup.name.hint") }, ...newPassword("password", t("password"))],
        submit: t("signin.next"), explain,
        action: async (values) => {
          if (!isGood(values.password)) throw refused("weak");
          try {
            // A name that is taken is refused before the authenticator knows it.
            await checkSetup({ token, name: values.name, password: values.password });
          } catch (error) {
            if (error.code === "link") return dead();
            throw error;
          }
          given = values;
          askApp({ secret, first });
        },
      });
      show(t(first ? "setup.first" : "setup.more"), t("setup.text", { name: server.name }), step(1), names);
      if (trouble) names.querySelector(".trouble").textContent = trouble;
      trouble = "";
    };
    const askApp = (link) => show(t("totp.title"), t("totp.text"), step(2), enrol({
      secret: link.secret, name: given.name, issuer: server.name, submit: t("totp.confirm"), explain: (error) => explain(error, { code: t("totp.wrong") }),
      beside: [h("button.button.plain", { type: "button", onclick: () => askName(link) }, t("back"))],
      action: async (code) => {
        let session;
        try {
          session = await beginSession("setup", { token, ...given, code });
        } catch (error) {
          if (error.code === "link") return dead();
          if (error.code !== "taken" && error.code !== "weak") throw error;
          trouble = explain(error);
          return askName(link);
        }
        ground.querySelector(".languages").remove();
        show(t("recovery.title"), t("recovery.text"), step(3), recoveryCodes(session.recoveryCodes, location.origin, () => done(session)));
      },
    }));
    const dead = () => show(t("link.title"), t("link.text"), h("p.mono.command", null, "madang admin web"), h("div.actions", null, h("button.button", { type: "button", onclick: () => done(null) }, t("link.signin"))));
    const open = async () => {
      try {
        askName(await beginSession("setup/open", { token }));
      } catch (error) {
        if (error.code === "link") return dead();
        show(troubleTitle(error), explain(error), h("div.actions", null, h("button.button.main", { type: "button", onclick: open }, t("again"))));
      }
    };
    open();
  });
}

export function languages() {
  return h("nav.languages", { "aria-label": t("language.title") }, Object.entries(LANGUAGES).map(([code, text]) =>
    h("button.link", { type: "button", lang: code, "aria-current": code === currentLanguage() ? "true" : null, onclick: () => {
      chooseLanguage(code);
      location.reload();
    } }, text)));
}
