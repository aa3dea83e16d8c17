// The tests for pytest that the console at /_dev/ makes of recorded requests.
// usage: node console_tests.mjs <entries.json    prints a list of texts; kits_check.py runs them

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
globalThis.document = {};

const { pytest } = await import(pathToFileURL(join(folder, "console-test-pytest.js")));
const world = { id: "w1", seed: "courtyard", number: 7 };
console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map((entry) => pytest(entry, world))));
