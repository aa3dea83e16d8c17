/**
 * A recorded request as a test of Swift Testing, with MadangTesting.
 * @module
 */

import { visible } from "./console-dom.js";
import { camel, expressions, factsOf, literal } from "./console-test-facts.js";

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
    return (status, try JSONSerialization.jsonObject(with: data))
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

const findWorkspace = (it) =>
  String.raw`  func id(_ path: String, _ key: String, named name: String, _ headers: [String: String]) async throws -> String {
    let list = try #require(try await call("GET", path, headers).1 as? [[String: Any]])
    return "\(try #require(list.first { $0["name"] as? String == name }?[key]))"
  }
  let finder = try await signedIn(${swiftLiteral(it.finder)})
  let workspace = try await id("/v1/workspaces", "workspace_id", named: ${swiftLiteral(it.outer)}, finder)
`;

const findRoom = (it) => {
  const name = swiftLiteral(it.inner);
  return String.raw`  let room = try await id("/v1/workspaces/\(workspace)/channels", "channel_id", named: ${name}, finder)
`;
};

function headersOf(it) {
  if (it.person) return `try await signedIn(${swiftLiteral(it.person)})`;
  return it.hadKey ? `["SesacKey": ${keyOf(it)}]` : "[String: String]()";
}

function expectation(it) {
  if (it.code) return `  #expect(answer as? [String: String] == ["errorCode": ${swiftLiteral(it.code)}])`;
  if (!it.keys?.length) return "  _ = answer";
  return `  #expect(Set(try #require(answer as? [String: Any]).keys) == [${it.keys.map(swiftLiteral).join(", ")}])`;
}

/** The lines of the test. */
export function swift(entry) {
  const it = factsOf(entry);
  const path = expressions(it, swiftLiteral).join(" + ");
  const hasBody = it.body !== undefined;
  const type = hasBody ? `  headers["Content-Type"] = ${swiftLiteral(it.type ?? "application/json")}\n` : "";
  const body = hasBody ? `, ${swiftLiteral(it.body)}` : "";
  return `import Foundation
import MadangTesting
import Testing

@Test(${swiftLiteral(it.words.join(" "))}, .madang(seed: .courtyard)) func ${camel(it.words)}() async throws {
  let world = Madang.world
${CALL}${it.person || it.outer ? signIn(it) : ""}${it.outer ? findWorkspace(it) : ""}${it.inner ? findRoom(it) : ""}\
  ${hasBody ? "var" : "let"} headers = ${headersOf(it)}
${type}\
  let (status, answer) = try await call(${swiftLiteral(it.method)}, ${path}, headers${body})
  #expect(status == ${it.status})
${expectation(it)}
${it.parts ? "  // The request had files: add the multipart body.\n" : ""}}
`;
}
