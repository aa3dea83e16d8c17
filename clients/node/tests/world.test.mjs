/** Worlds, time, failures, people and journals. The ids are those of clients/behaviours.md. */

import assert from "node:assert";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { MadangError, MadangServer, atLeast, atMost, madang, milliseconds, never, once, spaced, times, withWorld } from "../madang-testing.mjs";
import { closedPort, folder, room } from "./kit.mjs";

const SEVENTH = { number: 7 };
const START = new Date("2026-01-05T09:00:00Z");

const contents = async (client, name) => (await client.get(`${await room(client, name)}/chats`)).map((chat) => chat.content);
const rejectsWith = (promise, code) => assert.rejects(promise, (error) => error instanceof MadangError && error.code === code);

/** Makes two worlds more for a body. */
async function withTwo(plans, body) {
  const server = await madang();
  const worlds = [];
  try {
    for (const plan of plans) worlds.push(await server.makeWorld(plan));
    return await body(...worlds);
  } finally {
    for (const world of worlds) await world.remove();
  }
}

test("B07 a test has a world", withWorld({ name: "seventh" }, async (world) => {
  assert.match(world.id, /^w\d+$/);
  assert.equal(world.name, "seventh");
  assert.notEqual(world.url, (await madang()).url);
  assert.deepEqual([world.key(), world.key("2024-01")], ["dev-key-2024-10", "dev-key-2024-01"]);
  assert.throws(() => world.key("2024-02"), /2024-10/);
  assert.equal((await world.signIn("mina@example.com")).user.nickname, "Mina");
}));

test("B08 worlds of the same seed and number are the same", async () => {
  await withTwo([SEVENTH, SEVENTH], async (one, two) => {
    assert.notEqual(one.url, two.url);
    const ids = await Promise.all([one, two].map(async (world) => (await world.people()).map((person) => person.id)));
    assert.deepEqual(ids[0], ids[1]);
    assert.deepEqual([await one.now(), await two.now()], [START, START]);
  });
});

test("B08 a seed is a name, a text, an object or a file", async () => {
  const text = "people: [{email: ann@example.com}]";
  const file = join(folder(), "seed.yaml");
  writeFileSync(file, text);
  const seeds = [text, { people: [{ email: "ann@example.com" }] }, pathToFileURL(file)];
  await withTwo(seeds.map((seed) => ({ seed })), async (...worlds) => {
    for (const world of worlds) assert.deepEqual((await world.people()).map((person) => person.email), ["ann@example.com"]);
  });
});

test("B09 settings change one world only", async () => {
  const interval = async (world) =>
    JSON.parse((await (await fetch(`${world.url}/socket.io/?EIO=4&transport=polling`)).text()).slice(1)).pingInterval;
  await withTwo([{ settings: { "socket.ping.interval": "1s" } }, {}], async (changed, other) => {
    assert.deepEqual([await interval(changed), await interval(other)], [1000, 25000]);
  });
  await assert.rejects((await madang()).makeWorld({ settings: { "socket.pong": "1s" } }), /socket\.pong/);
});

