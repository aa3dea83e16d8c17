/**
 * The sheet that lists the shortcuts.
 * @module
 */

import { isApple } from "./chat-list.js";
import { openDialog } from "./dialogs.js";
import { h } from "./elements.js";
import { t } from "./words.js";

/** The sheet of shortcuts. */
export function showKeys() {
  const command = isApple() ? "⌘" : "Ctrl";
  const alt = isApple() ? "⌥" : "Alt";
  const keys = [
    [[command, "K"], "keys.find"], [[alt, "↑ ↓"], "keys.step"], [[alt, t("keys.shift"), "↑ ↓"], "keys.unread"],
    [[alt, "1–9"], "keys.workspace"], [["Enter"], "keys.send"], [[t("keys.shift"), "Enter"], "keys.line"],
    [["↑"], "keys.chats"], [["Page Up", "Page Down"], "keys.page"], [["Esc"], "keys.compose"],
    [[alt, "I"], "keys.room"], [[alt, "P"], "keys.profile"], [[command, "/"], "keys.this"],
  ];
  openDialog(t("keys.title"), h("dl.keys", null, keys.map(([names, text]) =>
    h("div", null, h("dt", null, names.map((one) => h("kbd", null, one))), h("dd", null, t(text))))), { kind: "sheet" });
}
