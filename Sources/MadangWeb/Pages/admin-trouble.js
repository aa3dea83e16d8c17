/**
 * What went wrong, in words: cause and cure.
 * @module
 */

import { Lost, Refusal } from "./admin-calls.js";
import { refusalWords } from "./admin-refusals.js";
import { hasText, t } from "./words.js";

/** Something that this page refuses by itself. {@link explain} has words for its `code`. */
export const refused = (code) => Object.assign(new Error(code), { code });

/** The heading of a card that says why nothing can be done. */
export const troubleTitle = (error) => t(error instanceof Lost ? "away.title" : "refused.title");

/**
 * @param {Error} error
 * @param {Object<string, string>} [own] sentences of the place, by code
 */
export function explain(error, own = {}) {
  if (error.said) return error.said;
  if (error instanceof Lost) return t(error.isStrange ? "error.strange" : "error.lost");
  const sentence = own[error.code] ?? own[error.kind] ?? refusalWords(error);
  if (sentence) return sentence;
  if (typeof error.code === "string" && hasText(`error.${error.code}`)) return t(`error.${error.code}`, { n: error.seconds });
  if (!(error instanceof Refusal)) {
    console.error(error);
    return t("error.page");
  }
  return error.message || t("error.unknown", { code: error.code });
}
