/**
 * Texts by key in the reader's language, and dates.
 * @module
 */

export const LANGUAGES = { ko: "한국어", en: "English" };

let texts = {};
let language = "en";
let plural = new Intl.PluralRules("en");
let formats = {};

/** The language that was chosen here, else the installation's, else the first of the browser's that there are texts for. */
export function preferredLanguage() {
  for (const one of [readSetting("language"), document.documentElement.dataset.language]) {
    if (one in LANGUAGES) return one;
  }
  for (const one of navigator.languages ?? []) {
    const short = one.slice(0, 2).toLowerCase();
    if (short in LANGUAGES) return short;
  }
  return "en";
}

/** The chat's texts. */
const chatTexts = (code) => (code === "ko" ? import("./text.ko.js") : import("./text.en.js"));

/**
 * Loads a language's texts; later calls of `t` use them.
 * @param {string} code
 * @param {(code: string) => Promise<{default: object}>} [load] the texts of another page than the chat
 */
export async function useLanguage(code, load = chatTexts) {
  texts = (await load(code)).default;
  language = code;
  plural = new Intl.PluralRules(code);
  formats = {};
  document.documentElement.lang = code;
}

/** The code of the language in use. */
export function currentLanguage() {
  return language;
}

/** Remembers the chosen language. It is used from the next load on. */
export function chooseLanguage(code) {
  writeSetting("language", code);
}

/** Whether there is a text. */
export const hasText = (key) => key in texts;

/**
 * The text of a key. `{n}` and other names in braces are replaced; a text with plurals chooses by `n`.
 * @param {string} key
 * @param {Object<string, string|number>} [values]
 * @returns {string}
 */
export function t(key, values = {}) {
  let text = texts[key] ?? key;
  if (typeof text === "object") text = text[plural.select(values.n)] ?? text.other;
  return text.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === "number" ? format("number", (code) => new Intl.NumberFormat(code)).format(value) : isolated(value);
  });
}

/** Letters from right to left, and marks that turn the direction. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/;

/** A name within a sentence leaves the direction of the rest as it is. */
function isolated(value) {
  return RIGHT_TO_LEFT.test(value) ? `\u2068${value.replace(/[\u202a-\u202e\u2066-\u2069]/g, "")}\u2069` : value;
}

function format(kind, make) {
  return (formats[kind] ??= make(language));
}

/** 17:12 */
export function clock(date) {
  return format("clock", (code) => new Intl.DateTimeFormat(code, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }))
    .format(new Date(date));
}

/** Saturday, 21 November; with the year if it is not this one. */
export function day(date) {
  const moment = new Date(date);
  const long = { month: "long", day: "numeric", weekday: "long" };
  if (moment.getFullYear() === new Date().getFullYear()) {
    return format("day", (code) => new Intl.DateTimeFormat(code, long)).format(moment);
  }
  return format("year", (code) => new Intl.DateTimeFormat(code, { ...long, year: "numeric" })).format(moment);
}

/** Date and time in full. */
export function moment(date) {
  return format("moment", (code) => new Intl.DateTimeFormat(code, { dateStyle: "full", timeStyle: "short" })).format(new Date(date));
}

/** 1.2 MB */
export function size(bytes) {
  const [unit, power] = bytes < 1e6 ? ["kilobyte", 1e3] : ["megabyte", 1e6];
  return format(unit, (code) => new Intl.NumberFormat(code, { style: "unit", unit, maximumFractionDigits: 1 }))
    .format(Math.max(bytes / power, 0.1));
}

/** A setting of this browser. Browsers may refuse to store; then it lasts until the page closes. */
export function readSetting(key) {
  if (unstored.has(key)) return unstored.get(key);
  try {
    return localStorage.getItem(`madang.${key}`);
  } catch {
    return null;
  }
}

/** Stores a setting, or removes it with `null`. */
export function writeSetting(key, value) {
  try {
    if (value === null) localStorage.removeItem(`madang.${key}`);
    else localStorage.setItem(`madang.${key}`, value);
    unstored.delete(key);
  } catch {
    unstored.set(key, value);
  }
}
const unstored = new Map();
