// Speaks Socket.IO through Node's ws as the official suite does: it waits for one message, and begins to wait for the next one when that has
// been handled. Releases of ws that emit all messages of a read in one turn, such as 8.11, lose what came beside the first.
//
//     apt-get install nodejs node-ws
//     swift build --product socketio-echo
//     node Tests/Foreign/turns_check.js .build/debug/socketio-echo [ROUNDS [OPTION...]]
//
// Exits 0 when every check of every round held.
"use strict";
const assert = require("assert");
const { spawn } = require("child_process");
const WebSocket = require("/usr/share/nodejs/ws");

const WAIT = 10000;

// A busy machine may wake this client so late that it reads two packets at once, which were sent apart. A server that sends them together fails
// every attempt.
const ATTEMPTS = 3;

function next(socket, event) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no ${event}`)), WAIT);
    socket.addEventListener(event, (found) => {
      clearTimeout(timer);
      resolve(found.data);
    }, { once: true });
  });
}

function packets(socket, count) {
  const found = [];
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${found.length} of ${count} packets`)), WAIT);
    socket.addEventListener("message", (event) => {
      if (event.data === "2") return;
      found.push(event.data);
      if (found.length !== count) return;
      clearTimeout(timer);
      resolve(found);
    });
  });
}

async function opened(url) {
  const socket = new WebSocket(`${url}/socket.io/?EIO=4&transport=websocket`);
  socket.binaryType = "arraybuffer";
  assert((await next(socket, "message")).startsWith("0"));
  return socket;
}

async function joined(url, packet = "40", namespace = "", auth = "{}") {
  const socket = await opened(url);
  socket.send(packet);
  assert((await next(socket, "message")).startsWith(`40${namespace}{"sid":`));
  assert.strictEqual(await next(socket, "message"), `42${namespace}["auth",${auth}]`);
  return socket;
}

async function refused(url, message) {
  const socket = await joined(url);
  socket.send(message);
  await next(socket, "close");
  return socket;
}

const two = '{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}';

async function binary(url, head, answer) {
  const socket = await joined(url);
  socket.send(head);
  for (const bytes of [[1, 2, 3], [4, 5, 6]]) socket.send(Uint8Array.from(bytes));
  const [text, first, second] = await packets(socket, 3);
  assert.strictEqual(text, answer);
  assert.deepStrictEqual([...new Uint8Array(first), ...new Uint8Array(second)], [1, 2, 3, 4, 5, 6]);
  return socket;
}

async function answers(url, message, answer) {
  const socket = await joined(url);
  socket.send(message);
  assert.strictEqual(await next(socket, "message"), answer);
  return socket;
}

const checks = {
  "joins the main namespace": (url) => joined(url),
  "joins it with a payload": (url) => joined(url, '40{"token":"123"}', "", '{"token":"123"}'),
  "joins another namespace": (url) => joined(url, "40/custom,", "/custom,"),
  "joins it with a payload, too": (url) => joined(url, '40/custom,{"token":"abc"}', "/custom,", '{"token":"abc"}'),
  "leaves and is pinged on": (url) => answers(url, "41", "2"),
  "joins a second namespace and leaves it": async (url) => {
    const socket = await joined(url);
    assert.strictEqual(await next(socket, "message"), "2");
    socket.send("40/custom");
    assert((await next(socket, "message")).startsWith("40/custom,{"));
    assert.strictEqual(await next(socket, "message"), '42/custom,["auth",{}]');
    socket.send("41/custom");
    socket.send('42["message","to the main one"]');
    assert.strictEqual(await next(socket, "message"), '42["message-back","to the main one"]');
    return socket;
  },
  "gets text back": (url) => answers(url, '42["message",1,"2",{"3":[true]}]', '42["message-back",1,"2",{"3":[true]}]'),
  "gets attachments back": (url) => binary(url, `452-["message",${two}]`, `452-["message-back",${two}]`),
  "gets an acknowledgement": (url) =>
    answers(url, '42456["message-with-ack",1,"2",{"3":[false]}]', '43456[1,"2",{"3":[false]}]'),
  "gets attachments as an acknowledgement": (url) => binary(url, `452-789["message-with-ack",${two}]`, `462-789[${two}]`),
  "is closed for an unknown type": (url) => refused(url, "4abc"),
  "is closed for a payload that is no array": (url) => refused(url, "42{}"),
  "is closed for a number that is none": (url) => refused(url, '42abc["message-with-ack",1]'),
};

async function run(url, rounds) {
  let failures = 0;
  for (let round = 0; round < rounds; round++) {
    for (const [name, check] of Object.entries(checks)) {
      const problems = [];
      while (problems.length < ATTEMPTS) {
        try {
          (await check(url)).terminate();
          break;
        } catch (error) {
          problems.push(error.message);
        }
      }
      if (problems.length === ATTEMPTS) failures += 1;
      for (const problem of problems) console.log(`round ${round}, ${name}, an attempt failed: ${problem}`);
    }
  }
  console.log(`${rounds * Object.keys(checks).length - failures} of ${rounds * Object.keys(checks).length} held`,
    `with ws ${require("/usr/share/nodejs/ws/package.json").version}`);
  return failures;
}

// Pings come late enough not to be taken for answers.
const options = ["--mode", "socket", "--port", "0", "--ping-interval", "4000", "--ping-timeout", "4000", "--connect-pause", "300"];
const server = spawn(process.argv[2], [...options, ...process.argv.slice(4)], { stdio: ["ignore", "pipe", "inherit"] });
server.stdout.once("data", async (line) => {
  const url = line.toString().trim().split(" ").pop().replace("http", "ws");
  const failures = await run(url, Number(process.argv[3] || 2));
  server.kill();
  process.exit(failures === 0 ? 0 : 1);
});