test("B09 an option that there is not is an error that names the right one", withWorld(async (world) => {
  const refuses = (call, message) => assert.rejects(call, { name: "TypeError", message });
  const server = await madang();
  const names = "seed, number, settings, name, ttl";
  await refuses(server.makeWorld({ seed: "empty", numbr: 7 }),
    `makeWorld has no option 'numbr'. Did you mean 'number'? Its options: ${names}`);
  await refuses(server.makeWorld("empty"), "makeWorld takes its options by name: write { seed: ... }, not empty");
  await refuses(withWorld({ sed: "empty" }, () => {})(), `withWorld has no option 'sed'. Did you mean 'seed'? Its options: ${names}`);
  await refuses(world.expect([once({ operation: "me" })], { inorder: true }), /^expect has no option 'inorder'\. Did you mean 'inOrder'\?/);
  await refuses(world.person("joon").post("Hi", { at: "Weekend/ios" }), "post has no option 'at'. Its options: in, files");
  const calls = { signIn: ["mina@example.com"], restart: [], reset: [], restore: ["one"], review: [], mails: [], pushes: [],
    pay: [500, "order 1"], socialToken: ["kakao", "42"], dev: ["GET", "clock", undefined] };
  for (const [call, args] of Object.entries(calls)) {
    await refuses(world[call](...args, { wrong: 1 }), new RegExp(`^${call} has no option 'wrong'`));
  }
  await refuses(world.journal.wait({}, { wihtin: "1s" }), /Did you mean 'within'/);
  await refuses(world.journal.entries({}, { count: 1 }), /^entries has no option 'count'/);
  await refuses(world.scripts.finished("rush", { allowFailures: true }), /Did you mean 'allowingFailures'/);
  await refuses(world.sockets.cut({ acount: "mina" }), /Did you mean 'account'/);
  await refuses((await world.signIn("mina@example.com")).get("users/me", { header: {} }), /Did you mean 'headers'/);
  assert.throws(() => spaced(once({}), { atleast: "1s" }), /Did you mean 'atLeast'/);
}));

test("B11 a world has a lease", withWorld(async (world) => {
  // A renewal is any call about the world; test_b11 of clients/python waits for one.
  assert((await world.dev("GET", "")).expires);
}));

test("B13 the clock advances by text and by seconds", withWorld(SEVENTH, async (world) => {
  await world.clock.advance("25h");
  await world.clock.advance(1.5);
  assert.equal((await world.now()) - START, 25 * 3_600_000 + 1500);
}));

test("B14 the clock is set, frozen, resumed and run", withWorld(SEVENTH, async (world) => {
  await world.clock.set("2026-02-01T12:00:00Z");
  assert.deepEqual(await world.now(), new Date("2026-02-01T12:00:00Z"));
  await world.clock.set(new Date("2025-01-01T00:00:00Z"));
  assert(await world.now() < START);
  await world.clock.resume();
  assert.equal(await world.clock.rate(), 1);
  await world.clock.run(60);
  assert.equal(await world.clock.rate(), 60);
  await world.clock.freeze();
  assert.equal(await world.clock.rate(), 0);
}));

test("B15 an access token expires", withWorld(SEVENTH, async (world) => {
  const mina = await world.signIn("mina@example.com");
  await mina.get("workspaces");
  await world.clock.advance("25h");
  await rejectsWith(mina.get("workspaces"), "E05");
}));

test("B16 a fault applies where it matches", withWorld(async (world) => {
  const mina = await world.signIn("mina@example.com");
  const chats = `${await room(mina)}/chats`;
  const rule = await world.faults.add("answerLost", { operation: "postToChannel", nth: 2 });
  await mina.post(chats, { content: "one" });
  await assert.rejects(mina.post(chats, { content: "two" }), (error) => error.code === "ECONNRESET");
  assert.deepEqual((await contents(mina)).slice(-2), ["one", "two"]);
  const [found] = await world.faults.rules();
  assert.deepEqual([found.id, found.kind, found.matched, found.applied], [rule.id, "answerLost", 2, 1]);
}));

test("B16 fields and durations arrive at the server", withWorld(SEVENTH, async (world) => {
  await world.faults.add("latency", { account: "mina", time: "1.5s", jitter: "10ms", after: true });
  await world.faults.add("close", { event: "channel", direction: "toClient", closeCode: 1001, until: START });
  const [first, second] = await world.faults.rules();
  assert.deepEqual([first.effect.milliseconds, first.effect.jitter, first.effect.after], [1500, 10, true]);
  assert.deepEqual([second.effect.closeCode, second.match.until], [1001, "2026-01-05T09:00:00.000Z"]);
}));

