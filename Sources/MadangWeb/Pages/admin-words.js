/**
 * Numbers, sizes and times of the console.
 * @module
 */

import { currentLanguage, moment, t } from "./words.js";
import { h } from "./elements.js";

const formats = new Map();
/** The reader's own variety of the language, such as en-GB. */
const locale = () => navigator.languages.find((one) => one.startsWith(currentLanguage())) ?? currentLanguage();
const format = (key, make) => {
  if (!formats.has(key)) formats.set(key, make(locale()));
  return formats.get(key);
};

/** 1,204 */
export const number = (value) => format("number", (code) => new Intl.NumberFormat(code)).format(value);

/** 61 % */
export const percent = (share) => format("percent", (code) => new Intl.NumberFormat(code, { style: "percent", maximumFractionDigits: 0 })).format(share);

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte", "petabyte"];

/** 1.2 GB */
export function bytes(count) {
  const power = count < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(count) / 3));
  return format(UNITS[power], (code) => new Intl.NumberFormat(code, { style: "unit", unit: UNITS[power], unitDisplay: power ? "short" : "long", maximumFractionDigits: power > 2 ? 1 : 0 }))
    .format(count / 1000 ** power);
}

/** 2.4 ms, from seconds */
export function span(seconds) {
  const [unit, value] = seconds < 1 ? ["millisecond", seconds * 1000] : ["second", seconds];
  return format(`${unit}${value < 10}`, (code) => new Intl.NumberFormat(code, { style: "unit", unit, maximumFractionDigits: value < 10 ? 1 : 0 })).format(value);
}

const STEPS = [["second", 60], ["minute", 60], ["hour", 24], ["day", 30], ["month", 12], ["year", Infinity]];

/** 4 minutes ago, in 3 days */
export function ago(date) {
  let value = (new Date(date) - Date.now()) / 1000;
  if (Math.abs(value) < 50) return t("now");
  for (const [unit, most] of STEPS) {
    if (Math.abs(value) < most || most === Infinity) {
      return format("ago", (code) => new Intl.RelativeTimeFormat(code, { numeric: "auto" })).format(Math.round(value), unit);
    }
    value /= most;
  }
}

/** 28 Nov 2026, 17:12 */
export function stamp(date) {
  return format("stamp", (code) => new Intl.DateTimeFormat(code, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" })).format(new Date(date));
}

/** 28 Nov 2026 */
export function date(value) {
  return format("date", (code) => new Intl.DateTimeFormat(code, { dateStyle: "medium" })).format(new Date(value));
}

/** How long ago, with the moment in full for a pointer and for screen readers. */
export const when = (value) => (value ? h("time", { datetime: value, title: moment(value) }, ago(value)) : "");
