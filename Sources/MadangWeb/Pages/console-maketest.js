// A recorded request as a test of pytest, Swift and JUnit. Ids are looked up by name, as each world has its own.

import { place, placeKey } from "./console-places.js";
import { placeOf } from "./console-row.js";

const text = (value) => JSON.stringify(value);
/** A literal of Swift: only escapes that JSON and Swift share. */
const swiftText = (value) => (/["\\]/.test(value) && !/"#|\\#|[\0-\x1f]/.test(value) ? `#"${value}"#` : text(value).replace(/\\(\\|u([0-9a-f]{4})|b|f)/g, (all, sign, digits) => (sign === "\\" ? all : `\\u{${digits ?? { b: "8", f: "c" }[sign]}}`)));

/** The journal masks passwords; where one was right it was most likely the seeds'. */
function unmasked({ request: { body }, status }) {
  return status === 200 ? body?.replace(/("password"\s*:\s*")\*\*\*(?=")|((?:^|&)password=)\*\*\*(?=&|$)/g, (all, inJSON, inForm) => `${inJSON ?? inForm}Passw0rd!`) : body;
}

function facts(entry) {
  const { workspace, room, kind } = placeOf(entry.path);
  const outer = workspace && place(placeKey("w", workspace));
  const inner = room && place(placeKey(kind, room));
  const said = entry.answer?.body ?? "";
  const query = entry.query ? `?${entry.query}` : "";
  let path = entry.path;
  if (outer) path = path.replace(`/workspaces/${workspace}`, "/workspaces/{workspace}");
  if (inner?.name[0] === "#") path = path.replace(`/channels/${room}`, "/channels/{room}");
  const keys = (() => { try { const one = JSON.parse(said); return Array.isArray(one) || !one ? null : Object.keys(one); } catch { return null; } })();
  const hadToken = entry.request.headers.some((one) => one.name.toLowerCase() === "authorization");
  const hadKey = entry.request.headers.some((one) => one.name.toLowerCase() === "sesackey");
  const refreshes = entry.request.headers.some((one) => one.name.toLowerCase() === "refreshtoken");
  const type = entry.request.headers.find((one) => one.name.toLowerCase() === "content-type")?.value;
  const owner = outer?.members?.[0];
  const name = `${entry.operation ?? entry.method.toLowerCase()} ${entry.code ? `is refused with ${entry.code}` : "succeeds"}`;
  return {
    name, path: path + query, outer: outer?.name, inner: path.includes("{room}") ? inner.name.slice(1) : undefined, finder: owner ?? "mina@example.com", hadToken, hadKey, refreshes, type,
    person: hadToken ? entry.account : undefined, body: entry.request.parts ? undefined : unmasked(entry), parts: entry.request.parts, keys, method: entry.method, status: entry.status ?? 0, code: entry.code,
    old: entry.edition === "2024-01", key: entry.edition === "2024-01" ? "dev-key-2024-01" : "dev-key-2024-10", swiftKey: entry.edition === "2024-01" ? "MadangWorld.january2024Key" : "MadangWorld.apiKey", words: name.replace(/\W+/g, " ").trim().split(" "),
  };
}

/** The server looks at the first bytes of a file. */
const BEGINNINGS = { png: ["\\x89PNG\\r\\n\\x1a\\n", 8], jpg: ["\\xff\\xd8\\xff", 3], jpeg: ["\\xff\\xd8\\xff", 3], gif: ["GIF89a", 6], pdf: ["%PDF-", 5] };
function fileBytes({ fileName, size }) {
  const [start, length] = BEGINNINGS[fileName.split(".").pop().toLowerCase()] ?? ["", 0];
  return length && size > length ? `b"${start}" + b"0" * ${size - length}` : `b"0" * ${size}`;
}

/** The lines for pytest, with the fixture of Tests/Foreign/madang_world.py. */
export function pytest(entry) {
  const it = facts(entry);
  const f = it.path.includes("{") ? "f" : "";
  const lines = ["import requests", "from madang_world import world  # or from your conftest.py", "", `KEY = {"SesacKey": ${text(it.key)}}`, ""];
  if (it.person || it.outer) {
    lines.push("", "def signed_in(world, email):", `    answer = requests.post(f"{world}/v1/users/login", json={"email": email, "password": "Passw0rd!"}, headers=KEY)`, `    token = ${it.old ? "answer.json()" : 'answer.json()["token"]'}`, `    return {"Authorization": token["accessToken"]${it.refreshes ? ', "RefreshToken": token["refreshToken"]' : ""}}`, "");
  }
  lines.push("", `def test_${it.words.join("_").replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase()}(world):`);
  if (it.outer) {
    lines.push(`    finder = {**signed_in(world, ${text(it.finder)}), **KEY}`,
      `    workspaces = requests.get(f"{world}/v1/workspaces", headers=finder).json()`,
      `    workspace = next(one["workspace_id"] for one in workspaces if one["name"] == ${text(it.outer)})`);
    if (it.inner) lines.push(`    channels = requests.get(f"{world}/v1/workspaces/{workspace}/channels", headers=finder).json()`, `    room = next(one["channel_id"] for one in channels if one["name"] == ${text(it.inner)})`);
  }
  const headers = [it.hadKey ? "**KEY" : "", it.person ? `**signed_in(world, ${text(it.person)})` : "", it.type && it.body !== undefined ? `"Content-Type": ${text(it.type)}` : ""].filter(Boolean);
  lines.push(`    headers = {${headers.join(", ")}}`);
  const files = it.parts?.filter((one) => one.fileName) ?? [];
  const fields = it.parts?.filter((one) => !one.fileName) ?? [];
  const body = it.parts
    ? `, data={${fields.map((one) => `${text(one.name)}: ${text(one.text ?? "")}`).join(", ")}}, files=[${files.map((one) => `(${text(one.name)}, (${text(one.fileName)}, ${fileBytes(one)}))`).join(", ")}]`
    : it.body === undefined ? "" : `, data=${text(it.body)}.encode()`;
  lines.push(`    answer = requests.request(${text(it.method)}, f"{world}"${it.path ? ` ${f}${text(it.path)}` : ""}, headers=headers${body})`, `    assert answer.status_code == ${it.status}`);
  if (it.code) lines.push(`    assert answer.json() == {"errorCode": ${text(it.code)}}`);
  else if (it.keys?.length) lines.push(`    assert set(answer.json()) == {${it.keys.map(text).join(", ")}}`);
  return `${lines.join("\n")}\n`;
}

/** The lines for Swift Testing, with MadangTesting. */
export function swift(entry) {
  const it = facts(entry);
  const path = it.path.replace("{workspace}", "\\(workspace)").replace("{room}", "\\(room)");
  const lines = ["import Foundation", "import MadangTesting", "import Testing", "", `@Test(${text(it.words.join(" "))}, .madang(seed: .courtyard)) func ${it.words.map((one, index) => (index ? one[0].toUpperCase() + one.slice(1) : one)).join("")}() async throws {`, "  let world = Madang.world",
    "  func call(_ method: String, _ path: String, _ headers: [String: String], _ body: String? = nil) async throws -> (Int, Any) {",
    "    var request = URLRequest(url: try #require(URL(string: world.url + path)))", "    (request.httpMethod, request.allHTTPHeaderFields, request.httpBody) = (method, headers, body.map { Data($0.utf8) })",
    "    let (data, response) = try await URLSession.shared.data(for: request)", "    let status = try #require(response as? HTTPURLResponse).statusCode", "    return (status, try JSONSerialization.jsonObject(with: data))", "  }"];
  if (it.person || it.outer) {
    lines.push("  func signedIn(_ email: String) async throws -> [String: String] {",
      `    let person = #"{"email":"\\#(email)","password":"Passw0rd!"}"#`, `    let (_, login) = try await call("POST", "/v1/users/login", ["SesacKey": ${it.swiftKey}, "Content-Type": "application/json"], person)`,
      `    let token = try #require(${it.old ? "login as? [String: Any]" : '(login as? [String: Any])?["token"] as? [String: Any]'})`, `    return ["SesacKey": ${it.swiftKey}, "Authorization": try #require(token["accessToken"] as? String)${it.refreshes ? ', "RefreshToken": try #require(token["refreshToken"] as? String)' : ""}]`, "  }");
  }
  if (it.outer) {
    lines.push("  func id(_ path: String, _ key: String, named name: String, _ headers: [String: String]) async throws -> String {",
      "    let list = try #require(try await call(\"GET\", path, headers).1 as? [[String: Any]])", "    return \"\\(try #require(list.first { $0[\"name\"] as? String == name }?[key]))\"", "  }",
      `  let finder = try await signedIn(${swiftText(it.finder)})`, `  let workspace = try await id("/v1/workspaces", "workspace_id", named: ${swiftText(it.outer)}, finder)`);
    if (it.inner) lines.push(`  let room = try await id("/v1/workspaces/\\(workspace)/channels", "channel_id", named: ${swiftText(it.inner)}, finder)`);
  }
  const start = it.person ? `try await signedIn(${swiftText(it.person)})` : it.hadKey ? `["SesacKey": ${it.swiftKey}]` : "[String: String]()";
  lines.push(`  ${it.body === undefined ? "let" : "var"} headers = ${start}`);
  if (it.body !== undefined) lines.push(`  headers["Content-Type"] = ${swiftText(it.type ?? "application/json")}`);
  lines.push(`  let (status, answer) = try await call(${text(it.method)}, "${path}", headers${it.body === undefined ? "" : `, ${swiftText(it.body)}`})`, `  #expect(status == ${it.status})`);
  if (it.code) lines.push(`  #expect(answer as? [String: String] == ["errorCode": ${text(it.code)}])`);
  else if (it.keys?.length) lines.push(`  #expect(Set(try #require(answer as? [String: Any]).keys) == [${it.keys.map(text).join(", ")}])`);
  else lines.push("  _ = answer");
  if (it.parts) lines.push("  // The request had files: add the multipart body.");
  return `${lines.join("\n")}\n}\n`;
}

/** The lines for JUnit 5; the world comes from a server at `MADANG`. */
export function junit(entry) {
  const it = facts(entry);
  const path = text(it.path).replace("{workspace}", '" + workspace + "').replace("{room}", '" + room + "').replace(/ \+ ""$/, "");
  const lines = ["import static org.junit.jupiter.api.Assertions.*;", "", "import java.net.URI;", "import java.net.http.*;", "import java.net.http.HttpRequest.BodyPublishers;", "import java.net.http.HttpResponse.BodyHandlers;", "import java.util.regex.Pattern;", "import org.junit.jupiter.api.*;", "", "class RecordedTest {",
    "  final String server = System.getenv().getOrDefault(\"MADANG\", \"http://127.0.0.1:8080\");", `  static final String KEY = ${text(it.key)};`, "  final HttpClient http = HttpClient.newHttpClient();", "  String id, world;", "",
    "  HttpResponse<String> call(String method, String url, String body, String... headers) throws Exception {", "    var request = HttpRequest.newBuilder(URI.create(url)).method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));", "    if (headers.length > 0) request.headers(headers);", "    return http.send(request.build(), BodyHandlers.ofString());", "  }", "",
    "  String find(String json, String pattern) {", "    var found = Pattern.compile(pattern).matcher(json);", "    assertTrue(found.find(), pattern);", "    return found.group(1);", "  }", "",
    "  @BeforeEach void makeWorld() throws Exception {", "    var made = call(\"POST\", server + \"/_dev/worlds\", \"{\\\"seed\\\":\\\"courtyard\\\"}\").body();", "    id = find(made, \"\\\"id\\\":\\\"([^\\\"]+)\");", "    world = find(made, \"\\\"url\\\":\\\"([^\\\"]+)\");", "  }", "",
    "  @AfterEach void removeWorld() throws Exception { call(\"DELETE\", server + \"/_dev/worlds/\" + id, null); }", ""];
  if (it.person || it.outer) lines.push("  String token(String email, String name) throws Exception {", "    var body = \"{\\\"email\\\":\\\"\" + email + \"\\\",\\\"password\\\":\\\"Passw0rd!\\\"}\";", "    return find(call(\"POST\", world + \"/v1/users/login\", body, \"SesacKey\", KEY).body(), \"\\\"\" + name + \"\\\":\\\"([^\\\"]+)\");", "  }", "");
  lines.push(`  @Test void ${it.words.map((one, index) => (index ? one[0].toUpperCase() + one.slice(1) : one)).join("")}() throws Exception {`);
  const named = (list, key, name) => `find(${list}, "\\"${key}\\":\\"?([^\\",]+)\\"?,\\"name\\":" + Pattern.quote(${text(text(name))}))`;
  if (it.outer) {
    lines.push(`    var finder = token(${text(it.finder)}, "accessToken");`, `    var workspaces = call("GET", world + "/v1/workspaces", null, "SesacKey", KEY, "Authorization", finder).body();`, `    var workspace = ${it.inner || path.includes("workspace") ? named("workspaces", "workspace_id", it.outer) : text("")};`);
    if (it.inner) lines.push(`    var channels = call("GET", world + "/v1/workspaces/" + workspace + "/channels", null, "SesacKey", KEY, "Authorization", finder).body();`, `    var room = ${named("channels", "channel_id", it.inner)};`);
  }
  const headers = [...(it.type && it.body !== undefined ? ["Content-Type", it.type] : [])].map(text);
  if (it.hadKey) headers.push(text("SesacKey"), "KEY");
  if (it.person) headers.push(text("Authorization"), `token(${text(it.person)}, "accessToken")`);
  if (it.person && it.refreshes) headers.push(text("RefreshToken"), `token(${text(it.person)}, "refreshToken")`);
  lines.push(`    var answer = call(${text(it.method)}, world + ${path}, ${it.body === undefined ? "null" : text(it.body)}${headers.length ? `, ${headers.join(", ")}` : ""});`, `    assertEquals(${it.status}, answer.statusCode());`);
  if (it.code) lines.push(`    assertEquals(${text(text({ errorCode: it.code }).replaceAll("\\", ""))}, answer.body());`);
  if (it.parts) lines.push("    // The request had files: add the multipart body.");
  return `${lines.join("\n")}\n  }\n}\n`;
}

/** @type {Object<string, (entry: object) => string>} */
export const KINDS = { pytest, Swift: swift, JUnit: junit };