test("B17 a removed fault applies no longer", withWorld(async (world) => {
  const mina = await world.signIn("mina@example.com");
  const rule = await world.faults.add("reset", { operation: "me" });
  await assert.rejects(mina.get("users/me"));
  await world.faults.remove(rule);
  assert.equal((await mina.get("users/me")).nickname, "Mina");
  await world.faults.add("drop", { event: "channel" });
  await world.faults.removeAll();
  assert.deepEqual(await world.faults.rules(), []);
}));

test("B18 a restart refuses connections and keeps the data", withWorld(async (world) => {
  const mina = await world.signIn("mina@example.com");
  const chats = `${await room(mina)}/chats`;
  await mina.post(chats, { content: "before" });
  await world.restart({ downFor: "60s" });
  await assert.rejects(mina.get(chats));
  await world.restart({ downFor: 0 });
  assert.equal((await mina.get(chats)).at(-1).content, "before");
}));

test("B19 a person posts and a client reads", withWorld(async (world) => {
  const chat = await world.person("joon").post("Lunch?", { in: "Weekend/ios", files: 2 });
  const mina = await world.signIn("mina@example.com");
  const last = (await mina.get(`${await room(mina)}/chats`)).at(-1);
  assert.deepEqual([last.chat_id, last.content, last.files.length], [chat.chat_id, "Lunch?", 2]);
}));

test("B20 a person writes a direct message", withWorld(async (world) => {
  const sent = await world.person("joon").write("only for you", { to: "mina", in: "Weekend" });
  const mina = await world.signIn("mina@example.com");
  const [workspace] = (await room(mina)).split("/channels");
  assert.equal((await mina.get(`${workspace}/dms/${sent.room_id}/chats`)).at(-1).content, "only for you");
}));

test("B20 a chat without a place or a receiver is an error that says what is missing", withWorld(async (world) => {
  await assert.rejects(world.person("joon").post("Hi"), /^MadangError: in: is missing; write a place such as Weekend\/ios/);
  await assert.rejects(world.person("joon").post("Hi", "Weekend/ios"), /post takes its options by name: write \{ in: \.\.\. \}/);
  await assert.rejects(world.person("joon").write("Hi", { in: "Weekend" }), /write needs a receiver/);
}));

test("B21 a person joins and leaves a channel", withWorld(async (world) => {
  const sora = await world.signIn("sora@example.com");
  const path = `${await room(sora, "hiking")}/members`;
  const isMember = async () => (await sora.get(path)).some((one) => one.email === "joon@example.com");
  await world.person("joon").join("Weekend/hiking");
  assert(await isMember());
  await world.person("joon").leave("Weekend/hiking");
  assert(!(await isMember()));
}));

test("B22 a person calls the API", withWorld(async (world) => {
  const joon = world.person("joon");
  assert.equal((await joon.call("PUT", "/v1/users/me", { nickname: "Juno" })).nickname, "Juno");
  assert.equal((await joon.call("GET", "users/my", undefined, { edition: "2024-01" })).nickname, "Juno");
  await rejectsWith(joon.call("GET", "workspaces/00000000-0000-0000-0000-000000000000"), "E13");
  await rejectsWith(world.person("guest").post("hi", { in: "Weekend/ios" }), "E13");
}));

test("B23 a world lists its people", withWorld(async (world) => {
  const people = await world.people();
  assert.deepEqual(people.map((person) => person.email.split("@")[0]), ["mina", "joon", "sora", "theo", "guest"]);
  assert.deepEqual([people[0].workspaces, people[2].nickname], [["Weekend", "Book club"], "소라"]);
  await people[1].post("hi", { in: "Weekend/ios" });
}));

