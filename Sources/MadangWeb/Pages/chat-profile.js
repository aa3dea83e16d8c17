/**
 * The account: picture, nickname, phone, coins, language, notifications, signing out.
 * @module
 */

import { get, send, signOut } from "./chat-calls.js";
import { confirmed, openDialog } from "./dialogs.js";
import { h, toast } from "./elements.js";
import { form } from "./form.js";
import { showKeys } from "./chat-keys-sheet.js";
import { forgetEntries } from "./chat-kept.js";
import { noticesState, setNotices } from "./chat-notify.js";
import { waitingCount } from "./chat-outbox.js";
import { pictureField } from "./chat-picture-field.js";
import { state } from "./chat-state.js";
import { attempt, explain } from "./chat-trouble.js";
import { chooseLanguage, currentLanguage, LANGUAGES, t } from "./words.js";

/** Opens the account's sheet. */
export function openProfile() {
  const { account } = state;
  const picture = pictureField({
    id: account.user_id, text: account.nickname, picture: account.profileImage, label: t("picture.choose"),
    onChoose: (file) => attempt(async () => {
      const body = new FormData();
      body.append("image", file);
      state.setAccount(await send("PUT", "/users/me/image", body));
      toast(t("saved"));
    }, { E11: t("picture.bad") }),
  });
  const dialog = openDialog(t("profile.title"), [
    h("div.who-am-i", null, picture.element, h("p.soft", { dir: "auto" }, account.email)),
    form({
      fields: [
        { name: "nickname", label: t("nickname"), value: account.nickname, required: true, most: 30, autocomplete: "nickname" },
        { name: "phone", label: t("phone"), value: account.phone, most: 20, type: "tel", autocomplete: "tel" }],
      submit: t("save"),
      explain: (error) => explain(error, { E11: t("form.refused") }),
      action: async (values) => {
        state.setAccount(await send("PUT", "/users/me", values));
        toast(t("saved"));
      },
    }),
    section(t("coins.title"), coins()),
    section(t("notices.title"), notices()),
    section(t("language.title"), languages()),
    h("div.does", null,
      h("button.button", { type: "button", onclick: () => { dialog.close(); showKeys(); } }, t("keys.title")),
      h("button.button", { type: "button", onclick: () => leave(false) }, t("signout")),
      h("button.button.grave", { type: "button", onclick: () => leave(true) }, t("signout.everywhere"))),
  ], { kind: "profile" });
}

function section(title, body) {
  return h("section.part", null, h("h3", null, title), body);
}

function coins() {
  const number = h("b", null, t("coins.have", { n: state.account.sesacCoin }));
  const prices = h("ul.prices");
  const { account } = state;
  get("/users/me").then((me) => {
    // What was saved meanwhile is newer.
    if (state.account === account) state.setAccount(me);
    number.textContent = t("coins.have", { n: me.sesacCoin });
  }).catch(() => {});
  get("/store/item/list").then((items) => {
    prices.replaceChildren(...items.slice(0, 10).map((one) => h("li.pill", null, t("coins.price", { item: one.item, n: Number(one.amount) }))));
  }).catch(() => {});
  return h("div.coins", null, number, prices, h("p.faint.small", null, t("coins.where")));
}

function notices() {
  const box = h("input", { type: "checkbox", id: "notices" });
  const note = h("p.faint.small");
  const draw = () => {
    const now = noticesState();
    box.checked = now === "on";
    box.disabled = now === "denied" || now === "none";
    note.textContent = now === "denied" ? t("notices.denied") : now === "none" ? t("notices.none") : t("notices.text");
  };
  box.addEventListener("change", async () => {
    await setNotices(box.checked);
    draw();
  });
  draw();
  return h("div", null, h("label.check", { for: "notices" }, box, t("notices.on")), note);
}

function languages() {
  const select = h("select.narrowing", { "aria-label": t("language.title"), onchange: () => {
    chooseLanguage(select.value);
    location.reload();
  } }, Object.entries(LANGUAGES).map(([code, text]) => h("option", { value: code, lang: code }, text)));
  select.value = currentLanguage();
  return select;
}

async function leave(everywhere) {
  const waits = waitingCount();
  const text = [everywhere ? t("signout.everywhere.sure") : "", waits ? t("signout.waiting", { n: waits }) : ""].filter(Boolean).join(" ");
  if (text && !await confirmed({ title: t(everywhere ? "signout.everywhere" : "signout"), text, yes: t("signout"), grave: true })) return;
  await attempt(async () => {
    await signOut(everywhere);
    forgetSettings();
    // What is stored as the page closes goes, too.
    addEventListener("pagehide", forgetSettings);
    await forgetEntries(state.account.user_id);
    location.replace("/");
  });
}

/** Removes what this browser keeps of the chat but its language: another person may use it next. */
function forgetSettings() {
  try {
    for (const key of Object.keys(localStorage)) {
      if (key.startsWith("madang.") && key !== "madang.language") localStorage.removeItem(key);
    }
  } catch {
    // A browser that stores nothing has none.
  }
}
