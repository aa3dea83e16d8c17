// The texts of the console, in the reader's language.

const LANGUAGES = { en: () => import("./console.text.en.js"), ko: () => import("./console.text.ko.js") };
const KEPT = "madang.language";

let texts = {};
let plural;

/** The language of the page: the reader's choice, else the browser's first that is known. */
export const language = (() => {
  let kept = null;
  try { kept = localStorage.getItem(KEPT); } catch { /* storage is off */ }
  return [kept, ...navigator.languages].map((one) => one?.slice(0, 2)).find((one) => one in LANGUAGES) ?? "en";
})();

/** Loads the texts. Call it before {@link t}. */
export async function loadTexts() {
  texts = (await LANGUAGES[language]()).default;
  plural = new Intl.PluralRules(language);
  document.documentElement.lang = language;
}

/** Keeps the reader's choice and opens the page anew. */
export function chooseLanguage(name) {
  try { localStorage.setItem(KEPT, name); } catch { /* storage is off */ }
  location.reload();
}

/**
 * A text by its key. `{name}` takes a value; a text may have plural forms, chosen by the value `n`.
 * @param {string} key
 * @param {Object<string, string|number>} [values]
 */
export function t(key, values) {
  let text = texts[key];
  if (text === undefined) return key;
  if (typeof text === "object") text = text[plural.select(values.n)] ?? text.other;
  return values ? text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? String(values[name]) : all)) : text;
}

/** Whether there is a text. */
export const hasText = (key) => key in texts;

const numbers = new Intl.NumberFormat(language);
/** A number with separators. */
export const number = (value) => numbers.format(value);

/** Milliseconds, short: `1.2 ms`, `340 ms`, `1.15 s`. */
export function duration(ms) {
  if (ms === undefined || ms === null) return "";
  if (ms < 10) return `${ms.toFixed(1)}\u00a0ms`;
  return ms < 1000 ? `${Math.round(ms)}\u00a0ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)}\u00a0s`;
}

/** Bytes, short: `418 B`, `12 KiB`. */
export function bytes(count) {
  if (count < 1024) return `${count} B`;
  return count < 1 << 20 ? `${(count / 1024).toFixed(count < 10_240 ? 1 : 0)} KiB` : `${(count / (1 << 20)).toFixed(1)} MiB`;
}
