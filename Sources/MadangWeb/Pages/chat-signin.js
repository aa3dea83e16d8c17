/**
 * Before the chat: sign in, sign up, a forgotten password.
 * @module
 */

import { forgotPassword, signIn, signUp } from "./chat-calls.js";
import { h } from "./elements.js";
import { form } from "./form.js";
import { explain } from "./chat-trouble.js";
import { chooseLanguage, currentLanguage, LANGUAGES, t } from "./words.js";

/** The contract's rule of a password, one sentence each. */
const RULES = [
  ["password.long", (text) => [...text].length >= 8 && [...text].length <= 128],
  ["password.upper", (text) => /\p{Lu}/u.test(text)],
  ["password.lower", (text) => /\p{Ll}/u.test(text)],
  ["password.digit", (text) => /\p{Nd}/u.test(text)],
  ["password.sign", (text) => /[^\p{L}\p{N}\s]/u.test(text)],
];

/**
 * Shows the card and resolves with the new session.
 * @param {HTMLElement} ground @param {object} server of the session @param {string} invitation code of a link
 * @returns {Promise<object>}
 */
export function showSignIn(ground, server, invitation) {
  // This tab remembers that its session ended, while it loads again.
  const hasEnded = sessionStorage.getItem("madang.ended") !== null;
  sessionStorage.removeItem("madang.ended");
  return new Promise((done) => {
    const card = h("main.card");
    ground.className = "alone";
    ground.replaceChildren(card, languages());

    const show = (title, text, body, ...below) => {
      card.replaceChildren(h("div.mark", { "aria-hidden": "true" }, [...server.name][0] ?? "M"),
        h("div", null, h("h1", { tabindex: "-1" }, title), h("p.soft.lead", null, text)), body, ...below.filter(Boolean));
      document.title = `${title} · ${server.name}`;
      const first = card.querySelector("input:not([hidden])");
      (first && !matchMedia("(pointer: coarse)").matches ? first : card.querySelector("h1")).focus({ preventScroll: true });
    };
    const way = (text, act) => h("button.link", { type: "button", onclick: act }, text);
    let email = "";

    const asSignIn = () => show(t(hasEnded ? "ended.title" : "signin.title"), t(hasEnded ? "ended.text" : "signin.text", { name: server.name }), form({
      fields: [
        { name: "email", label: t("email"), type: "email", value: email, required: true, autocomplete: "username" },
        { name: "password", label: t("password"), type: "password", required: true, autocomplete: "current-password" }],
      submit: t("signin.do"),
      explain: (error) => explain(error, { E03: t("signin.wrong"), E02: t("signin.again"), E11: t("signin.wrong"), disabled: t("signin.disabled", { name: server.name }) }),
      action: async (values) => {
        email = values.email;
        done(await signIn(values.email, values.password));
      },
    }), h("footer", null, server.signup !== "off" && way(t("signup.way"), asSignUp), way(t("forgot.way"), asForgot)));

    const asSignUp = () => {
      const rules = h("ul.rules", { "aria-label": t("password.rules") }, RULES.map(([key]) => h("li.pill", null, t(key))));
      const check = (event) => RULES.forEach(([key, holds], at) => {
        const good = holds(event.target.value);
        rules.children[at].classList.toggle("good", good);
        rules.children[at].textContent = `${good ? "✓ " : ""}${t(key)}`;
      });
      show(t("signup.title"), t(server.signup === "invitation" ? "signup.invited" : "signup.text", { name: server.name }), form({
        fields: [
          ...(server.signup === "invitation" ? [{ name: "invitation", label: t("signup.invitation"), hint: t("signup.invitation.hint"), value: invitation, autocomplete: "off" }] : []),
          { name: "nickname", label: t("nickname"), required: true, most: 30, autocomplete: "nickname" },
          { name: "email", label: t("email"), type: "email", value: email, required: true, autocomplete: "username" },
          { name: "password", label: t("password"), type: "password", required: true, autocomplete: "new-password", oninput: check },
          rules,
          { name: "phone", label: t("phone.optional"), type: "tel", most: 20, autocomplete: "tel" }],
        submit: t("signup.do"),
        explain: (error) => explain(error, {
          E12: t("signup.taken"), E02: t("signin.again"),
          E11: t(server.signup === "invitation" ? "signup.refused.invitation" : "signup.refused"),
        }),
        action: async (values) => {
          email = values.email;
          // Where all may sign up, the code of a link still leads to a workspace.
          const session = await signUp(Object.fromEntries(Object.entries({ invitation, ...values }).filter(([, value]) => value)));
          if (session.account) return done(session);
          show(t("signup.made"), t(session.waits === "approval" ? "signup.approval" : "signup.confirm", { name: server.name, email }),
            h("div", { hidden: true }), h("footer", null, way(t("signin.way"), asSignIn)));
        },
      }), h("footer", null, way(t("signin.way"), asSignIn)));
    };

    const asForgot = () => show(t("forgot.title"), t(server.mail ? "forgot.text" : "forgot.nomail"), server.mail ? form({
      fields: [{ name: "email", label: t("email"), type: "email", value: email, required: true, autocomplete: "username" }],
      submit: t("forgot.do"),
      explain: (error) => explain(error),
      action: async (values) => {
        email = values.email;
        await forgotPassword(values.email);
        show(t("forgot.sent"), t("forgot.sent.text", { email }), h("div", { hidden: true }),
          h("footer", null, way(t("signin.way"), asSignIn), way(t("forgot.again"), asForgot)));
      },
    }) : h("div", { hidden: true }), h("footer", null, way(t("signin.way"), asSignIn)));

    (invitation && server.signup !== "off" ? asSignUp : asSignIn)();
  });
}

function languages() {
  return h("nav.languages", { "aria-label": t("language.title") }, Object.entries(LANGUAGES).map(([code, text]) =>
    h("button.link", { type: "button", lang: code, "aria-current": code === currentLanguage() ? "true" : null, onclick: () => {
      chooseLanguage(code);
      location.reload();
    } }, text)));
}
