/** What the tests of this folder share. */

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const MODULE = new URL("../madang-testing.mjs", import.meta.url).href;

/** The path of a channel of `Weekend`. */
export async function room(client, name = "ios") {
  const { workspace_id: workspace } = (await client.get("workspaces")).find((one) => one.name === "Weekend");
  const { channel_id: channel } = (await client.get(`workspaces/${workspace}/channels`)).find((one) => one.name === name);
  return `workspaces/${workspace}/channels/${channel}`;
}

/** A port at which nothing listens, as a URL: not one that systems or the checks of the project choose. */
export async function closedPort() {
  for (;;) {
    const url = `http://127.0.0.1:${10_000 + Math.floor(Math.random() * 9_000)}`;
    if (!(await isOpen(url))) return url;
  }
}

export function isOpen(url) {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on("connect", () => { socket.destroy(); resolve(true); });
    socket.on("error", () => resolve(false));
  });
}

/** Waits until nothing listens at a URL. */
export async function untilClosed(url) {
  const end = Date.now() + 30_000;
  while (await isOpen(url)) {
    if (Date.now() > end) throw new Error(`the server at ${url} is still there`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A folder of one's own. */
export const folder = () => mkdtempSync(join(tmpdir(), "madang-node-"));

/** The URL of a copy of the module with other constants, such as `{ WAIT: "1_000" }`. */
export function changed(constants) {
  let text = readFileSync(new URL(MODULE), "utf8");
  for (const [name, value] of Object.entries(constants)) {
    const before = new RegExp(`^const ${name} = .*;$`, "m");
    if (!before.test(text)) throw new Error(`the module has no constant ${name}`);
    text = text.replace(before, `const ${name} = ${value};`);
  }
  const file = join(folder(), "madang-testing.mjs");
  writeFileSync(file, text);
  return pathToFileURL(file).href;
}

/** The servers with their data in a folder, by their process ids. */
export function processesOf(one) {
  return spawnSync("pgrep", ["-f", `${one}/data`]).stdout.toString().split("\n").filter(Boolean).map(Number);
}

/** Waits until no process uses a folder for its data. */
export async function untilEnded(one) {
  const end = Date.now() + 30_000;
  while (processesOf(one).length) {
    if (Date.now() > end) throw new Error(`processes use ${one}: ${processesOf(one)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Runs a program of node with this text, with the environment changed; undefined removes a name. */
export function runNode(text, environment, ...options) {
  const file = join(folder(), "inner.test.mjs");
  writeFileSync(file, text.replaceAll("MODULE", JSON.stringify(MODULE)));
  const env = { ...process.env, ...environment };
  for (const [name, value] of Object.entries(env)) if (value === undefined || name === "NODE_TEST_CONTEXT") delete env[name];
  const child = spawn(process.execPath, [...options, file], { env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (part) => { output += part; });
  child.stderr.on("data", (part) => { output += part; });
  const outcome = new Promise((resolve) => child.on("close", (status) => resolve({ status, output })));
  return { child, outcome, firstLine: new Promise((resolve) => child.stdout.once("data", (part) => resolve(String(part).split("\n")[0]))) };
}
