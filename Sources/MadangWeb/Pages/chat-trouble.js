/**
 * What went wrong, in a sentence for people.
 * @module
 */

import { Lost, Refusal } from "./chat-calls.js";
import { toast } from "./elements.js";
import { t } from "./words.js";

/**
 * @param {Error} error
 * @param {Object<string, string>} [special] sentences of this place by code
 */
export function explain(error, special = {}) {
  if (error instanceof Lost) return t("trouble.lost");
  if (!(error instanceof Refusal)) {
    console.error(error);
    return t("trouble.page");
  }
  if (error.why === "readOnly") return t("trouble.readonly");
  if (error.why in special) return special[error.why];
  if (error.code in special) return special[error.code];
  const text = t(`trouble.${error.code}`, { n: error.seconds });
  return text.startsWith("trouble.") ? t("trouble.other", { code: error.code }) : text;
}

/** Runs an action; a failure becomes a toast. @returns {Promise<boolean>} whether it succeeded */
export async function attempt(action, special) {
  try {
    await action();
    return true;
  } catch (error) {
    toast(explain(error, special));
    return false;
  }
}
