import assert from "node:assert";
import { test } from "node:test";
import { atLeast, once, times, withWorld } from "madang-testing";
import { Chat } from "./chat.mjs";

const IOS = "Weekend/ios";

/** A test with a world and a client of Mina's: the only lines that know the client. */
function chatTest(name, body, settings = {}) {
  test(name, withWorld({ seed: "courtyard", number: 7, settings }, async (world, context) => {
    const app = new Chat(world.url, world.key());
    context.after(() => app.close());
    await app.signIn("mina@example.com", "Passw0rd!", "minas-phone");
    await body(world, app);
  }));
}

chatTest("signs in", async (world, app) => {
  assert.equal(app.user.nickname, "Mina");
  await assert.rejects(app.signIn("mina@example.com", "wrong"), { code: "E03" });
});

chatTest("lists the chats of a room", async (world, app) => {
  await world.person("joon").post("Lunch?", { in: IOS });
  assert.equal((await app.chats(IOS)).at(-1).content, "Lunch?");
});

chatTest("posts", async (world, app) => {
  await app.post(IOS, "Yes");
  await world.expect([once({ operation: "postToChannel", body: { content: "Yes" }, account: "mina" })]);
});

chatTest("shows a chat as it comes", async (world, app) => {
  await app.open(IOS);
  await world.person("joon").post("Lunch?", { in: IOS });
  await app.waitFor(IOS, "Lunch?");
});

chatTest("counts unread chats", async (world, app) => {
  const seen = (await app.chats(IOS)).at(-1).createdAt;
  await world.person("joon").post("Lunch?", { in: IOS });
  await world.person("joon").post("Anyone?", { in: IOS });
  assert.equal(await app.unread(IOS, seen), 2);
});

chatTest("survives an expired token", async (world, app) => {
  await world.clock.advance("25h");
  assert.notEqual((await app.chats(IOS)).length, 0);
  await world.expect([once({ operation: "refresh", status: 200 })]);
});

chatTest("posts once when the answer is lost", async (world, app) => {
  await world.faults.add("answerLost", { operation: "postToChannel", times: 1 });
  await app.post(IOS, "Yes");
  await world.expect([once({ operation: "postToChannel" })]);
});

chatTest("leaves a silent socket", async (world, app) => {
  await world.faults.add("silence", { event: "channel", times: 1 });
  await app.open(IOS);
  await world.person("joon").post("Lunch?", { in: IOS });
  await app.waitFor(IOS, "Lunch?");
  await world.expect([atLeast(2, { kind: "connection", event: "opened" })]);
}, { "socket.ping.interval": "1s", "socket.ping.timeout": "1s" });

chatTest("a phone is notified of the chats of others", async (world, app) => {
  await world.person("joon").post("Lunch?", { in: IOS });
  await app.post(IOS, "Yes");
  // Sora's phone, of the seed, is notified of both chats.
  await world.expect([once({ kind: "push", account: "mina" }), times(2, { kind: "push", account: "sora" })], { within: "60s" });
});

chatTest("starts again", async (world, app) => {
  const first = await app.chats(IOS);
  await app.post(IOS, "Yes");
  await world.clock.advance("7d");
  await world.reset();
  await app.signIn("mina@example.com", "Passw0rd!");
  assert.deepEqual(await app.chats(IOS), first);
  assert.equal((await world.now()).toISOString(), "2026-01-05T09:00:00.000Z");
});
