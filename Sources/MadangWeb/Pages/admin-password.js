/**
 * A new password, with its rules shown while typing.
 * @module
 */

import { h } from "./elements.js";
import { t } from "./words.js";

/** The contract's rule of a password, one sentence each. */
const RULES = [
  ["password.long", (text) => [...text].length >= 8 && [...text].length <= 128],
  ["password.upper", (text) => /\p{Lu}/u.test(text)],
  ["password.lower", (text) => /\p{Ll}/u.test(text)],
  ["password.digit", (text) => /\p{Nd}/u.test(text)],
  ["password.sign", (text) => /[^\p{L}\p{N}\s]/u.test(text)],
];

/** Whether a password follows all rules. */
export const isGood = (text) => RULES.every(([, holds]) => holds(text));

/** The fields of form.js: the password, and its rules below. */
export function newPassword(name, label) {
  const rules = h("ul.rules", { "aria-label": t("password.rules") }, RULES.map(([key]) => h("li.pill", null, t(key))));
  const check = (event) => RULES.forEach(([key, holds], at) => {
    const good = holds(event.target.value);
    rules.children[at].classList.toggle("good", good);
    rules.children[at].textContent = `${good ? "✓ " : ""}${t(key)}`;
  });
  const shown = h("label.tick.small", null, h("input", { type: "checkbox", onchange: ({ target }) => { target.form.elements[name].type = target.checked ? "text" : "password"; } }), h("span", null, t("password.show")));
  return [{ name, label, type: "password", required: true, autocomplete: "new-password", oninput: check }, rules, shown];
}
