import Foundation
import MadangAPI
import Testing

@testable import madang

@Suite("madang edition-of", .timeLimit(.minutes(5)))
struct EditionOfTests {
  private let tree = SourceTree()

  // MARK: The editions

  @Test("an app with UUID ids is of 2024-10, with evidence, operations, address, key and namespaces")
  func october() throws {
    try tree.write(
      "Network/Router.swift",
      #"""
      enum Router {
        var path: String {
          switch self {
          case .login: "/v1/users/login"
          case .me: "/v1/users/me"
          case .mine(let id): "/v1/workspaces/\(id)/my-channels"
          case .post(let w, let c): "/v1/workspaces/\(w.id)/channels/\(encoded(c["id"]))/chats"
          }
        }
        var headers: [String: String] { ["SesacKey": Secret.key] }
        let url = Secret.baseURL + path
      }
      """#)
    try tree.write("Network/Rooms.swift", "import SocketIO\nlet room = \"/ws-channel-\\(id)\"\n")
    let report = try tree.report()
    #expect(report.found == .one && report.edition == .october2024 && report.status == 0)
    #expect(
      report.signs.map(\.text) == ["/v1/users/me", "/v1/workspaces/{workspace}/my-channels"],
      "\(report.signs)")
    #expect(report.signs.first.map { "\($0.file):\($0.line)" } == "Network/Router.swift:5")
    #expect(
      Set(report.operations.map(\.id)) == [
        "signIn", "me", "editMe", "myChannels", "channelHistory", "postToChannel",
      ])
    #expect(report.addresses.map(\.text) == ["Secret.baseURL"])
    #expect(report.keys.map { "\($0.text) \($0.place.text)" } == ["SesacKey Network/Router.swift:10"])
    #expect(report.usesSocketIO && report.namespaces.map(\.text) == ["/ws-channel-"])
  }

  @Test("an app with integer ids is of 2024-01")
  func january() throws {
    try tree.write(
      "Router.swift",
      #"""
      "/v1/users/my"; "/v1/workspaces/\(id)/channels/\(name)/leave"; "/v1/workspaces/\(id)/change/admin/\(user)"
      """#)
    let report = try tree.report()
    #expect(report.found == .one && report.edition == .january2024)
    #expect(report.signs.allSatisfy { $0.edition == .january2024 } && report.signs.count == 3)
  }

  @Test(
    "every path of each edition is recognised, as the edition's own documents write it", arguments: EditionName.allCases
  )
  func everyPath(of edition: EditionName) throws {
    for template in EditionTable.shared.templates where template.editions(with: nil).contains(edition) {
      for text in [
        template.text, template.text.replacing("/v1", with: ""), "https://chat.example.com\(template.text)?a=b",
      ] {
        let path = try #require(WrittenPath(Array(text.utf8)))
        #expect(EditionTable.shared.template(of: path.withoutStart)?.text == template.text, "\(text)")
      }
    }
    #expect(EditionReport.count(of: edition) >= 43)
  }

  @Test("paths of both editions are both editions, with status 2")
  func both() throws {
    try tree.write("a.swift", #""/v1/users/my"; "/v1/users/join"; "/v1/workspaces/\(id)/leave""#)
    try tree.write("b.swift", #""/v1/users/me"; "/v1/workspaces/\(id)/exit""#)
    let report = try tree.report()
    #expect(report.found == .both && report.edition == nil && report.status == 2)
    #expect(Set(report.signs.map(\.edition)) == Set(EditionName.allCases))
  }

  @Test("paths that both editions have are undecided, with status 2, until fields decide")
  func common() throws {
    try tree.write("a.swift", #""/v1/users/join"; "/v1/users/login"; "/v1/workspaces"; "/v1/workspaces/\(id)""#)
    #expect(try tree.report().found == .common)
    #expect(try tree.report().status == 2)
    try tree.write(
      "b.swift",
      "struct Workspace: Decodable {\n  let workspace_id: Int\n  let owner_id: Int\n  let thumbnail: String\n}")
    let report = try tree.report()
    #expect(report.found == .one && report.edition == .january2024)
    #expect(report.signs.map(\.text).sorted() == ["ids are integers", "thumbnail (Workspace)"])
  }

  @Test(
    "types of ids decide, also of properties with other names",
    arguments: [
      ("a.swift", "let channelID, chatID: String\n enum CodingKeys: String { case channelID = \"channel_id\" }"),
      ("a.swift", "let channel_id: String"), ("A.kt", "@SerializedName(\"room_id\") val room: String, val x: Int"),
      ("A.java", "private String workspace_id;"), ("a.ts", "interface A { workspace_id?: string }"),
    ])
  func ids(_ file: String, _ text: String) throws {
    try tree.write("paths.swift", #""/v1/users/join"; "/v1/users/login"; "/v1/workspaces/""#)
    try tree.write(file, text)
    #expect(try tree.report().edition == .october2024)
    try tree.write(file, text.replacing("String", with: "Int").replacing("string", with: "number"))
    #expect(try tree.report().edition == .january2024)
  }

  @Test("a field alone decides nothing: thumbnail, provider and private are everywhere")
  func fieldAlone() throws {
    try tree.write("a.swift", #""/v1/users/join"; "/v1/users/login"; "/v1/workspaces"; "SesacKey""#)
    try tree.write("b.swift", "struct Video { let thumbnail: String; let name: String; private let provider: Int }")
    #expect(try tree.report().found == .common)
  }

  @Test(
    "nothing of the API is status 1",
    arguments: [
      "", "let path = \"/v1/users/me\"", "\"/v1/posts\"; \"/v1/comments\"; \"application/json\"; \"yyyy/MM/dd\"",
      "// \"/v1/users/me\" \"/v1/workspaces/1/exit\" \"SesacKey\"", "/* /* \"SesacKey\" */ \"/ws-dm-1\" */",
    ])
  func nothing(_ text: String) throws {
    try tree.write("a.swift", text)
    let report = try tree.report()
    #expect(report.found == .nothing && report.status == 1)
    #expect(EditionReportText(report, folder: "app", rows: 10).lines(width: 80).contains { $0.contains("not found") })
  }

  // MARK: Ways of writing a path

  @Test(
    "a path is recognised in every way that apps write it",
    arguments: [
      ("a.swift", #""v1/workspaces/\(id)/exit""#), ("a.swift", #""workspaces/\(a[b["c"]])/exit""#),
      ("a.swift", #""\(base)/workspaces/\(f("a/b", x))/exit/""#), ("a.swift", ##"#"/v1/workspaces/\#(id)/exit"#"##),
      ("a.swift", "\"\"\"\n  /workspaces/\\(id)/exit\n\"\"\""), ("a.swift", #"path: ["workspaces", id, "exit"]"#),
      ("a.swift", #"path: ["v1", "workspaces", space.id!, "exit"], other: []"#),
      ("a.swift", #"APIKey.version + "/workspaces/" + "\(id)/" + "exit""#),
      ("a.swift", #"Endpoint.workspaces.rawValue + "/\(id)/exit""#),
      ("a.swift", #"URL(string: base + "/v1/workspaces/" + String(id) + "/exit")"#),
      ("a.swift", #"URL(string: Secret.base + "/v1/workspaces"); case .exit(let id): "\(id)/exit""#),
      ("a.m", #"[NSString stringWithFormat:@"%@/v1/workspaces/%@/exit", base, space]"#),
      ("A.kt", #"@GET("v1/workspaces/{id}/exit") suspend fun exit(@Path("id") id: String)"#),
      ("A.kt", #"val url = "$base/workspaces/${space.id}/exit""#),
      ("A.java", #"String.format("%s/v1/workspaces/%s/exit", a, b)"#),
      ("a.dart", #"dio.get('/v1/workspaces/$id/exit')"#), ("a.ts", "api.get(`${base}/v1/workspaces/${id}/exit`)"),
      ("a.tsx", "fetch(base + '/v1/workspaces/' + id + '/exit')"), ("a.js", "app.get('/v1/workspaces/:id/exit')"),
    ])
  func spellings(_ file: String, _ text: String) throws {
    try tree.write(file, text + "\n\"SesacKey\"\n")
    let report = try tree.report()
    #expect(report.edition == .october2024, "\(report)")
    #expect(report.operations.map(\.id).contains("leaveWorkspace"))
    #expect(report.unknownPaths.isEmpty, "\(report.unknownPaths)")
  }

  @Test("a text such as \"workspaces\" is a path only in a file with paths")
  func singleWords() throws {
    try tree.write("a.swift", #""workspaces"; "users""#)
    try tree.write("b.swift", #""users/me"; "auth/refresh"; "users/login""#)
    #expect(try tree.report().operations.allSatisfy { $0.path != "/v1/workspaces" })
    try tree.write("a.swift", #""workspaces"; "workspaces/\(id)""#)
    #expect(try tree.report().operations.contains { $0.path == "/v1/workspaces" })
  }

  @Test("paths and methods that no edition has are shown; those of other services are not")
  func unknown() throws {
    try tree.write(
      "Api.kt",
      """
      @GET("v1/users/me") @POST("v1/users/join") @GET("v1/workspaces/{id}/exit")
      @DELETE("v1/workspaces/{id}/exit") @GET("v1/users/{id}/follow") @PATCH("v1/users/me")
      "https://dapi.kakao.com/v2/local/search" "v1/workspaces" "v1/auth" "/v1/static/profiles/a.png"
      "$server/v1/$path" "v1/workspaces/$id/$rest"
      """)
    let report = try tree.report()
    #expect(
      report.unknownPaths.map(\.text).sorted() == [
        "/v1/users/{}/follow", "DELETE /v1/workspaces/{workspace}/exit", "PATCH /v1/users/me",
      ])
    #expect(report.operations.contains { $0.id == "file" })
    #expect(report.operations.filter { $0.path == "/v1/users/me" }.map(\.method) == ["GET"])
  }

  @Test("a method that only one edition has at a path is a sign of it")
  func methods() throws {
    try tree.write("Api.kt", #"@POST("v1/workspaces/{id}/dms") @GET("v1/workspaces/{id}") @GET("v1/workspaces")"#)
    let report = try tree.report()
    #expect(report.edition == .october2024)
    #expect(report.signs.map(\.text) == ["POST /v1/workspaces/{workspace}/dms"])
  }

  @Test("addresses, keys and hosts in configuration files are shown, without values of keys")
  func configuration() throws {
    try tree.write("a.swift", #""users/me"; "auth/refresh"; "users/login""#)
    try tree.write(
      "Info.plist",
      """
      <key>SesacKey</key><string>s3cret</string>
      <key>BaseURL</key><string>http://api.example.com:1234/v1</string>
      <key>NSExceptionDomains</key>
      <string>http://www.apple.com/DTDs/PropertyList-1.0.dtd</string>
      """)
    let report = try tree.report()
    #expect(report.keys.map(\.place.text) == ["Info.plist:1"])
    #expect(report.addresses.map(\.text) == ["BaseURL", "http://api.example.com:1234"])
    #expect(report.pins.map(\.text) == ["NSExceptionDomains"])
    let text = EditionReportText(report, folder: "app", rows: 10).lines(width: 120).joined()
    #expect(!text.contains("s3cret"))
    #expect(text.contains("dev-key-2024-10"))
  }

  @Test("the report for people fits the terminal, and control characters of the sources do not reach it")
  func text() throws {
    try tree.write(
      "a\u{1B}[2J.swift", (0..<30).map { "\"/v1/users/me\"; \"/v1/x\u{1B}\($0)/\($0)\"; \"/v1/y/\($0)\"" }.joined())
    try tree.write("b.swift", #""users/login"; "users/join""#)
    let report = try tree.report()
    let few = EditionReportText(report, folder: "app", rows: 10).lines(width: 60)
    #expect(few.contains("and 20 more: --all shows them"))
    #expect(!few.joined().contains("\u{1B}"))
    let all = EditionReportText(report, folder: "app", rows: nil).lines(width: 60)
    #expect(all.count > few.count && !all.contains { $0.contains("--all") })
  }

  // MARK: Hostile trees

  @Test("files that are binary, too large, a pipe or not UTF-8, and folders of tools, do no harm")
  func hostileFiles() throws {
    try tree.write("a.swift", #""users/me"; "auth/refresh"; "users/login""#)
    try tree.write("binary.swift", "\"/v1/users/my\"\u{0}")
    try tree.write("large.swift", "\"/v1/users/my\"" + String(repeating: " ", count: 1 << 20))
    try tree.write("invalid.swift", Data([0xFF, 0xFE, 0x22] + Array("/v1/users/me/image".utf8) + [0x22, 0xC3, 0x0A]))
    for folder in ["Pods", "node_modules", "build", ".git", "A.xcframework"] {
      try tree.write("\(folder)/a.swift", "\"/v1/users/my\"")
    }
    #expect(mkfifo(tree.root.appending(path: "pipe.swift").path, 0o600) == 0)
    let report = try tree.report()
    #expect(report.edition == .october2024)
    #expect(report.operations.contains { $0.id == "editPicture" })
    #expect(report.files == 2 && report.leftOut == 2 && report.isComplete)
  }

  @Test("links are not followed: neither out of the folder, nor in circles")
  func links() throws {
    let outside = SourceTree()
    try outside.write("secret.swift", "\"/v1/users/my\"; \"/v1/users/join\"; \"SesacKey\"")
    let files = FileManager.default
    try files.createDirectory(at: tree.root.appending(path: "sub"), withIntermediateDirectories: true)
    try files.createSymbolicLink(at: tree.root.appending(path: "out"), withDestinationURL: outside.root)
    try files.createSymbolicLink(
      at: tree.root.appending(path: "out.swift"), withDestinationURL: outside.root.appending(path: "secret.swift"))
    try files.createSymbolicLink(at: tree.root.appending(path: "sub/loop"), withDestinationURL: tree.root)
    #expect(try tree.report().files == 0)
    // The folder itself may be named by a link.
    #expect(try EditionOf.report(on: SourceFolder(tree.root.appending(path: "out").path)).files == 1)
  }

  @Test("deep folders and many files are read up to the limits, and the report says so")
  func limits() throws {
    try tree.write((0..<60).map { "d\($0)/" }.joined() + "a.swift", "\"/v1/users/me\"")
    let deep = try tree.report()
    #expect(deep.files == 0 && !deep.isComplete)
    for number in 0..<20 { try tree.write("f\(number).swift", "\"/v1/users/me\"") }
    let many = EditionOf.report(on: try SourceFolder(tree.root.path, limits: .init(files: 5)))
    #expect(many.files == 5 && !many.isComplete)
    let few = EditionOf.report(on: try SourceFolder(tree.root.path, limits: .init(totalBytes: 30)))
    #expect(few.leftOut > 0)
  }

  @Test(
    "sources made to be slow are read in time that grows with their length",
    arguments: [
      "\"\\(", "\"\\(\"", "((((\"workspaces\",", "\"a\"+", "\"a\"+((", "/*", "\"\"\"", "#\"", "x.y?.z!+",
      "\"/\"+\"a\"+b(",
      "[\"workspaces\",a.b,", "\"//////////\"", "\"workspaces/\\(a)/\\(b)\"",
    ])
  func slow(_ piece: String) throws {
    func time(_ count: Int) throws -> Duration {
      let bytes = Array(String(repeating: piece, count: count / piece.utf8.count).utf8)
      let language = try #require(SourceLanguage.of("a.swift"))
      let began = Self.threadTime
      var findings = EditionFindings()
      findings.add(SourceLexer.tokens(of: bytes, language), of: "a.swift")
      return Self.threadTime - began
    }
    // Eight times the length takes far less than 64 times as long.
    let (short, long) = (min(try time(8_000), try time(8_000)), try time(64_000))
    #expect(long < short * 30 + .milliseconds(300), "\(short), \(long)")
  }

  /// How long this thread has run. It does not grow while other programs run.
  private static var threadTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  @Test("a folder that does not exist, or is a file, is refused with its name")
  func refused() throws {
    try tree.write("a.swift", "")
    #expect(throws: Failure.self) { try SourceFolder(tree.root.appending(path: "none").path) }
    #expect(throws: Failure.self) { try SourceFolder(tree.root.appending(path: "a.swift").path) }
  }
}

/// A folder of sources, removed at the end.
private final class SourceTree {
  let root = FileManager.default.temporaryDirectory.appending(path: "edition-of-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: root) }

  func write(_ path: String, _ text: String) throws { try write(path, Data(text.utf8)) }

  func write(_ path: String, _ data: Data) throws {
    let url = root.appending(path: path)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
  }

  func report() throws -> EditionReport { EditionOf.report(on: try SourceFolder(root.path)) }
}
