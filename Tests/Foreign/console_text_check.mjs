// Commands, tests and rows that the console at /_dev/ makes of hostile requests. Any page in a browser can send them, and a developer
// copies their texts as commands and tests. Python and a shell read these: a text must come back as it was sent, and never as code.
// usage: node console_text_check.mjs

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

// Node takes a `.js` file as a module only if a package says so.
const folder = mkdtempSync(join(tmpdir(), "madang-console-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
cpSync(fileURLToPath(new URL("../../Sources/MadangWeb/Pages", import.meta.url)), folder, { recursive: true });
writeFileSync(join(folder, "package.json"), '{"type":"module"}');
globalThis.addEventListener = () => {};
globalThis.location = new URL("http://127.0.0.1/_dev/");
globalThis.document = {
  createElement: (tag) => ({
    tag, attributes: {}, dataset: {},
    setAttribute(name, value) { this.attributes[name] = value; },
    append() {}, addEventListener() {},
  }),
};
const page = (name) => import(pathToFileURL(join(folder, `${name}.js`)));
const { curl, isSendable } = await page("console-curl");
const { pytest } = await page("console-test-pytest");
const { swift } = await page("console-test-swift");
const { junit } = await page("console-test-junit");
const { pretty, visible } = await page("console-dom");
const { matcher } = await page("console-query");
const { readNames } = await page("console-places");
const { rowOf } = await page("console-row");
const { titleOf, wordsOf } = await page("console-rows");
const { h } = await page("elements");

/** Runs a program; the answer is what it printed. */
function run(program, words, input, environment = {}) {
  const { status, stdout, stderr } = spawnSync(program, words, { input, encoding: "utf8", env: { ...process.env, ...environment } });
  assert.equal(status, 0, `${program}: ${stderr}`);
  return stdout;
}

const WORKSPACE = "7b3a3c1e-58a1-4b7e-9a11-0c1d2e3f4a5b";
const ROOM = "0f6a3c1e-58a1-4b7e-9a11-0c1d2e3f4a5c";

/** The answers of a server with one workspace and one channel, for the names of places. */
async function knowPlaces() {
  const answers = [
    [/people$/, [{ id: "1", email: "mina@example.com", nickname: "Mi\u202ena", workspaces: ["Week\"end"] }]],
    [/workspaces\/[^/]+$/, {
      workspaceMembers: [{ email: "mina@example.com" }], channels: [{ channel_id: ROOM, name: "i\\os", owner_id: "1" }],
    }],
    [/workspaces$/, [{ workspace_id: WORKSPACE, name: "Week\"end", owner_id: "1" }]],
    [/dms$/, []],
  ];
  globalThis.fetch = async (address) => {
    const isJanuary = address.includes("2024-01");
    const found = answers.find(([pattern]) => pattern.test(address.split("?")[0]))?.[1] ?? [];
    const text = JSON.stringify(isJanuary ? [] : found);
    return { ok: true, status: 200, text: async () => text, json: async () => JSON.parse(text) };
  };
  await readNames([""]);
}

const entry = (more, request = {}) => ({
  kind: "request", number: 1, at: "2026-11-29T00:00:00.000Z", elapsed: 1, milliseconds: 1, method: "POST", path: "/v1/users/me", status: 400,
  code: "E01", answer: { headers: [], body: '{"errorCode":"E01"}' }, ...more, request: { headers: [], ...request },
});

const TEXTS = [
  "{__import__('os').system('id')}", "{workspace}", "{room}", "{{x}}", "\\(exit(1))", "\\#(exit(1))", '"#exit(1)#"', '""', '"""', '"""x', "\\",
  "\\\\", "\\u0022);exit(1);//", "\\N{BULLET}", "';id;'", "$(id)", "`id`", "!!", "!x'!", "a'b\nc!d", "a\u0003\nid\n", "\r\tx", "\u001b[201~id\n",
  "\u007f\u0085\u009b", "\u202eE13\u2066", "\u200bx\ufeff\u2028\u2029\u00ad\u3164", "constructor", "__proto__", "$&$1$`", "한글 🙂 é", "?[1-3]{a,b}",
];

/** Names of files that are no file's name, with the name that curl gets. */
const FILES = [
  ["/etc/hostname", "hostname"], ["..", "file"], [".env", "env"], ["a;type=x", "a_type_x"], ['x"@y', "x__y"], ["C:\\boot.ini", "boot.ini"],
  ["y.constructor", "y.constructor"], ["y.__proto__", "y.__proto__"], ["-o", "o"], ["사진.png", "사진.png"], ["a\nb", "a_b"], ["", "file"],
];

/** Requests with a hostile text in each place, and the words that curl must get. */
function hostile() {
  const found = [];
  for (const text of TEXTS) {
    const inPath = `/v1/workspaces/${WORKSPACE}/channels/${ROOM}/${text.replaceAll("/", "-")}`;
    found.push(
      [entry({ path: inPath, query: text }), inPath, text],
      [entry({ path: `/v1/${text.replaceAll("/", "-")}` }, { body: text }), "", text],
      [entry({ method: "GET" }, { headers: [{ name: "X-Text", value: text }, { name: "content-type", value: text }] }), "", text],
      [entry({}, { headers: [{ name: "constructor", value: "***" }], parts: [{ name: "content", text }] }), "", text],
      [entry({ account: `${text}@x` }, { headers: [{ name: "Authorization", value: "***" }], body: text }), "", text],
    );
  }
  for (const [fileName] of FILES) found.push([entry({}, { parts: [{ name: "image", fileName, size: 9 }] }), "", fileName]);
  found.push([entry({ method: "GET|id&" }), "", ""]);
  return found.map(([request, path, text]) => ({ request, path, text }));
}

/** No test and no command has a sign that is not seen, or that acts on a terminal. */
function isPlain(kind, made, text) {
  assert.equal(visible(made), made, `${kind} has hidden signs of ${JSON.stringify(text)}`);
}

// Literals of strings, of pytest and of curl alike: what Python and the shell read is what was sent.

const READ = `
import ast, json, sys
out = []
for text in json.load(sys.stdin):
    tree = ast.parse(text)
    gaps = {ast.unparse(one.value) for one in ast.walk(tree) if isinstance(one, ast.FormattedValue)}
    call = next(one for one in ast.walk(tree) if isinstance(one, ast.Call) and ast.unparse(one.func) == "requests.request")
    url = call.args[1]
    url = "".join(one.value if isinstance(one, ast.Constant) else "\\0" + ast.unparse(one.value) + "\\0" for one in url.values)
    texts = [one.value for one in ast.walk(tree) if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    out.append([url, sorted(gaps), texts])
print(json.dumps(out))
`;

function pytestIsData(cases) {
  const made = cases.map(({ request }) => pytest(request));
  const read = JSON.parse(run("python3", ["-c", READ], JSON.stringify(made)));
  for (const [at, { request, path, text }] of cases.entries()) {
    const [url, gaps, texts] = read[at];
    isPlain("pytest", made[at], text);
    const known = path ? ["room", "workspace", "world"] : ["world"];
    assert.deepEqual(gaps.filter((one) => !known.includes(one)), [], `pytest runs code of ${request.path}`);
    const sent = (request.path + (request.query ? `?${request.query}` : "")).replace(WORKSPACE, "\0workspace\0").replace(ROOM, "\0room\0");
    assert.equal(url, `\0world\0${sent}`);
    if (request.request.body !== undefined || request.request.parts) assert.ok(texts.includes(text), `pytest lost ${JSON.stringify(text)}`);
  }
}

/** What a copied line gives curl, as bash reads it. */
function curlIsData(cases) {
  for (const locale of ["C", "C.UTF-8"]) {
    const lines = cases.map(({ request }) => curl(request, "http://h"));
    const programs = `exec 3>&1; curl() { printf '%s\\0' "$@" >&3; printf '\\1\\0' >&3; }; sed() { cat >/dev/null; printf token; }`;
    const script = `${programs}\nSECRET=s\n${lines.join("\n")}\n`;
    const got = run("bash", ["-c", script], "", { LC_ALL: locale }).split("\u0001\0");
    for (const [at, { request, text }] of cases.entries()) {
      if (request.account) assert.ok(got.shift().includes(JSON.stringify({ email: request.account, password: "Passw0rd!" })));
      const words = got.shift().split("\0");
      isPlain("curl", lines[at], text);
      for (const line of lines[at].split("\n")) assert.match(line, /^(curl|  -|#|TOKEN=\$\(curl -s '|  \| sed ')/, "a pasted line begins another command");
      const address = `http://h${request.path}${request.query ? `?${request.query}` : ""}`;
      assert.ok(words.includes(address), `curl asks for ${words[0]}, not ${address}`);
      assert.equal(words.includes("-g"), /[[\]{}]/.test(address));
      const { headers, body, parts } = request.request;
      if (body !== undefined) assert.ok(words.includes(body), `curl lost ${JSON.stringify(body)}`);
      const kept = headers.filter((one) => one.value !== "***" && !(parts && one.name === "content-type"));
      for (const { name, value } of kept) assert.ok(words.includes(`${name}: ${value}`));
      for (const one of parts ?? []) {
        const file = FILES.find(([name]) => name === one.fileName)?.[1];
        assert.ok(words.includes(one.fileName ? `${one.name}=@"./${file}"` : `${one.name}=${one.text ?? ""}`), `${one.fileName}: ${words}`);
      }
    }
  }
}

/** Interpolations of the tests' own helpers. */
const OWN = /\\#\(email\)|^\\\(try #require|^\/v1\/workspaces\/\\\(workspace\)\/channels$/;

/** The literals of a test, and the test without them. */
function literalsOf(source) {
  const found = [];
  const rest = source.replace(/#"(?!"")((?:(?!"#)[^])*)"#|"((?:\\[^]|[^"\\\n])*)"/g, (all, raw, escaped) => {
    if (OWN.test(raw ?? escaped)) return all;
    assert.ok(!raw?.includes("\\#"), `a raw literal runs code: ${all}`);
    // An interpolation is no escape of JSON.
    found.push(raw ?? JSON.parse(`"${escaped.replace(/\\u\{([0-9a-f]{4})\}/g, "\\u$1")}"`));
    return "_";
  });
  return { found, rest };
}

/** Without its literals a hostile test is the same as a harmless one. */
function otherTestsAreData(cases) {
  for (const [kind, make] of [["Swift", swift], ["JUnit", junit]]) {
    for (const { request, path, text } of cases) {
      const made = make(request);
      isPlain(kind, made, text);
      const usual = { ...request, query: request.query && "x", path: path ? path.slice(0, path.lastIndexOf("/") + 1) + "x" : "/v1/x" };
      if (request.method === "POST") usual.request = { ...request.request, body: request.request.body && "x" };
      else usual.request = { ...request.request, headers: request.request.headers.map((one) => ({ ...one, value: "x" })) };
      const [{ found, rest }, harmless] = [literalsOf(made), literalsOf(make(usual))];
      const name = /(func|void) \w+\(\)/g;
      assert.equal(rest.replace(name, ""), harmless.rest.replace(name, ""), `${kind} of ${JSON.stringify(text)}`);
      if (request.request.body !== undefined) assert.ok(found.includes(text), `${kind} lost ${JSON.stringify(text)}`);
    }
  }
}

function pathsLeadHere() {
  for (const path of ["@evil.com/x", ".evil.com", "*", "evil.com:80", "http://evil.com/", "/v1/../_dev/restart", "/%2e%2E/x", "/v1/."]) {
    assert.ok(!isSendable({ path }), path);
  }
  for (const path of ["/", "/v1/users/me", "/v1/x..y", "/v1/...", "//v1"]) assert.ok(isSendable({ path }), path);
  const parts = ["image=@/etc/hostname;x", "a;b", 'a"', "@a", "a<b"].map((name) => ({ name, fileName: "y", size: 1 }));
  const line = curl(entry({}, { parts: [...parts, { name: "good", text: "@x" }] }), "http://h");
  assert.deepEqual(line.match(/-F|--form-string/g), ["--form-string"]);
  assert.match(line, /\n# Parts .* left out\.$/);
  for (const href of ["//evil.com", "/\\evil.com", "/\t/evil.com", "/\n\\evil.com", "javascript:alert(1)"]) {
    assert.equal(h("a", { href }).attributes.href, undefined, JSON.stringify(href));
  }
  for (const href of ["/", "/web/v1/x", "#/~/live", "https://x"]) assert.equal(h("a", { href }).attributes.href, href);
}

function nestingIsCheap() {
  for (const text of ["[".repeat(16384), "[".repeat(8192) + "]".repeat(8192), '{"a":'.repeat(3276), "[".repeat(100_000)]) {
    assert.ok(pretty(text, true).length <= 2 * text.length);
  }
  assert.equal(pretty('{"a":[1,{}],"b":1e400}'), '{\n  "a": [\n    1,\n    {}\n  ],\n  "b": 1e400\n}');
}

function rowsAreSeen() {
  const row = (more) => rowOf({ number: 1, at: "", elapsed: 0, session: "s", transport: "polling", direction: "toClient", ...more }, "");
  const event = (first) => row({ kind: "packet", packet: "event", event: "channel\u202e", namespace: "/x", payload: JSON.stringify(["channel", first]) });
  const rows = [
    event({ content: "x", user: { nickname: "\u202eE13" } }),
    event({ content: {}, user: { nickname: 5 }, files: { length: ["\u0590"] } }),
    row({ kind: "packet", packet: "connectError", payload: '{"message":"\u202e"}' }),
    row({ kind: "connection", event: "closed", reason: "\u202e" }),
    { ...row({ kind: "mail" }), kind: "mail", person: "a\u202e@x", quote: "[x] \u202esubject" },
    rowOf(entry({ path: "/v1/\u202e/" + "a".repeat(7500) }), ""),
    rowOf(entry({ path: `/v1/workspaces/1/channels/${encodeURIComponent("\u202e".repeat(900))}/chats`, account: "mina@example.com" }), ""),
  ];
  for (const one of rows) {
    const words = [...Object.values(wordsOf(one)), titleOf(one)].filter((it) => typeof it === "string");
    for (const it of words) {
      const own = it.replace(/ · \u2068.*\u2069$/, (by) => by.slice(4, -1));
      assert.equal(visible(own), own, JSON.stringify(it));
      assert.ok(it.length < 1300, `a row shows ${it.length} letters`);
    }
  }
  for (const field of ["constructor", "toString", "__proto__", "hasOwnProperty"]) assert.equal(matcher(`${field}:x`)(rows[0]), false);
}

await knowPlaces();
const cases = hostile();
pytestIsData(cases);
curlIsData(cases);
otherTestsAreData(cases);
pathsLeadHere();
nestingIsCheap();
rowsAreSeen();
console.log(`${cases.length} hostile requests stay data in pytest, Swift, JUnit and curl`);