test("B24 a client gets, posts, puts and deletes", withWorld(async (world) => {
  const mina = await world.signIn("mina@example.com");
  const [workspace] = (await room(mina)).split("/channels");
  const made = await mina.post(`${workspace}/channels`, { name: "plans", description: "new" });
  const channel = `${workspace}/channels/${made.channel_id}`;
  assert.equal((await mina.put(channel, { name: "plans", description: "newer" })).description, "newer");
  await mina.delete(channel);
  await assert.rejects(mina.get(channel), (error) => error.status === 400 && error.code === "E13");
  assert.equal((await mina.request("GET", channel)).status, 400);
  await rejectsWith(world.signIn("mina@example.com", { password: "Wr0ng!!!" }), "E03");
  const old = await world.signIn("mina@example.com", { edition: "2024-01" });
  assert.equal((await old.get("users/my")).nickname, "Mina");
  assert((await mina.get("auth/refresh", { headers: { RefreshToken: mina.refreshToken } })).accessToken);
}));

test("B24 the text before the @ names one person", withWorld(async (world) => {
  assert.equal((await world.signIn("mina")).user.email, "mina@example.com");
  assert.equal((await world.signIn("mina", { edition: "2024-01" })).user.nickname, "Mina");
  assert.deepEqual((await world.journal.entries()).map((entry) => entry.operation), ["signIn", "signIn"]);
  await withTwo([{ seed: "people: [{email: ann@example.com}, {email: ann@example.org}]" }], async (other) => {
    for (const [name, words] of [["zoe", /^there is no person with the e-mail 'zoe'/], ["ann", /^several people are called 'ann'/]]) {
      const { message } = await other.person(name).join("Weekend/ios").catch((error) => error);
      assert.match(message, words);
      await assert.rejects(other.signIn(name), { name: "MadangError", message });
    }
  });
}));

test("B25 a script runs", withWorld(async (world) => {
  await world.scripts.add(`
    scripts:
      - name: answers
        when: {chat: {from: mina, in: Weekend/ios}}
        times: 2
        do: [{as: joon, post: "{nickname}, you said: {text}"}]`);
  await world.scripts.start("answers");
  const mina = await world.signIn("mina@example.com");
  const chats = `${await room(mina)}/chats`;
  await mina.post(chats, { content: "one" });
  assert.equal((await world.scripts.ran("answers", 1, { within: "60s" })).runs, 1);
  await mina.post(chats, { content: "two" });
  assert.equal((await world.scripts.finished("answers", { within: "60s" })).state, "ended");
  assert((await contents(mina)).includes("Mina, you said: two"));
  await world.scripts.remove("answers");
  assert.deepEqual(await world.scripts.list(), []);
}));

test("B25 a script that does not end is an error", withWorld(async (world) => {
  await world.clock.freeze();
  await world.scripts.add({ name: "slow", do: [{ wait: "1h" }, { as: "joon", post: "late", in: "Weekend/ios" }] });
  await world.scripts.start("slow");
  await assert.rejects(world.scripts.finished("slow", { within: "100ms" }), /'slow' did not end within 100ms/);
  await world.scripts.stop("slow");
  assert.equal((await world.scripts.finished("slow", { within: "60s" })).state, "stopped");
}));

test("B26 a failed run is an error that names the failure", withWorld(async (world) => {
  await world.scripts.add({ name: "cannot", do: [{ as: "guest", post: "hi", in: "Weekend/ios" }] });
  await world.scripts.start("cannot");
  await assert.rejects(world.scripts.finished("cannot", { within: "60s" }),
    /1 of 1 runs of the script 'cannot' failed, the first one: .*no such room/);
  assert.equal((await world.scripts.finished("cannot", { within: "60s", allowingFailures: true })).failed, 1);
}));

test("B27 a reset brings back the first state", withWorld(async (world) => {
  await world.person("joon").post("soon gone", { in: "Weekend/ios" });
  await world.reset();
  assert(!(await contents(await world.signIn("mina@example.com"))).includes("soon gone"));
}));

