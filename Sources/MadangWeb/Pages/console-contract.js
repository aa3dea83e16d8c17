/**
 * The wire contract, as the server has it: its paragraphs beside refusals, and the whole of it as a page.
 * @module
 */

import { pathOf } from "./console-api.js";
import { h } from "./elements.js";
import { t } from "./words.js";

let text;
/** The contract's Markdown. */
export const contract = () => (text ??= fetch(pathOf("", "contract.md")).then((answer) => {
  if (!answer.ok) throw new Error(`contract.md: ${answer.status}`);
  return answer.text();
}).catch((error) => {
  text = undefined;
  throw error;
}));

/** The id of a heading, as GitHub makes it. */
export const anchor = (heading) => heading.toLowerCase().replace(/[^\p{L}\p{N} -]/gu, "").replaceAll(" ", "-");

/** The link to a heading. */
export const contractLink = (id, words) => h("a", { href: `#/~/contract/${id}` }, words);

/** The contract's row for a code: meaning, and where the code occurs. */
export async function codeRow(code) {
  const line = (await contract()).split("\n").find((one) => one.startsWith(`| \`${code}\` |`));
  return line ? cells(line).slice(1) : null;
}

const BY_CODE = {
  E01: ["request-headers"],
  E02: ["sessions-and-tokens"],
  E03: ["sign-in-methods"],
  E04: ["refresh-tokens"],
  E05: ["sessions-and-tokens"],
  E06: ["refresh-tokens"],
  E97: ["paths"],
  E98: ["call-limits"],
  E21: ["store-and-payments"],
  E81: ["store-and-payments"],
  E82: ["store-and-payments"],
};
const BY_OPERATION = [
  [/DirectMessage/, "direct-messages"],
  [/postTo|History/, "chats"],
  [/Unread/, "unread-counts"],
  [/[cC]hannel/, "channels"],
  [/[wW]orkspace|invite|search/, "workspaces"],
  [/signIn|signUp|validateEmail/, "sign-in-methods"],
  [/refresh/, "refresh-tokens"],
  [/file/, "downloads"],
  [/Payment|store/, "store-and-payments"],
];

/** Headings that explain a refusal, the nearest first. */
export function headingsOf(operation, code, explanation = "") {
  const found = [...(BY_CODE[code] ?? [])];
  if (code === "E11" && /characters|letters|blank|digits/.test(explanation)) found.push("text-rules");
  if (code === "E11" && /body|multipart|JSON|form/.test(explanation)) found.push("request-bodies");
  found.push(
    ...BY_OPERATION.filter(([pattern]) => pattern.test(operation ?? "")).slice(0, 1).map(([, id]) => id),
    "order-of-checks",
  );
  return [...new Set(found)].slice(0, 3);
}

/** The title of a heading by its id. */
export async function headingTitle(id) {
  for (const line of (await contract()).split("\n")) {
    const found = /^#+ (.*)/.exec(line);
    if (found && anchor(found[1]) === id) return found[1];
  }
  return null;
}

const cells = (line) => line.replace(/^\||\|$/g, "").split("|").map((one) => one.trim());

/** The inline parts of a line: code, strong text, links to headings. Other markup stays text. */
function spans(line) {
  const out = [];
  let rest = line;
  const mark = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)]+)\)/;
  for (let found = mark.exec(rest); found; found = mark.exec(rest)) {
    out.push(rest.slice(0, found.index));
    const [all, code, strong, words, target] = found;
    if (code) out.push(h("code", null, code));
    else if (strong) out.push(h("strong", null, strong));
    else out.push(target[0] === "#" ? contractLink(target.slice(1), words) : words);
    rest = rest.slice(found.index + all.length);
  }
  return [...out, rest];
}

/** Markdown as elements: headings, paragraphs, lists, tables, blocks of code. */
export function render(markdown) {
  const out = [];
  const lines = markdown.split("\n");
  for (let at = 0; at < lines.length;) {
    const line = lines[at];
    const heading = /^(#+) (.*)/.exec(line);
    if (!line.trim()) at++;
    else if (line.startsWith("```")) {
      const end = lines.indexOf("```", at + 1);
      out.push(
        h("pre.mono", { tabindex: "0", role: "group", "aria-label": t("contract.example") },
          lines.slice(at + 1, end < 0 ? undefined : end).join("\n")),
      );
      at = end < 0 ? lines.length : end + 1;
    } else if (heading) {
      out.push(h(`h${Math.min(heading[1].length + 1, 5)}`, { id: `contract-${anchor(heading[2])}`, tabindex: "-1" }, heading[2]));
      at++;
    } else if (line[0] === "|") {
      const start = at;
      while (lines[at]?.[0] === "|") at++;
      const [head, , ...body] = lines.slice(start, at);
      const near = out.findLast((one) => /^H/.test(one.tagName))?.textContent ?? "";
      out.push(
        h("div.scroll", { role: "group", tabindex: "0", "aria-label": near },
          h("table", null,
            h("thead", null, h("tr", null, cells(head).map((one) => h("th", { scope: "col" }, spans(one))))),
            h("tbody", null,
              body.map((row) => h("tr", null, cells(row).map((one) => h("td", null, spans(one)))))))),
      );
    } else if (/^(-|\d+\.) /.test(line)) {
      const numbered = /^\d/.test(line);
      const items = [];
      while (at < lines.length && lines[at].trim() && !/^[#|`]/.test(lines[at])) {
        const item = /^(?:-|\d+\.) (.*)/.exec(lines[at]);
        if (item) items.push(item[1]);
        else items[items.length - 1] += ` ${lines[at].trim()}`;
        at++;
      }
      out.push(h(numbered ? "ol" : "ul", {}, items.map((one) => h("li", null, spans(one)))));
    } else {
      const start = at;
      while (at < lines.length && lines[at].trim() && !/^(#|\||```|- |\d+\. )/.test(lines[at])) at++;
      if (at === start) at++;
      out.push(h("p", null, spans(lines.slice(start, at).join(" "))));
    }
  }
  return out;
}

/** The page "Contract". */
export default function page(_, [id]) {
  const node = h("div.page.prose", null, h("p.soft", null, t("loading")));
  contract().then((markdown) => {
    node.replaceChildren(...render(markdown));
    const target = id && document.getElementById(`contract-${id}`);
    if (target) {
      target.scrollIntoView();
      target.focus({ preventScroll: true });
    }
  }).catch((error) => node.replaceChildren(h("p.why", null, error.message)));
  return { title: t("page.contract"), node, keepsFocus: true };
}
