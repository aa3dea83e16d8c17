/** The types name what the module has. */

import assert from "node:assert";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import * as kit from "../madang-testing.mjs";

const types = readFileSync(new URL("../madang-testing.d.ts", import.meta.url), "utf8");

/** The names of the methods and properties that a class or interface declares. */
function declared(name) {
  const body = new RegExp(`export (?:class|interface) ${name}[ {][^]*?\\n}`).exec(types)[0];
  return new Set([...body.matchAll(/^ {2}(?:readonly |get )?(\w+)(?=[?(:<])/gm)].map(([, member]) => member));
}

const methods = (one) => Object.getOwnPropertyNames(Object.getPrototypeOf(one)).filter((name) => name !== "constructor");

test("the types export what the module exports", () => {
  const names = new Set([...types.matchAll(/^export (?:class|function) (\w+)/gm)].map(([, name]) => name));
  assert.deepEqual([...names].sort(), Object.keys(kit).sort());
});

test("the types have the methods of each object", kit.withWorld(async (world) => {
  const objects = { World: world, Clock: world.clock, Faults: world.faults, Scripts: world.scripts, Sockets: world.sockets,
    Journal: world.journal, MadangServer: world.server, Person: world.person("mina"), Client: await world.signIn("mina@example.com") };
  for (const [name, one] of Object.entries(objects)) {
    const members = declared(name);
    for (const method of methods(one)) assert(members.has(method), `${name} has no ${method}`);
    const own = new Set([...methods(one), ...Object.keys(one)]);
    if (name === "Person") continue;
    for (const member of members) assert(member === "constructor" || own.has(member), `${name} declares ${member}`);
  }
}));
