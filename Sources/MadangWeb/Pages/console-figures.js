/**
 * Figures in few letters.
 * @module
 */

import { currentLanguage } from "./words.js";

let numbers;

/** A number with separators. */
export function number(value) {
  numbers ??= new Intl.NumberFormat(currentLanguage());
  return numbers.format(value);
}

/** Milliseconds: `1.2 ms`, `340 ms`, `1.15 s`. */
export function duration(ms) {
  if (ms === undefined || ms === null) return "";
  if (ms < 10) return `${ms.toFixed(1)}\u00a0ms`;
  if (ms < 1000) return `${Math.round(ms)}\u00a0ms`;
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)}\u00a0s`;
}

/** Bytes: `418 B`, `12 KiB`. */
export function bytes(count) {
  if (count < 1024) return `${count} B`;
  if (count < 1 << 20) return `${(count / 1024).toFixed(count < 10_240 ? 1 : 0)} KiB`;
  return `${(count / (1 << 20)).toFixed(1)} MiB`;
}

const UNITS = [["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]];

/** A span of time in one or two units: `25 h`, `2 d 3 h`, `1.5 s`. */
export function span(ms) {
  let seconds = Math.round(ms / 1000);
  if (seconds < 10) return `${Number((ms / 1000).toFixed(1))}\u00a0s`;
  const words = [];
  for (const [name, size] of UNITS) {
    // Up to two days are counted in hours.
    const many = size === 86_400 && seconds < 2 * size ? 0 : Math.floor(seconds / size);
    seconds -= many * size;
    if (many && words.length < 2) words.push(`${many}\u00a0${name}`);
  }
  return words.join(" ");
}