test("B28 a snapshot is restored and removed", withWorld(async (world) => {
  await world.person("joon").post("before", { in: "Weekend/quiet" });
  await world.snapshot("one chat");
  await world.person("joon").post("after", { in: "Weekend/quiet" });
  await world.restore("one chat", { wait: "1s" });
  assert.deepEqual(await contents(await world.signIn("joon@example.com"), "quiet"), ["before"]);
  assert.deepEqual(await world.snapshots(), ["one chat"]);
  await world.removeSnapshot("one chat");
  assert.deepEqual(await world.snapshots(), []);
  await assert.rejects(world.restore("one chat"), /one chat/);
}));

test("B29 an exported seed makes the same chats", withWorld(async (world) => {
  await world.person("joon").post("of the first world", { in: "Weekend/ios" });
  await withTwo([{ seed: await world.exportSeed() }], async (other) => {
    assert((await contents(await other.signIn("mina@example.com"))).includes("of the first world"));
  });
}));

test("B30 the journal selects entries", withWorld(async (world) => {
  const mina = await world.signIn("mina@example.com");
  for (const content of ["Hello", "World"]) await mina.post(`${await room(mina)}/chats`, { content });
  const posts = await world.journal.entries({ operation: "postToChannel", account: "mina", status: 200 });
  assert.deepEqual(posts.map((entry) => JSON.parse(entry.request.body).content), ["Hello", "World"]);
  const [entry] = await world.journal.entries({ body: { content: "World" } });
  assert.equal(entry.number, posts[1].number);
  assert.deepEqual(await world.journal.entries({ operation: "postToChannel" }, { after: posts[1].number }), []);
}));

test("B31 waiting returns when the entry comes, and its failure names the filter", withWorld(async (world) => {
  const mina = await world.signIn("mina@example.com");
  const path = `${await room(mina)}/chats`;
  const later = new Promise((resolve) => setTimeout(resolve, 200)).then(() => mina.post(path, { content: "late" }));
  const [push] = await world.journal.wait({ kind: "push", account: "sora@example.com" }, { within: "60s" });
  assert.match(push.payload, /late/);
  await later;
  assert.equal((await world.journal.wait({ body: { content: "late" } }, { within: "60s" }))[0].status, 200);
  await assert.rejects(world.journal.wait({ operation: "me", status: 200 }, { count: 2, within: "50ms" }), {
    name: "AssertionError", message: "came 0 of 2 times within 50ms: operation me, status 200",
  });
}));

test("B32 last is the newest number, and a cleared journal is empty", withWorld(async (world) => {
  assert.equal(await world.journal.last(), 0);
  await world.signIn("mina@example.com");
  await world.journal.clear();
  assert.deepEqual([await world.journal.entries(), await world.journal.last()], [[], 1]);
}));

test("B33 the archive has the requests", withWorld(async (world) => {
  await (await world.signIn("mina@example.com")).get("users/me");
  const urls = (await world.journal.har()).log.entries.map((entry) => entry.request.url);
  assert.deepEqual(urls, [`${world.url}/v1/users/login`, `${world.url}/v1/users/me`]);
  assert.equal((await world.journal.lines()).trim().split("\n").length, 2);
}));

test("B34 expectations are met by what happened", withWorld(async (world) => {
  const mina = await world.signIn("mina@example.com");
  for (const content of ["one", "two", "three"]) await mina.post(`${await room(mina)}/chats`, { content });
  await world.expect([once({ operation: "signIn" }), times(3, { operation: "postToChannel" })]);
  await world.expect([atLeast(2, { operation: "postToChannel" }), atMost(1, { operation: "signIn" })]);
  await world.expect([never({ operation: "signOut" })], { within: "50ms" });
  await world.expect([once({ operation: "postToChannel", body: { content: "two" }, answer: { content: "two" } })]);
}));

