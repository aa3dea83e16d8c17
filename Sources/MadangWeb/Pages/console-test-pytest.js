/**
 * A recorded request as a test of pytest, with the fixture of clients/python.
 * @module
 */

import { expressions, factsOf, literal } from "./console-test-facts.js";
import { planOf } from "./console-test-world.js";

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

/** Finds an id in a list: the one whose name, or person, is wanted. */
const found = (it, { gap, list, key, where, value }) => `\
    ${list} = requests.get(f"{world}/v1/${it.paths[list]}", headers=finder).json()
    ${gap} = next(one["${key}"] for one in ${list} if one${where} == ${literal(value)})
`;

function lookUps(it) {
  const lines = [];
  if (it.outer || it.inner) lines.push(`    finder = {**signed_in(world, ${literal(it.finder)}), **KEY}\n`);
  const paths = { workspaces: "workspaces", channels: "workspaces/{workspace}/channels", dms: "workspaces/{workspace}/dms" };
  const look = (one) => lines.push(found({ paths }, one));
  if (it.outer) look({ gap: "workspace", list: "workspaces", key: "workspace_id", where: '["name"]', value: it.outer });
  if (it.inner) {
    const { list, key, name, email } = it.inner;
    look({ gap: "room", list, key, where: name === undefined ? '["user"]["email"]' : '["name"]', value: name ?? email });
  }
  if (it.people.length) lines.push(`    ids = {one["email"]: one["id"] for one in requests.get(f"{world}/_dev/people").json()}\n`);
  for (const { email, gap } of it.people) lines.push(`    ${gap} = ids[${literal(email)}]\n`);
  return lines.join("");
}

const posted = (path, body) => `requests.post(f"{world}${path}", data=${literal(JSON.stringify(body))})`;

/** What happens in the world between the sign-in and the call. */
const preparations = ({ clock, fault }) =>
  (clock ? `    ${posted("/_dev/clock", { advance: clock })}\n` : "") + (fault ? `    ${posted("/_dev/faults", fault)}\n` : "");

function headersOf(it) {
  const found = [];
  if (it.hadKey) found.push(it.hasWrongKey ? '"SesacKey": "no-key"' : "**KEY");
  if (it.person) found.push(`**signed_in(world, ${literal(it.person)})`);
  if (it.type && it.body !== undefined) found.push(`"Content-Type": ${literal(it.type)}`);
  return found.join(", ");
}

function bodyOf(it) {
  if (!it.parts) return it.body === undefined ? "" : `, data=${bodyText(it.body)}.encode()`;
  const fields = it.parts.filter((one) => !one.fileName).map((one) => `${literal(one.name)}: ${literal(one.text ?? "")}`);
  const files = it.parts.filter((one) => one.fileName)
    .map((one) => `(${literal(one.name)}, (${literal(one.fileName)}, ${bytesOf(one)}))`);
  return `, data={${fields.join(", ")}}, files=[${files.join(", ")}]`;
}

function bodyText(body) {
  const words = expressions(body, literal);
  return words.length > 1 ? `(${words.join(" + ")})` : words[0];
}

function expectation(it) {
  const status = `    assert answer.status_code == ${it.status}\n`;
  if (it.ends === "malformed") return `${status}    with pytest.raises(ValueError):\n        answer.json()\n`;
  if (it.code) return `${status}    assert answer.json() == {"errorCode": ${literal(it.code)}}\n`;
  return it.keys?.length && !it.fault ? `${status}    assert set(answer.json()) == {${it.keys.map(literal).join(", ")}}\n` : status;
}

/** The fixture's world, if it is another one than usual. */
function worldOf(it) {
  const { isUsual, isShipped, seed, number } = planOf(it);
  if (isUsual) return "";
  const words = [`seed=${isShipped ? literal(seed) : 'open("seed.yaml").read()'}`];
  if (number !== null) words.push(`number=${number}`);
  return `@pytest.mark.madang(${words.join(", ")})\n`;
}

/** The lines of the test. */
export function pytest(entry, world) {
  const it = factsOf(entry, world);
  const name = it.words.join("_").replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
  const path = expressions(it.path, literal, (gap) => `f"{${gap}}"`).map((one) => ` ${one}`).join("");
  const call = `requests.request(${literal(it.method)}, f"{world}"${path}, headers=headers${bodyOf(it)})`;
  const chosen = worldOf(it);
  const isLost = it.ends === "lost";
  return `${chosen || it.ends ? "import pytest\n" : ""}import requests

# The fixture "world" is of madang-testing: pip install clients/python
KEY = {"SesacKey": ${literal(it.key)}}

${it.person || it.outer ? signIn(it) : ""}
${chosen}def test_${name}(world):
${lookUps(it)}${it.made ? `    made = ${posted(it.made.path, it.made.body)}.json()[${literal(it.made.key)}]\n` : ""}\
    headers = {${headersOf(it)}}
${preparations(it)}\
${isLost ? `    with pytest.raises(requests.RequestException):\n        ${call}\n` : `    answer = ${call}\n${expectation(it)}`}`;
}
