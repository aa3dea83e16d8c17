/** The client of the examples. */

import assert from "node:assert";
import { test } from "node:test";

import { once, withWorld } from "../madang-testing.mjs";
import { Chat } from "../examples/chat.mjs";
import { runNode } from "./kit.mjs";

const CLIENT = new URL("../examples/chat.mjs", import.meta.url).href;
const PICTURE = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(240_000)]);

async function signedIn(world, context) {
  const app = new Chat(world.url, world.key());
  context.after(() => app.close());
  await app.signIn("mina@example.com", "Passw0rd!");
  return app;
}

test("the client waits through a restart", withWorld(async (world, context) => {
  const app = await signedIn(world, context);
  await app.open("Weekend/ios");
  await world.restart({ downFor: "1s" });
  await assert.rejects(app.waitFor("Weekend/ios", "never", 300), { message: "Weekend/ios did not show 'never' within 300 ms" });
  await world.person("joon").post("Back?", { in: "Weekend/ios" });
  await app.waitFor("Weekend/ios", "Back?");
}));

test("a client that was not closed does not keep the process of the tests", { timeout: 300_000 }, async (context) => {
  const { child, outcome } = runNode(`
    import { test } from "node:test"; import { withWorld } from MODULE; import { Chat } from ${JSON.stringify(CLIENT)};
    test("forgets to close", withWorld(async (world) => {
      const app = new Chat(world.url, world.key());
      await app.signIn("mina@example.com", "Passw0rd!");
      await app.open("Weekend/ios");
    }));`, {});
  context.after(() => child.kill("SIGKILL"));
  const { status, output } = await outcome;
  assert.equal(status, 0, output);
});

test("the client gives up after its own time", withWorld(async (world, context) => {
  const app = await signedIn(world, context);
  await app.room("Weekend/ios");
  app.timeout = 500;
  await world.faults.add("latency", { time: "1m", operation: "channelHistory", times: 1 });
  await assert.rejects(app.chats("Weekend/ios"), { name: "Error", message: /^GET workspaces\/.+\/chats\?/ });
  // Longer than the fault, which this call meets if the one before was given up before it was sent.
  app.timeout = 90_000;
  assert((await app.chats("Weekend/ios")).length);
}));

test("the client sends a picture once, as slowly as it goes", withWorld(async (world, context) => {
  const app = await signedIn(world, context);
  // The upload takes 12 s.
  app.timeout = 10_000;
  await world.faults.add("slowUpload", { bytesPerSecond: 20_000, operation: "postToChannel" });
  const chat = await app.post("Weekend/ios", "Look", [["hill.png", PICTURE]]);
  assert.deepEqual([chat.content, chat.files.length], ["Look", 1]);
  await world.expect([once({ operation: "postToChannel", status: 200 })]);
}));
