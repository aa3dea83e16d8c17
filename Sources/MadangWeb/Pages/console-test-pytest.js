/**
 * A recorded request as a test of pytest, with the fixture of Tests/Foreign/madang_world.py.
 * @module
 */

import { expressions, factsOf, literal } from "./console-test-facts.js";

/** The server looks at the first bytes of a file. */
const BEGINNINGS = new Map([
  ["png", ["\\x89PNG\\r\\n\\x1a\\n", 8]],
  ["jpg", ["\\xff\\xd8\\xff", 3]],
  ["jpeg", ["\\xff\\xd8\\xff", 3]],
  ["gif", ["GIF89a", 6]],
  ["pdf", ["%PDF-", 5]],
]);

function bytesOf({ fileName, size }) {
  const [start, length] = BEGINNINGS.get(fileName.split(".").pop().toLowerCase()) ?? ["", 0];
  return length && size > length ? `b"${start}" + b"0" * ${size - length}` : `b"0" * ${size}`;
}

const signIn = (it) => `
def signed_in(world, email):
    answer = requests.post(f"{world}/v1/users/login", json={"email": email, "password": "Passw0rd!"}, headers=KEY)
    token = ${it.isOld ? "answer.json()" : 'answer.json()["token"]'}
    return {"Authorization": token["accessToken"]${it.refreshes ? ', "RefreshToken": token["refreshToken"]' : ""}}

`;

const findWorkspace = (it) => `\
    finder = {**signed_in(world, ${literal(it.finder)}), **KEY}
    workspaces = requests.get(f"{world}/v1/workspaces", headers=finder).json()
    workspace = next(one["workspace_id"] for one in workspaces if one["name"] == ${literal(it.outer)})
`;

const findRoom = (it) => `\
    channels = requests.get(f"{world}/v1/workspaces/{workspace}/channels", headers=finder).json()
    room = next(one["channel_id"] for one in channels if one["name"] == ${literal(it.inner)})
`;

function headersOf(it) {
  const found = [];
  if (it.hadKey) found.push("**KEY");
  if (it.person) found.push(`**signed_in(world, ${literal(it.person)})`);
  if (it.type && it.body !== undefined) found.push(`"Content-Type": ${literal(it.type)}`);
  return found.join(", ");
}

function bodyOf(it) {
  if (!it.parts) return it.body === undefined ? "" : `, data=${literal(it.body)}.encode()`;
  const fields = it.parts.filter((one) => !one.fileName).map((one) => `${literal(one.name)}: ${literal(one.text ?? "")}`);
  const files = it.parts.filter((one) => one.fileName)
    .map((one) => `(${literal(one.name)}, (${literal(one.fileName)}, ${bytesOf(one)}))`);
  return `, data={${fields.join(", ")}}, files=[${files.join(", ")}]`;
}

function expectation(it) {
  if (it.code) return `    assert answer.json() == {"errorCode": ${literal(it.code)}}\n`;
  return it.keys?.length ? `    assert set(answer.json()) == {${it.keys.map(literal).join(", ")}}\n` : "";
}

/** The lines of the test. */
export function pytest(entry) {
  const it = factsOf(entry);
  const name = it.words.join("_").replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
  const path = expressions(it, literal, (gap) => `f"{${gap}}"`).map((one) => ` ${one}`).join("");
  return `import requests
from madang_world import world  # or from your conftest.py

KEY = {"SesacKey": ${literal(it.key)}}

${it.person || it.outer ? signIn(it) : ""}
def test_${name}(world):
${it.outer ? findWorkspace(it) : ""}${it.inner ? findRoom(it) : ""}\
    headers = {${headersOf(it)}}
    answer = requests.request(${literal(it.method)}, f"{world}"${path}, headers=headers${bodyOf(it)})
    assert answer.status_code == ${it.status}
${expectation(it)}`;
}
