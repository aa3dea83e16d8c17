/** The same act on several things, one after the other. @module */

import { Lost } from "./admin-calls.js";
import { explain } from "./admin-trouble.js";
import { t } from "./words.js";

/** Addresses that are taken at once. */
const MOST = 100;

/**
 * Acts on each item. Where the server asks to wait, it waits. Other refusals leave one item out. After a lost answer it asks no more.
 * @template Item
 * @param {Item[]} items
 * @param {(item: Item) => Promise<any>} act
 * @returns {Promise<{done: Array<[Item, any]>, refused: Array<[Item, Error]>}>} items with what `act` answered, or with the refusal
 */
export async function each(items, act) {
  const [done, refused] = [[], []];
  let lost = null;
  for (const item of items) {
    while (!lost) {
      try {
        done.push([item, await act(item)]);
      } catch (error) {
        if (error.code === "signedOut") throw error;
        if (error.code === "wait") {
          await new Promise((wake) => setTimeout(wake, error.seconds * 1000));
          continue;
        }
        if (error instanceof Lost) lost = error;
        else refused.push([item, error]);
      }
      break;
    }
    if (lost) refused.push([item, lost]);
  }
  return { done, refused };
}

/** A field for a few addresses. */
export const addressesField = () => ({ name: "emails", label: t("emails"), type: "textarea", required: true, hint: t("emails.hint") });

/** The addresses in a text. Throws words for a person if one is none. */
export function addressesIn(text) {
  const all = [...new Set(text.split(/[\s,;]+/).filter(Boolean))];
  const wrong = all.find((one) => !/^[^@]+@[^@]+$/.test(one));
  if (wrong) throw said(t("emails.wrong", { email: wrong }));
  if (all.length > MOST) throw said(t("emails.many", { n: MOST }));
  return all;
}

/** An error whose words are for the person. */
export const said = (words) => Object.assign(new Error(words), { said: words });

/** One line for each refusal. */
export const refusals = (refused, errors = {}) => refused.map(([item, error]) => `${item}: ${explain(error, errors)}`).join("\n");
