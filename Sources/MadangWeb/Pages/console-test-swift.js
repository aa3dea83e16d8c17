/**
 * A recorded request as a test of Swift Testing, with MadangTesting.
 * @module
 */

import { visible } from "./console-dom.js";
import { camel, expressions, factsOf, literal } from "./console-test-facts.js";
import { planOf } from "./console-test-world.js";

const ESCAPES = { b: "8", f: "c" };

/** A literal of Swift, raw where that reads better: only escapes that JSON and Swift share. */
function swiftLiteral(value) {
  const needsEscapes = /^"|"#|\\#|[\0-\x1f]/.test(value) || visible(value) !== value;
  if (/["\\]/.test(value) && !needsEscapes) return `#"${value}"#`;
  return literal(value).replace(/\\(\\|u([0-9a-f]{4})|b|f)/g, (all, sign, digits) =>
    sign === "\\" ? all : `\\u{${digits ?? ESCAPES[sign]}}`);
}

const CALL = `\
  func call(_ method: String, _ path: String, _ headers: [String: String], _ body: String? = nil) async throws -> (Int, Any) {
    var request = URLRequest(url: try #require(URL(string: world.url + path)))
    (request.httpMethod, request.allHTTPHeaderFields, request.httpBody) = (method, headers, body.map { Data($0.utf8) })
    let (data, response) = try await URLSession.shared.data(for: request)
    let status = try #require(response as? HTTPURLResponse).statusCode
    return (status, (try? JSONSerialization.jsonObject(with: data)) ?? NSNull())
  }
`;

const keyOf = (it) => (it.isOld ? "MadangWorld.january2024Key" : "MadangWorld.apiKey");

function signIn(it) {
  const headers = `["SesacKey": ${keyOf(it)}, "Content-Type": "application/json"]`;
  const token = it.isOld ? "login as? [String: Any]" : '(login as? [String: Any])?["token"] as? [String: Any]';
  const refresh = it.refreshes ? ', "RefreshToken": try #require(token["refreshToken"] as? String)' : "";
  return String.raw`  func signedIn(_ email: String) async throws -> [String: String] {
    let person = #"{"email":"\#(email)","password":"Passw0rd!"}"#
    let (_, login) = try await call("POST", "/v1/users/login", ${headers}, person)
    let token = try #require(${token})
    return ["SesacKey": ${keyOf(it)}, "Authorization": try #require(token["accessToken"] as? String)${refresh}]
  }
`;
}

const FIND = String.raw`  func id(_ path: String, _ key: String, _ headers: [String: String], of isWanted: ([String: Any]) -> Bool) async throws -> String {
    let list = try #require(try await call("GET", path, headers).1 as? [[String: Any]])
    return "\(try #require(list.first(where: isWanted)?[key]))"
  }
`;

const found = (gap, path, key, headers, where, value) =>
  `  let ${gap} = try await id("${path}", "${key}", ${headers}) { ${where} as? String == ${swiftLiteral(value)} }\n`;
const BY_NAME = '$0["name"]';
const BY_PERSON = '($0["user"] as? [String: Any])?["email"]';

function lookUps(it) {
  const lines = [];
  if (it.outer) {
    lines.push(`  let finder = try await signedIn(${swiftLiteral(it.finder)})\n`);
    lines.push(found("workspace", "/v1/workspaces", "workspace_id", "finder", BY_NAME, it.outer));
  }
  if (it.inner) {
    const { list, key, name, email } = it.inner;
    const where = name === undefined ? BY_PERSON : BY_NAME;
    lines.push(found("room", `/v1/workspaces/\\(workspace)/${list}`, key, "finder", where, name ?? email));
  }
  for (const { email, gap } of it.people) lines.push(found(gap, "/_dev/people", "id", "[:]", '$0["email"]', email));
  return lines.length ? FIND + lines.join("") : "";
}

const posted = (path, body) => `try await call("POST", "${path}", [:], ${swiftLiteral(JSON.stringify(body))})`;

function preparations({ clock, fault }) {
  const lines = [];
  if (clock) lines.push(`  _ = ${posted("/_dev/clock", { advance: clock })}\n`);
  if (fault) lines.push(`  _ = ${posted("/_dev/faults", fault)}\n`);
  return lines.join("");
}

const making = ({ made }) =>
  made
    ? `  let standIn = ${posted(made.path, made.body)}.1\n` +
      `  let made = try #require((standIn as? [String: Any])?["${made.key}"] as? String)\n`
    : "";

function headersOf(it) {
  if (it.hasWrongKey) return '["SesacKey": "no-key"]';
  if (it.person) return `try await signedIn(${swiftLiteral(it.person)})`;
  return it.hadKey ? `["SesacKey": ${keyOf(it)}]` : "[String: String]()";
}

function expectation(it) {
  if (it.ends === "malformed") return "  #expect(answer is NSNull)";
  if (it.code) return `  #expect(answer as? [String: String] == ["errorCode": ${swiftLiteral(it.code)}])`;
  if (!it.keys?.length || it.fault) return "  _ = answer";
  return `  #expect(Set(try #require(answer as? [String: Any]).keys) == [${it.keys.map(swiftLiteral).join(", ")}])`;
}

/** The argument of the trait: what the world begins with. */
function seedOf(it) {
  const { isShipped, seed, number } = planOf(it);
  const words = isShipped ? `.${seed}` : '.file(URL(fileURLWithPath: "seed.yaml"))';
  return `seed: ${words}${number === null ? "" : `, number: ${number}`}`;
}

/** The lines of the test. */
export function swift(entry, world) {
  const it = factsOf(entry, world);
  const path = expressions(it.path, swiftLiteral).join(" + ");
  const hasBody = it.body !== undefined;
  const type = hasBody ? `  headers["Content-Type"] = ${swiftLiteral(it.type ?? "application/json")}\n` : "";
  const body = hasBody ? `, ${expressions(it.body, swiftLiteral).join(" + ")}` : "";
  const call = `try await call(${swiftLiteral(it.method)}, ${path}, headers${body})`;
  const ending = it.ends === "lost"
    ? `  await #expect(throws: URLError.self) { ${call} }\n`
    : `  let (status, answer) = ${call}\n  #expect(status == ${it.status})\n${expectation(it)}\n`;
  return `import Foundation
import MadangTesting
import Testing

@Test(${swiftLiteral(it.words.join(" "))}, .madang(${seedOf(it)})) func ${camel(it.words)}() async throws {
  let world = Madang.world
${CALL}${it.person || it.outer ? signIn(it) : ""}${lookUps(it)}${making(it)}\
  ${hasBody ? "var" : "let"} headers = ${headersOf(it)}
${type}${preparations(it)}${ending}\
${it.parts ? "  // The request had files: add the multipart body.\n" : ""}}
`;
}
