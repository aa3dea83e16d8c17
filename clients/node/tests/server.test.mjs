/** Which server is used, and what a failed test leaves. The ids are those of clients/behaviours.md. */

import assert from "node:assert";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";

import { MadangError, findOrStart, madang, start, withWorld } from "../madang-testing.mjs";
import { closedPort, folder, isOpen, runNode, untilClosed } from "./kit.mjs";

const PROGRAM = process.env.MADANG_PROGRAM;
const needsProgram = PROGRAM ? false : "needs MADANG_PROGRAM";

/** Runs the body with these names of the environment, and without the other ones that choose a server. */
async function within(environment, body) {
  const before = { ...process.env };
  for (const name of ["MADANG_DEV_URL", "MADANG_DEV_TOKEN", "MADANG_PROGRAM"]) delete process.env[name];
  Object.assign(process.env, environment);
  try {
    return await body();
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

test("B01 the server of MADANG_DEV_URL is used", async () => {
  const { url } = await madang();
  const found = await within({ MADANG_DEV_URL: url, MADANG_PROGRAM: "/nonexistent" }, () => findOrStart());
  assert.deepEqual([found.url, found.wasStarted], [url, false]);
  await found.close();
  assert(await isOpen(url));
});

test("B02 a server that does not answer is an error with URL and cure", async () => {
  const url = await closedPort();
  await within({ MADANG_DEV_URL: url }, () => assert.rejects(findOrStart(), (error) =>
    error instanceof MadangError && error.message.includes(`${url} (MADANG_DEV_URL)`) && error.message.includes("madang serve --dev")));
});

test("B03 the program is started and ended", { skip: needsProgram }, async () => {
  const started = await within({ MADANG_PROGRAM: PROGRAM }, () => findOrStart());
  assert(started.wasStarted);
  assert.equal((await (await started.makeWorld()).people()).length, 5);
  await started.close();
  await untilClosed(started.url);
});

test("B03 the server ends with its process, also a killed one", { skip: needsProgram }, async () => {
  for (const signal of [undefined, "SIGKILL"]) {
    const last = signal ? "setTimeout(() => {}, 600_000);" : "";
    const inner = runNode(`import { start } from MODULE; console.log((await start(${JSON.stringify(PROGRAM)})).url); ${last}`, {});
    const url = await inner.firstLine;
    if (signal) inner.child.kill(signal);
    await inner.outcome;
    await untilClosed(url);
  }
});

test("B03 a program that does not start is an error with its words", async () => {
  await assert.rejects(start("false"), /did not start/);
  await assert.rejects(start("/nonexistent"), /there is no program \/nonexistent/);
});

test("B04 one line says which server it is", async () => {
  const { url } = await madang();
  const { output } = await runNode(`import { test } from "node:test"; import { withWorld } from MODULE;
    test("one", withWorld(() => {})); test("two", withWorld(() => {}));`, { MADANG_DEV_URL: url }).outcome;
  assert.deepEqual(output.split("\n").filter((line) => line.startsWith("madang: ")), [`madang: found at ${url} (MADANG_DEV_URL)`]);
});

test("B05 neither server nor program is an error that names both", async () => {
  const standard = await closedPort();
  await within({ PATH: "/usr/bin:/bin" }, () => assert.rejects(findOrStart({ standard }), (error) =>
    [standard, "madang serve --dev", "MADANG_DEV_URL", "MADANG_PROGRAM", "PATH"].every((words) => error.message.includes(words))));
});

test("B06 development calls carry the token", async () => {
  const seen = [];
  const stub = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.setHeader("Content-Type", "application/json").end('{"keys": {}}');
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => stub.once("listening", resolve));
  const url = `http://127.0.0.1:${stub.address().port}`;
  await within({ MADANG_DEV_URL: url, MADANG_DEV_TOKEN: "ci-token-0123456789ab" }, () => findOrStart());
  stub.close();
  assert.deepEqual(seen, ["Bearer ci-token-0123456789ab"]);
});

test("B12 a refused call is an error with the server's text", withWorld(async (world) => {
  await assert.rejects(world.faults.add("latency"), (error) =>
    error instanceof MadangError && error.status === 400 && error.message.startsWith("effect."));
  await assert.rejects((await madang()).makeWorld({ seed: "moon" }), /moon/);
  await assert.rejects(world.dev("GET", "nothing"), /there is no development call/);
}));

/** Runs tests of node with a server, and returns what they printed. */
async function inner(text, environment = {}) {
  const { url } = await madang();
  const head = 'import assert from "node:assert"; import { test } from "node:test"; import { madang, once, withWorld } from MODULE;\n';
  return runNode(head + text, {
    MADANG_DEV_URL: url, MADANG_TEST_RESULTS: undefined, MADANG_TEST_KEEP: undefined, ...environment,
  }, "--test-reporter=tap").outcome;
}

const FAILING = `test("fails", withWorld(async (world) => {
  console.log("at " + world.url + " ");
  await (await world.signIn("mina@example.com")).get("users/me");
  assert.fail("as planned");
}));`;

test("B10 a world ends after its test, also after a failed one", async () => {
  const { output } = await inner(`
    test("good", withWorld({ name: "of a good test" }, () => {}));
    test("bad", withWorld({ name: "of a failed test" }, () => { throw new Error("planned"); }));`);
  assert.match(output, /# pass 1\n# fail 1\n/);
  const names = (await (await madang()).dev("GET", "worlds")).map((world) => world.name);
  assert.deepEqual(names.filter((name) => name.includes("of a")), []);
});

test("B35 a failed expectation is the runner's failure with the server's sentences", async () => {
  const { output } = await inner(`test("one", withWorld((world) => world.expect([once({ operation: "me" })], { within: 0 })));`);
  assert.match(output, /not ok 1 - one/);
  assert.match(output, /missing: operation me/);
  assert.match(output, /ERR_ASSERTION/);
});

/** The part of a report in TAP about one test. */
const partOf = (output, name) => new RegExp(`^(?:not )?ok \\d+ - ${name}$[^]*?^  \\.\\.\\.$(?:\\n#.*)*`, "m").exec(output)[0];

test("B35 a call that is not awaited fails its own test", async () => {
  const { output } = await inner(`
    const later = () => new Promise((resolve) => setTimeout(resolve, 300));
    const missing = [once({ operation: "me" })];
    test("good", withWorld(async (world) => { await world.expect([once({ operation: "signIn" })], { within: 0 }).catch(() => {}); }));
    test("unfinished", withWorld(async (world) => { world.expect(missing, { within: "200ms" }); }));
    test("failed before the end", withWorld(async (world) => { world.clock.advance("25 hours"); await later(); }));
    test("of another world", withWorld(async () => { (await madang()).makeWorld({ ttl: "1s" }); }));
    test("two", withWorld(async (world) => { world.person("joon").join("Weekend/hiking"); world.signIn("mina@example.com"); }));
    test("in a function", withWorld(async (world) => { (async () => { await world.people(); })(); }));
    test("of a failed body", withWorld(async (world) => { world.expect(missing); assert.fail("as planned"); }));
    test("last", withWorld(later));`);
  const fails = (name, ...words) => {
    for (const one of words) assert(partOf(output, name).includes(one), `${one} is not in ${partOf(output, name)}`);
  };
  assert.match(output, /# pass 2\n# fail 6\n/);
  assert(!output.includes("asynchronous activity"), output);
  fails("unfinished", "not ok", "world.expect was not awaited: write 'await'", "inner.test.mjs:");
  fails("failed before the end", "not ok", "world.clock.advance was not awaited: write 'await'");
  fails("of another world", "not ok", "madang.makeWorld was not awaited: write 'await'");
  fails("two", "world.person(...).join was not awaited: write 'await'", "world.signIn was not awaited: write 'await'");
  fails("in a function", "world.people had not ended when the test ended: write 'await' before all that waits for it");
  fails("of a failed body", "as planned", "# world.expect was not awaited: write 'await'");
});

test("B35 the stack of a failed call has the line of the test", async () => {
  const { output } = await inner(`
    test("expects", withWorld(async (world) => { await world.people();
      await world.expect([once({ operation: "me" })], { within: 0 }); }));
    test("is refused", withWorld(async (world) => { await world.people();
      await world.person("zoe").join("Weekend/ios"); }));`);
  for (const name of ["expects", "is refused"]) assert.match(partOf(output, name), /inner\.test\.mjs:\d+/);
});

test("B42 a failed test brings its journal, archive and a link", async () => {
  const results = folder();
  const { output } = await inner(FAILING, { MADANG_TEST_RESULTS: results });
  const url = /\nat (http:\S+) /.exec(output)[1];
  for (const words of ["Madang world w", "POST /v1/users/login (signIn): 200", "GET /v1/users/me (me): 200", `console: ${url}/_dev/`,
    "MADANG_TEST_KEEP=1"]) assert(output.includes(words), `${words} is not in ${output}`);
  const [archive, journal] = readdirSync(results).sort();
  assert.match(archive, /fails\.har$/);
  assert.match(journal, /fails\.journal\.ndjson$/);
  const entries = readFileSync(join(results, journal), "utf8").trim().split("\n").map((line) => JSON.parse(line).operation);
  assert.deepEqual(entries, ["signIn", "me"]);
  assert.equal(JSON.parse(readFileSync(join(results, archive), "utf8")).log.entries.length, 2);
});

test("B42 the report counts faults and names the devices of notifications", async () => {
  const { output } = await inner(`test("fails", withWorld(async (world) => {
    await world.faults.add("silence", { event: "channel" });
    await world.faults.add("latency", { operation: "signIn", time: "1ms" });
    await world.signIn("mina@example.com");
    await world.person("mina").post("Lunch?", { in: "Weekend/ios" });
    await world.journal.wait({ kind: "push" }, { within: "60s" });
    assert.fail("as planned");
  }));`);
  assert(output.includes("# fault 1 silence: matched 0, applied 0\n# fault 2 latency: matched 1, applied 1\n"), output);
  assert.match(output, / {2}sora@example\.com {2}push to sora-phone \{/);
});

test("B42 a client cannot forge a report", async () => {
  const { output } = await inner(String.raw`test("fails", withWorld(async (world) => {
    const sockets = world.url + "/socket.io/?EIO=4&transport=polling";
    const { sid } = JSON.parse((await (await fetch(sockets)).text()).slice(1));
    await fetch(sockets + "&sid=" + sid, { method: "POST", body: '42["a\x1b[31m","\x9b1m\u202e\nok 1 - fake\n"]' });
    await world.journal.wait({ kind: "packet", packet: "message" }, { within: "60s" });
    assert.fail("as planned");
  }));
  test("other", withWorld((world) => world.person("mina").post("hi", { in: "Weekend/\x1b[31m\nok 2 - fake" })));`);
  // The reporter of TAP escapes backslashes.
  const text = output.replaceAll("\\\\", "\\");
  assert(text.includes(String.raw`2["a\u001b[31m","\u009b1m\u202e\u000aok 1 - fake\u000a"]`), output);
  assert(text.includes(String.raw`\u001b[31m\u000aok 2 - fake`), output);
  assert(!/[\x1b\x9b\u202e]/.test(output) && !output.includes("\nok "), output);
});

test("B42 different tests have different files", async () => {
  const results = folder();
  const names = ["plain", "a/b", "a_b", "..", "x".repeat(200), "x".repeat(201), "\uac00".repeat(100)];
  const { output } = await inner(`for (const name of ${JSON.stringify(names)}) test(name, withWorld(() => assert.fail("as planned")));`,
    { MADANG_TEST_RESULTS: results });
  assert.match(output, /# fail 7\n/);
  const files = readdirSync(results).filter((name) => name.endsWith(".har")).map((name) => name.replace(/^inner\.test\.mjs_/, ""));
  assert.equal(files.length, 7);
  for (const name of [/^plain\.har$/, /^a_b\.har$/, /^a_b-[0-9a-f]{8}\.har$/, /^x{100,}-[0-9a-f]{8}\.har$/]) {
    assert(files.some((file) => name.test(file)), files.join(" "));
  }
});

test("B42 a kept world can be looked at", async () => {
  const { output } = await inner(`test("fails", withWorld({ name: "kept" }, () => assert.fail("as planned")));`, { MADANG_TEST_KEEP: "1" });
  const server = await madang();
  const kept = (await server.dev("GET", "worlds")).find((world) => world.name === "kept");
  assert(kept && output.includes(`console: ${kept.url}/_dev/\n`), output);
  await server.dev("DELETE", `worlds/${kept.id}`);
});

test("B43 a passed test writes no files", async () => {
  const results = join(folder(), "results");
  const { output } = await inner(`test("passes", withWorld((world) => world.signIn("mina@example.com")));`, { MADANG_TEST_RESULTS: results });
  assert.match(output, /# pass 1\n/);
  assert(!existsSync(results));
});

test("B44 tests in parallel share one server, and each has its own world", async () => {
  const { output } = await inner(`
    import { room } from ${JSON.stringify(new URL("kit.mjs", import.meta.url).href)};
    test("all", { concurrency: 4 }, async (all) => {
      await Promise.all(Array.from({ length: 12 }, (_, index) => all.test("test " + index, withWorld(async (world) => {
        const text = "Test " + index;
        await world.person("joon").post(text, { in: "Weekend/quiet" });
        const joon = await world.signIn("joon@example.com");
        const chats = await joon.get((await room(joon, "quiet")) + "/chats");
        assert.deepEqual(chats.map((chat) => chat.content), [text]);
        console.log("world " + world.id + " of " + (await madang()).url);
      }))));
    });`);
  assert.match(output, /# fail 0\n/);
  const seen = [...output.matchAll(/world (w\d+) of (\S+)/g)];
  assert.equal(new Set(seen.map(([, world]) => world)).size, 12);
  assert.equal(new Set(seen.map(([, , url]) => url)).size, 1);
});
