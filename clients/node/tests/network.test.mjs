/** Servers that hang, end, or lose answers. The ids are those of clients/behaviours.md. */

import assert from "node:assert";
import { chmodSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { createServer as createWebServer } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";

import { Client, MadangError, MadangServer, World, madang } from "../madang-testing.mjs";
import { changed, closedPort, folder, processesOf, runNode, untilEnded } from "./kit.mjs";

const PROGRAM = process.env.MADANG_PROGRAM;
const needsProgram = PROGRAM ? false : "needs MADANG_PROGRAM";

/** A server that passes each connection to the body; its URL. It ends with the test. */
async function listening(context, body, make = createServer) {
  const sockets = new Set();
  const server = make(body).listen(0, "127.0.0.1");
  server.on("connection", (socket) => { sockets.add(socket.on("error", () => {})); });
  context.after(() => { server.close(); for (const socket of sockets) socket.destroy(); });
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${server.address().port}`;
}

/** A program that looks like a server and ignores the signal TERM. */
function stubborn() {
  const program = join(folder(), "stubborn");
  writeFileSync(program, "#!/bin/sh\ntrap '' TERM\necho at http://127.0.0.1:9\nwhile :; do sleep 0.1; done\n");
  chmodSync(program, 0o755);
  return program;
}

const refusal = (message) => (error) => {
  assert(error instanceof Error);
  assert.equal(error.message, message);
  return true;
};

test("B02 a server that is silent is asked for a short time", async (context) => {
  const url = await listening(context, () => {});
  const { findOrStart } = await import(changed({ FIND: 300 }));
  const before = process.env.MADANG_DEV_URL;
  process.env.MADANG_DEV_URL = url;
  context.after(() => { if (before === undefined) delete process.env.MADANG_DEV_URL; else process.env.MADANG_DEV_URL = before; });
  await assert.rejects(findOrStart(), /\(MADANG_DEV_URL\): GET \/_dev\/about: no answer within 0\.3 s; start 'madang serve --dev' there/);
});

test("B12 later calls of a silent server take a short time", async (context) => {
  const url = await listening(context, () => {});
  const kit = await import(changed({ ABOUT: 300, WAIT: 500 }));
  const server = new kit.MadangServer(url);
  await assert.rejects(server.dev("GET", "worlds"), refusal("GET /_dev/worlds: no answer within 0.5 s"));
  await assert.rejects(server.makeWorld(), refusal("GET /_dev/about: no answer within 0.3 s"));
  assert.equal(await server.silence(), `the server at ${url} does not answer: GET /_dev/about: no answer within 0.3 s`);
});

test("B12 a refused connection is an error that names the call", async () => {
  const url = await closedPort();
  const words = `no answer: connect ECONNREFUSED ${url.slice("http://".length)}`;
  await assert.rejects(new MadangServer(url).makeWorld(), refusal(`POST /_dev/worlds: ${words}`));
  await assert.rejects(new Client(url, {}, "2024-10").get("users/me"), refusal(`GET /v1/users/me: ${words}`));
});

test("B12 an answer that is cut is an error that names the call", async (context) => {
  const url = await listening(context, (request, response) => {
    response.setHeader("Content-Type", "application/json");
    if (request.url.endsWith("/worlds")) response.end('{"now": "2026');
    else {
      response.setHeader("Content-Length", 100);
      response.write("{");
      setTimeout(() => request.socket.destroy(), 50);
    }
  }, createWebServer);
  const server = new MadangServer(url);
  const isNamed = (words) => (error) => error instanceof MadangError && error.message.startsWith(words);
  await assert.rejects(server.dev("GET", "worlds"), isNamed("GET /_dev/worlds: the answer is cut or is not JSON: "));
  await assert.rejects(server.dev("GET", "about"), isNamed("GET /_dev/about: no answer: "));
});

test("B03 a server that does not end is killed", async () => {
  const { start } = await import(changed({ PATIENCE: 1 }));
  const server = await start(stubborn());
  assert(processesOf(server.folder).length > 0);
  await server.close();
  // A child of the program, `sleep`, may live a moment longer.
  await untilEnded(server.folder);
  assert(!existsSync(server.folder));
  await server.close();
});

for (const signal of ["SIGSTOP", "SIGKILL"]) {
  test(`B42 a server that gets ${signal} costs seconds and leaves nothing`, { skip: needsProgram }, async () => {
    const module = changed(signal === "SIGSTOP" ? { ABOUT: 1_000, WAIT: 15_000, PATIENCE: 1 } : {});
    const place = folder();
    const { output } = await runNode(`import { execSync } from "node:child_process"; import { after, test } from "node:test";
      import { madang, withWorld } from ${JSON.stringify(module)};
      after(async () => (await madang()).close());
      test("ends", withWorld(async (world) => {
        process.kill(Number(execSync("pgrep -f " + world.server.folder + "/data -o")), "${signal}");
        // A signal takes effect a moment after it was sent: until then, calls are answered.
        for (let calls = 0; calls < 10_000; calls++) await world.now();
      }));
      test("next", withWorld(() => {}));`,
    { MADANG_DEV_URL: undefined, MADANG_PROGRAM: PROGRAM, TMPDIR: place }, "--test-reporter=tap").outcome;
    assert.match(output, /# pass 0\n# fail 2\n/);
    assert(output.includes("# So its journal is not here, and it is not removed."), output);
    assert(!output.includes("No such process"));
    if (signal === "SIGSTOP") {
      assert.match(output, /clock: no answer within 15 s/);
      assert.match(output, /does not answer: GET \/_dev\/about: no answer within 1 s/);
    } else {
      assert.match(output, /clock: no answer: /);
      assert.match(output, /# The server has ended with status 137 \(signal 9\)\. The end of its log:\n/);
    }
    assert.deepEqual(readdirSync(place).filter((name) => name.startsWith("madang-test-")), []);
    assert.deepEqual(processesOf(join(place, "madang-test-.*")), []);
  });
}

test("B11 a lost renewal is tried again", async (context) => {
  const { url } = await madang();
  const kit = await import(changed({ LEASE: '"1s"' }));
  const failures = [new Error("no answer"), new SyntaxError("no JSON"), new kit.MadangError("overloaded", { status: 503 }),
    new kit.MadangError("gone", { status: 400 })];
  const asked = [];
  const server = new kit.MadangServer(url);
  const world = await server.makeWorld();
  context.after(() => server.close());
  const forgotten = new Promise((resolve) => { server.forget = resolve; });
  world.clock.now = async () => { asked.push(failures.length); throw failures.shift() ?? new Error("late"); };
  // Renewals do not keep a process.
  const staying = setInterval(() => {}, 1_000);
  context.after(() => clearInterval(staying));
  assert.equal(await forgotten, world);
  assert.deepEqual(asked, [4, 3, 2, 1]);
});

test("B10 a world is removed again after a lost answer", async () => {
  const server = await madang();
  const world = await server.makeWorld();
  world.dev = async () => { throw new MadangError("no answer"); };
  await assert.rejects(world.remove(), /no answer/);
  delete world.dev;
  await world.remove();
  assert(world instanceof World && !(await server.dev("GET", "worlds")).some(({ id }) => id === world.id));
});
