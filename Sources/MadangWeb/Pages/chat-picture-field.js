/**
 * A field that chooses one picture, and shows it.
 * @module
 */

import { face, h, toast } from "./elements.js";
import { state } from "./chat-state.js";
import { t } from "./words.js";

/**
 * @param {{id: string, text: string, picture: string|null, label: string, onChoose?: (file: File) => void}} options
 * @returns {{element: HTMLElement, file: () => File|null}}
 */
export function pictureField({ id, text, picture, label, onChoose }) {
  let file = null;
  let address = "";
  const shown = h("span.shown", null, face(id, text || "+", picture));
  const input = h("input", { type: "file", accept: "image/*", hidden: true, tabindex: "-1" });
  input.addEventListener("change", () => {
    const [chosen] = input.files;
    input.value = "";
    if (!chosen) return;
    const most = state.server.limits.fileSize;
    if (chosen.size > most) return toast(t("file.large", { name: chosen.name, n: Math.floor(most / 1048576) }));
    file = chosen;
    URL.revokeObjectURL(address);
    address = URL.createObjectURL(chosen);
    const image = h("img", { src: address, alt: "" });
    shown.firstElementChild.replaceChildren(image);
    onChoose?.(chosen);
  });
  const element = h("div.picture-field", null, shown,
    h("button.button", { type: "button", onclick: () => input.click() }, label), input);
  return { element, file: () => file };
}
