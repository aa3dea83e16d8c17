/** A finding of the doctor in words. @module */

import { h } from "./elements.js";
import { currentLanguage, hasText, t } from "./words.js";

/** The server's sentences are English. In another language the subject of the check stands before them. */
export function findingWords({ check, message }) {
  const sentence = (kind) => h(`span${kind}`, { lang: "en" }, message);
  return currentLanguage() !== "en" && hasText(`check.${check}`) ? [h("strong", null, t(`check.${check}`)), " ", sentence(".soft")] : sentence("");
}

/** Commands stand in quotes in the server's sentences. */
export const cureWords = (cure) => h("span", { lang: "en" }, cure.split(/'([^']{6,})'/).map((piece, at) => (at % 2 ? h("code", null, piece) : piece)));
