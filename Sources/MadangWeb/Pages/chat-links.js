/**
 * Finds links in a text. The text stays text: only `http` and `https` addresses become anchors.
 * @module
 */

import { h } from "./elements.js";

const LINK = /https?:\/\/[^\s<>"'`]+/gi;
/** Signs that end a sentence rather than an address. */
const TAIL = new Set(".,:;!?…。，、！？)]}»”’");
/** Links of one text that become anchors. */
const MOST = 50;

/**
 * @param {string} text
 * @returns {Array<string|HTMLElement>}
 */
export function linked(text) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(LINK)) {
    if (parts.length > 2 * MOST) break;
    const address = trimmed(match[0]);
    let url;
    try {
      url = new URL(address);
    } catch {
      continue;
    }
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push(h("a.link", { href: url.href, target: "_blank", rel: "noopener noreferrer nofollow" }, address));
    end = match.index + address.length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** Without what follows the address; a bracket that was opened inside it belongs to it. */
function trimmed(address) {
  let end = address.length;
  while (end && TAIL.has(address[end - 1])) end--;
  let kept = address.slice(0, end);
  if (address[end] === ")" && kept.includes("(") && !kept.includes(")")) kept += ")";
  return kept;
}
