/**
 * Tokens of social sign-in, as Kakao or Apple would issue them.
 * @module
 */

import { post } from "./console-api.js";
import { copyButton, field, formOf, input, select } from "./console-dom.js";
import { h } from "./elements.js";
import { t } from "./words.js";

const KEPT = 20;

export default function page(app) {
  const provider = select([["kakao", "Kakao"], ["apple", "Apple"]], "kakao");
  const subject = input({ value: "42", required: true }, "mono");
  const email = input({ type: "email" });
  const nickname = input();
  const made = h("ol.plain.made-list", { "aria-label": t("tokens.made") });
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
          made.prepend(h("li.line", null,
              h("span.pill", null, `${body.provider} ${body.subject}`),
              h("span.mono.grow.break", null, got.token),
              copyButton(() => got.token, t("copy"))),
          );
          while (made.children.length > KEPT) made.lastChild.remove();
        },
        field(t("tokens.provider"), provider),
        field(t("tokens.subject"), subject, t("tokens.subjectHint")),
        field(t("tokens.email"), email),
        field(t("tokens.nickname"), nickname),
        h("button.button.main", null, t("tokens.make"))),
      made),
  };
}
