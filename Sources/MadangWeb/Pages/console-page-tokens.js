/**
 * Tokens of social sign-in, as Kakao or Apple would issue them.
 * @module
 */

import { post } from "./console-api.js";
import { copyButton, field, fill, formOf, input, select } from "./console-dom.js";
import { h } from "./elements.js";
import { t } from "./words.js";

const KEPT = 20;

const place = (app) => `madang.tokens.${app.where}`;

/** Tokens that were made in this tab. */
function kept(app) {
  try {
    return JSON.parse(sessionStorage.getItem(place(app))) ?? [];
  } catch {
    return [];
  }
}

function keep(app, tokens) {
  try {
    sessionStorage.setItem(place(app), JSON.stringify(tokens));
  } catch { /* then they last until the page closes */ }
}

export default function page(app) {
  const provider = select([["kakao", "Kakao"], ["apple", "Apple"]], "kakao");
  const subject = input({ value: "42", required: true }, "mono");
  // Without an e-mail the sign-in is refused, as one without the consent of the person.
  const email = input({ type: "email", value: "new@example.com" });
  const nickname = input();
  const made = h("ol.plain.made-list", { "aria-label": t("tokens.made") });
  let tokens = kept(app);
  const draw = () =>
    fill(made, tokens.map(({ name, token }) =>
      h("li.line", null,
        h("span.pill", null, name),
        h("span.mono.grow.break", null, token),
        copyButton(() => token, t("copy")))));
  draw();
  return {
    title: t("page.tokens"),
    node: h("div.page", null,
      h("p.lead", null, t("tokens.lead")),
      formOf("form.row-form",
        async () => {
          const body = { provider: provider.value, subject: subject.value };
          if (email.value) body.email = email.value;
          if (nickname.value) body.nickname = nickname.value;
          const got = await app.doing(post(app.world, "social-tokens", body), () => t("tokens.isMade"));
          if (!got) return;
          tokens = [{ name: `${body.provider} ${body.subject}`, token: got.token }, ...tokens].slice(0, KEPT);
          keep(app, tokens);
          draw();
        },
        field(t("tokens.provider"), provider),
        field(t("tokens.subject"), subject, t("tokens.subjectHint")),
        field(t("tokens.email"), email, t("tokens.emailHint")),
        field(t("tokens.nickname"), nickname),
        h("button.button.main", null, t("tokens.make"))),
      made),
  };
}