test("B35 a failed expectation has the server's sentences, one a line", withWorld(async (world) => {
  await world.signIn("mina@example.com");
  await assert.rejects(world.expect([once({ operation: "me" }), once({ operation: "signOut" })], { within: 0 }), (error) => {
    const missing = error.message.split("\n").filter((line) => line.startsWith("missing: operation "));
    return error.name === "AssertionError" && missing.length === 2;
  });
}));

test("B35 what is no list of expectations is an error that says how to write it", withWorld(async (world) => {
  await assert.rejects(world.expect(once({ operation: "me" })),
    { name: "TypeError", message: /takes a list: write world\.expect\(\[once/ });
  await assert.rejects(world.expect(), { name: "TypeError", message: /takes a list/ });
  for (const item of [{ operation: "me" }, "me", undefined]) {
    await assert.rejects(world.expect([item]), { name: "TypeError", message: /takes items such as once\(/ });
  }
}));

test("B36 inOrder, only, among and after change what is accepted", withWorld(async (world) => {
  const mina = await world.signIn("mina@example.com");
  const path = await room(mina);
  await mina.get("users/me");
  await mina.post(`${path}/chats`, { content: "Hi" });
  const after = await world.journal.last();
  const expected = [once({ operation: "postToChannel" }), once({ operation: "me" })];
  await world.expect(expected);
  await assert.rejects(world.expect(expected, { inOrder: true, within: 0 }));
  await assert.rejects(world.expect([once({ operation: "me" })], { only: true, within: 0 }));
  await world.expect([expected[0]], { only: true, among: { method: "POST", path: "*/chats" } });
  await assert.rejects(world.expect([once({ operation: "me" })], { after, within: 0 }));
  await mina.get("users/me");
  await world.expect([once({ operation: "me" })], { after, settling: "50ms" });
}));

test("B36 spacing limits the time between two matches", withWorld(async (world) => {
  const mina = await world.signIn("mina@example.com");
  for (let index = 0; index < 2; index += 1) await mina.get("users/me");
  await world.expect([spaced(times(2, { operation: "me" }), { atMost: "1m" })]);
  await assert.rejects(world.expect([spaced(times(2, { operation: "me" }), { atLeast: "1m" })], { within: 0 }), /too soon/);
}));

test("B37 the review finds a habit", withWorld(async (world) => {
  const mina = await world.signIn("mina@example.com");
  await mina.get("users/me");
  assert.deepEqual(await world.review(), []);
  for (let index = 0; index < 6; index += 1) await mina.get("workspaces");
  const [finding] = await world.review({ account: "mina@example.com" });
  assert.deepEqual([finding.habit, finding.entries.length], ["polling", 6]);
}));

test("B37 a failed expectPolite says the cure", withWorld(async (world) => {
  const mina = await world.signIn("mina");
  await world.expectPolite();
  for (let index = 0; index < 6; index += 1) await mina.get("workspaces");
  const message = "polling of mina@example.com: GET /v1/workspaces 6 times with 10 seconds between them at most, and nothing new " +
    "(entries 2, 3, 4, 5, 6 and 1 more). Instead: ask when the screen opens, when the person pulls to refresh, and after a chat or a " +
    "notification; not by a timer";
  await assert.rejects(world.expectPolite(), { name: "AssertionError", message });
  await world.expectPolite({ account: "joon" });
  await world.expectPolite({ after: await world.journal.last() });
}));

test("B38 the coverage counts operations", withWorld(async (world) => {
  await (await world.signIn("mina@example.com")).get("users/me");
  assert.equal((await world.coverage()).counts.editions["2024-10"].operations.me, 1);
}));

test("B39 a payment and a social token are accepted", withWorld(async (world) => {
  const mina = await world.signIn("mina@example.com");
  await mina.post("store/pay/validation", { imp_uid: await world.pay(500, "ios_1"), merchant_uid: "ios_1" });
  assert.equal((await mina.get("users/me")).sesacCoin, 300);
  const oauthToken = await world.socialToken("kakao", "42", { email: "new@example.com", nickname: "New" });
  assert.equal((await mina.post("users/login/kakao", { oauthToken })).nickname, "New");
}));

test("B40 mails and notifications are listed", withWorld(async (world) => {
  await fetch(`${world.url}/password`, { method: "POST", body: new URLSearchParams({ email: "mina@example.com" }) });
  await world.person("mina").post("Lunch?", { in: "Weekend/ios" });
  const [push] = await world.pushes({ within: "60s" });
  assert.equal(push.deviceToken, "sora-phone");
  assert.deepEqual(await world.pushes({ after: push.id }), []);
  const [mail] = await world.mails({ to: "mina@example.com", within: "60s" });
  assert(mail.body.includes(`${world.url}/password/`));
  assert.deepEqual(await world.mails({ to: "joon@example.com" }), []);
}));

test("B41 sockets are listed and cut", withWorld(async (world) => {
  const open = async (email) => {
    const client = await world.signIn(email);
    const headers = { SesacKey: world.key(), Authorization: client.accessToken };
    const poll = async (query = "", body) => {
      const method = body === undefined ? "GET" : "POST";
      const answer = await fetch(`${world.url}/socket.io/?EIO=4&transport=polling${query}`, { method, headers, body });
      return { status: answer.status, text: await answer.text() };
    };
    const session = JSON.parse((await poll()).text.slice(1)).sid;
    await poll(`&sid=${session}`, `40/ws-channel-${(await room(client)).split("/").at(-1)},`);
    assert.match((await poll(`&sid=${session}`)).text, /^40\/ws-channel-/);
    return { session, poll };
  };
  const [first, second, other] = [await open("mina@example.com"), await open("mina@example.com"), await open("joon@example.com")];
  const listed = await world.sockets.list({ within: "60s", count: 3 });
  assert.deepEqual(new Set(listed.map((socket) => socket.session)), new Set([first.session, second.session, other.session]));
  assert.deepEqual((await world.sockets.list({ account: "joon" })).map((socket) => socket.session), [other.session]);
  assert.equal((await world.sockets.list({ account: "mina", within: "10ms", count: 3 })).length, 2);
  assert.equal(await world.sockets.cut({ account: "mina" }), 2);
  assert.deepEqual((await world.sockets.list()).map((socket) => socket.account), ["joon@example.com"]);
  assert.equal((await first.poll(`&sid=${first.session}`)).status, 400);
  assert.equal(await world.sockets.cut({ session: other.session }), 1);
  await assert.rejects(world.sockets.cut(), TypeError);
}));

test("B45 a wrong duration is an error that names the notations", withWorld(async (world) => {
  for (const wrong of ["25 hours", "5", "", "1e3s", "-5s", -1, NaN, Infinity, undefined]) {
    await assert.rejects(world.clock.advance(wrong), { name: "TypeError", message: /500ms, 5s, 10m, 25h or 30d/ });
  }
  assert.deepEqual(["500ms", "1.5s", "10m", "25h", "30d", "2w", 0.25].map(milliseconds),
    [500, 1500, 600_000, 90_000_000, 2_592_000_000, 1_209_600_000, 250]);
}));

test("a world whose port is not published is reached by its host name", withWorld(async (made) => {
  const { server } = made;
  const hidden = await closedPort();
  const one = new MadangServer(server.url);
  one.dev = async (method, path, ...more) =>
    (path === "worlds" ? { ...(await server.dev("GET", `worlds/${made.id}`)), url: hidden } : server.dev(method, path, ...more));
  const world = await one.makeWorld();
  assert.equal(world.url, `http://${made.id}.localhost:${new URL(server.url).port}`);
  assert.equal((await (await world.signIn("mina@example.com")).get("users/me")).nickname, "Mina");
  assert.deepEqual((await made.journal.entries()).map((entry) => entry.operation), ["signIn", "me"]);
}));
