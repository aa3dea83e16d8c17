// Tokens of social sign-in, as Kakao or Apple would issue them.

import { post } from "./console-api.js";
import { copy, field, h, input, select } from "./console-dom.js";
import { t } from "./console-text.js";

const KEPT = 20;

export default function page(app) {
  const provider = select([["kakao", "Kakao"], ["apple", "Apple"]], "kakao");
  const subject = input({ value: "42", required: true, class: "mono" });
  const email = input({ type: "email" });
  const nickname = input();
  const made = h("ol", { class: "plain made-list", "aria-label": t("tokens.made") });
  return { title: t("page.tokens"), node: h("div", { class: "page" }, h("p", { class: "lead" }, t("tokens.lead")),
    h("form", { class: "form row-form", onsubmit: async (event) => {
      event.preventDefault();
      const body = { provider: provider.value, subject: subject.value };
      if (email.value) body.email = email.value;
      if (nickname.value) body.nickname = nickname.value;
      const got = await app.doing(post(app.world, "social-tokens", body), () => t("tokens.isMade"));
      if (!got) return;
      made.prepend(h("li", { class: "line" }, h("span", { class: "pill" }, `${body.provider} ${body.subject}`), h("span", { class: "mono grow break" }, got.token), h("button", { type: "button", class: "link", onclick: async () => { if (await copy(got.token, t("copy"))) app.toast(t("copied")); } }, t("copy"))));
      while (made.children.length > KEPT) made.lastChild.remove();
    } }, field(t("tokens.provider"), provider), field(t("tokens.subject"), subject, t("tokens.subjectHint")), field(t("tokens.email"), email), field(t("tokens.nickname"), nickname), h("button", { class: "button main" }, t("tokens.make"))), made) };
}
