/**
 * Files of chats: what a stored path holds, and which files may be sent.
 * @module
 */

import { fileAddress, h } from "./elements.js";
import { openPictures } from "./chat-later.js";
import { t } from "./words.js";

const PICTURE = /\.(jpe?g|png|gif|webp|heic)$/i;

/** Marks that turn the direction of writing: with them `gpj.exe` looks like `exe.jpg`. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;

/** Whether a stored path is shown as a picture. */
function isPicture(path) {
  return PICTURE.test(path);
}

/** The name that a document was sent with: `<name>_<unique>.<ext>`, the name percent-encoded. */
function documentName(path) {
  const file = path.slice(path.lastIndexOf("/") + 1);
  const dot = file.lastIndexOf(".");
  const mark = file.lastIndexOf("_", dot);
  const plain = (mark > 0 ? file.slice(0, mark) : file.slice(0, dot)) + file.slice(dot);
  try {
    return decodeURIComponent(plain).replace(TURNING, "");
  } catch {
    return plain;
  }
}

/** The pictures and documents of a chat. @param {Array<string>} files stored paths @param {string} by the author */
export function filesOf(files, by) {
  const pictures = files.filter(isPicture);
  const documents = files.filter((path) => !isPicture(path));
  return [
    pictures.length > 0 && h(`div.pictures${pictures.length === 1 ? ".one" : ""}`, null, pictures.map((path, at) => {
      const image = h("img", { src: fileAddress(path), alt: "", loading: "lazy", decoding: "async" });
      const button = h("button.picture", {
        type: "button", "aria-label": t("picture.open", { name: by, n: at + 1, all: pictures.length }),
        onclick: () => openPictures(pictures, at, by),
      }, image);
      // A browser that cannot show it, such as HEIC outside Safari, offers the file.
      image.addEventListener("error", () => button.replaceWith(documentLink(path)));
      return button;
    })),
    documents.length > 0 && h("div.documents", null, documents.map(documentLink)),
  ];
}

function documentLink(path) {
  const shown = documentName(path);
  return h("a.document", { href: fileAddress(path), download: shown, "aria-label": t("document.save", { name: shown }) },
    h("span.kind", { "aria-hidden": "true" }, path.slice(path.lastIndexOf(".") + 1, path.length).slice(0, 4).toUpperCase()),
    h("span.name", { dir: "auto" }, shown));
}

/**
 * Checks files against the limits.
 * @param {Array<File>} present already chosen @param {Array<File>} added
 * @param {{files: number, fileSize: number}} limits
 * @returns {{files: Array<File>, trouble: string}}
 */
export function chosen(present, added, limits) {
  let trouble = "";
  const files = [...present];
  for (const file of added) {
    if (!file.size) trouble = t("file.empty", { name: file.name });
    else if (file.size > limits.fileSize) trouble = t("file.large", { name: file.name, n: Math.floor(limits.fileSize / 1048576) });
    else if (files.length >= limits.files) trouble = t("file.many", { n: limits.files });
    else files.push(file);
  }
  return { files, trouble };
}
