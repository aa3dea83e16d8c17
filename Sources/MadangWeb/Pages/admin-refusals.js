/** Refusals of the domain in the reader's language. The server's sentences are English, and written for the command line. @module */

import { hasText, t } from "./words.js";

/** Sentences that name something, and sentences with a kind that says too little: a pattern, the key of the text, and names of its groups. */
const SENTENCES = [
  [/^no account has the address (.+)$/, "account", "email"],
  [/^an account has the address (.+)$/, "taken", "email"],
  [/^email: an account has it$/, "taken.some"],
  [/^(\S+) is a member already$/, "member", "email"],
  [/^(\S+) is not a member of '(.+)'$/s, "nomember", "email", "name"],
  [/^no workspace has the number, id or name '(.+)'; see /s, "workspace", "name"],
  [/^'(.+)' is the number of one workspace and the name of another/s, "ambiguous", "name"],
  [/^workspace '(.+)' was deleted$/s, "workspace.gone", "name"],
  [/^there are no workspaces$/, "noworkspaces"],
  [/^no administrator has approved the account$/, "unapproved"],
  [/^the account's address is not confirmed$/, "unconfirmed"],
  [/^(\S+) does not wait for approval/, "decided", "email"],
  [/^'(.+)' is not a mail address/, "address", "email"],
  [/^email: not an e-mail address$/, "address.some"],
  [/^the workspace may have (\d+) members$/, "full", "n"],
  [/^another export is under way/, "exporting"],
  [/^this export was fetched already/, "exported"],
  [/^web\.admin\.content is off/, "hidden"],
  [/^an announcement needs a text$/, "notext"],
  [/^no announcement \d+ waits to be posted/, "posted"],
  [/^there is no key \d+ in use$/, "norow"],
  [/^there is no such chat/, "norow"],
  [/^there is no session \d+$/, "norow"],
  [/^there is no account \d+$/, "norow"],
  [/^the invitation is unknown, revoked, expired or used up$/, "norow"],
];

/** The sentence for a refusal; nil if only the server has one. */
export function refusalWords({ kind, message = "" }) {
  for (const [pattern, key, ...names] of SENTENCES) {
    const found = pattern.exec(message);
    if (found) return t(`refusal.${key}`, Object.fromEntries(names.map((one, at) => [one, found[at + 1] ?? ""])));
  }
  return kind && hasText(`refusal.${kind}`) ? t(`refusal.${kind}`) : null;
}
