import Foundation
import NIOHTTP1
import Testing

@testable import Conformance

@Suite("The request beside evidence")
struct RequestTests {
  private static let secrets = [
    Secret(value: "k-1", variable: "KEY"), Secret(value: "abc", variable: "TOKEN"),
    Secret(value: "abc.def", variable: "REFRESH_TOKEN"),
  ]

  private static func command(
    _ method: HTTPMethod = .POST, headers: [(String, String)] = [], body: RequestBody = .none
  ) -> String {
    Request(method: method, url: "http://127.0.0.1:8080/v1/x?a=1&b=2", headers: headers, body: body).command(secrets)
  }

  @Test("a call is a curl command with its method, path, headers and body")
  func curl() {
    #expect(
      Self.command(headers: [("SesacKey", "k-1"), ("Authorization", "abc")], body: .json(["name": "it's"]))
        == #"curl -i -X POST 'http://127.0.0.1:8080/v1/x?a=1&b=2' -H "SesacKey: ${KEY}" -H "Authorization: ${TOKEN}" "#
        + #"-H 'Content-Type: application/json' --data-raw '{"name":"it'\''s"}'"#)
    #expect(Self.command(.GET) == "curl -i 'http://127.0.0.1:8080/v1/x?a=1&b=2'")
    #expect(Self.command(.HEAD) == "curl -i --head 'http://127.0.0.1:8080/v1/x?a=1&b=2'")
  }

  @Test("a longer secret wins over one that it holds, and a wrong token stays readable")
  func secrets() {
    let command = Self.command(.GET, headers: [("RefreshToken", "abc.def"), ("Authorization", "garbage-7")])
    #expect(command.hasSuffix(#"-H "RefreshToken: ${REFRESH_TOKEN}" -H 'Authorization: garbage-7'"#))
  }

  @Test("parts of a form are options, and files are named")
  func form() {
    let command = Self.command(body: .multipart([.text("name", "a;b"), .file("image", [1, 2], filename: "사진 1.jpg")]))
    #expect(
      command.hasSuffix(#"--form-string 'name=a;b' -F 'image=@FILE;filename="사진 1.jpg";type=image/jpg'"#), "\(command)")
  }

  @Test("a body without a type, a long one and one that is no text are shown as what they are")
  func bodies() {
    #expect(Self.command(body: .raw("a=1", type: nil)).hasSuffix("-H Content-Type: --data-raw 'a=1'"))
    for bytes in [[UInt8](repeating: 0x61, count: 4000), [0xFF, 0xFE]] {
      let command = Self.command(body: .bytes(bytes, type: "text/plain"))
      #expect(command.hasSuffix("--data-binary @BODY # \(bytes.count) bytes"))
    }
  }

  @Test("packets of a WebSocket are a command of websocat")
  func packets() {
    let request = Request(
      method: .GET, url: "https://chat.example.com/socket.io/?EIO=4", headers: [], body: .none,
      packets: ["40/,", #"40/ws-dm-1,{"token":"abc"}"#])
    #expect(
      request.command(Self.secrets)
        == #"(printf '%s\n' '40/,' '40/ws-dm-1,{"token":"'"$TOKEN"'"}'; sleep 9) | websocat 'wss://chat.example.com/socket.io/?EIO=4'"#
    )
  }

  @Test(
    "a shell reads each word back as the text, with the secrets",
    arguments: [
      "plain", "it's", "a\nb\r\n\tc", #"back\slash "quoted" $HOME `id` !"#, "abc", "x abc y", "'abc.def'", "각😀\u{1}abc",
      "", "abcabc.def k-1",
    ])
  func shell(_ text: String) throws {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/bin/bash")
    let word = ShellWord.quoted(text, Self.secrets)
    process.arguments = ["-c", "KEY=k-1 TOKEN=abc REFRESH_TOKEN=abc.def; printf %s \(word)"]
    process.standardOutput = output
    try process.run()
    let read = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(String(decoding: read, as: UTF8.self) == text, "\(word)")
  }

  @Test("evidence gets the request of its answer, else the last of the call that it names, else the last of all")
  func chosen() throws {
    let log = RequestLog(keys: ["k-1", ""])
    for path in ["workspaces", "workspaces/7", "users/me"] {
      log.add(Request(method: .GET, url: "http://h/v1/\(path)", headers: [], body: .none))
    }
    #expect(
      log.command(for: "expected x; seen GET /v1/workspaces/7 answered 200 {}") == "curl -i 'http://h/v1/workspaces/7'")
    #expect(log.command(for: "expected 1; seen 2") == "curl -i 'http://h/v1/users/me'")
    #expect(log.command(for: "seen GET /v1/users/me answered 200 {}", number: 0) == "curl -i 'http://h/v1/workspaces'")
    #expect(RequestLog(keys: []).command(for: "expected an answer; seen none") == nil)
  }
}
