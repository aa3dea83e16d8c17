import Foundation
import Storage
import Support
import Testing

@Suite("madang admin: read-only mode, quotas, settings", .serialized, .timeLimit(.minutes(10)))
struct CommandLineOperationsTests {
  @Test(
    "in read-only mode people read but cannot write, until it is turned off; quotas are set and shown",
    arguments: TestEngine.available)
  func readOnly(_ engine: TestEngine) async throws {
    try await withEngine(engine) { place in
      var environment: [String: String] = [:]
      if case .postgres(let url) = place { environment["MADANG_DATABASE_URL"] = url }
      try await TestServer.run(environment: environment) { server in
        environment["MADANG_DATA"] = server.folder.appending(path: "data").path
        environment.merge(TestServer.cheapPasswords) { $1 }
        let admin = Shell("nobody", at: server, environment: environment)
        let mina = Shell("mina", at: server)
        try await mina.signUp("Mina")
        try await mina.object("workspace", "create", "Builders")
        #expect(try await admin.object("admin", "read-only")["isOn"] == .bool(false))
        let on = try await admin.object("admin", "read-only", "on", "--reason", "a new disk")
        #expect(on["reason"] == .text("a new disk") && on["since"] != .other)
        #expect(try await admin.object("admin", "read-only", "on")["reason"] == .text("a new disk"))
        #expect(try await mina.refusal("channel", "create", "ios", "--workspace", "Builders") == "E99")
        #expect(try await mina.objects("channel", "list", "--workspace", "Builders").count == 1)
        let refused = try await admin.refusal("admin", "workspaces", "quota", "Builders", "--channels", "2")
        #expect(refused.contains("admin read-only off"))
        // Backups and queries are still possible.
        try await admin.object("admin", "backup", server.folder.appending(path: "backup").path)
        #expect(try await admin.objects("admin", "audit", "--kind", "readOnlyBegan").count == 2)
        let findings = try await admin.run("doctor", "--inside", "--json")
        #expect(findings.output.contains { $0.contains("\"check\":\"readOnlyMode\"") })
        #expect(try await admin.object("admin", "read-only", "off")["since"] == .other)
        #expect(try await admin.object("admin", "read-only", "status")["reason"] == .other)

        try await admin.object("admin", "workspaces", "quota", "Builders", "--channels", "2", "--file-bytes", "0")
        try await mina.object("channel", "create", "ios", "--workspace", "Builders")
        let over = try await mina.run("channel", "create", "android", "--workspace", "Builders")
        #expect(over.errors == ["madang: E11: the request is not valid: the workspace may have 2 channels"])
        let shown = try await admin.run("admin", "workspaces", "quota", "Builders")
        let words = shown.output.joined(separator: "\n")
        #expect(words.contains("2 of 2") && words.contains("1 of any number (settings)"))
        try await admin.object("admin", "workspaces", "quota", "Builders", "--default")
        try await mina.object("channel", "create", "android", "--workspace", "Builders")
      }
    }
  }

  @Test("SIGHUP applies changed settings, reports which need a restart, and applies nothing if one is wrong")
  func settings() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "madang.json")
    func write(_ json: String) throws { try Data(json.utf8).write(to: file) }
    try write(#"{"coins":{"signup":7},"registration":"open","socket.eio3":true,"s3.session.token":"one"}"#)
    let data = folder.appending(path: "data").path
    let program = try Program(
      "madang", ["serve", "--port", "0", "--data", data, "--config", file.path], environment: TestServer.cheapPasswords)
    let ready = "madang listening on "
    _ = try await program.output.next(beginning: ready)
    func reload(_ json: String) throws {
      try write(json)
      program.signal(SIGHUP)
    }
    try reload(
      #"{"coins":{"signup":8},"registration":"closed","socket.eio3":false,"s3.session.token":"two","log.level":"debug"}"#
    )
    var lines: [String] = []
    // Reads up to the last of them.
    while !(lines.last?.contains("registration") ?? false) { lines.append(try await program.errors.next()) }
    let text = lines.joined(separator: "\n")
    #expect(text.contains("7 -> 8") && text.contains("open -> closed") && text.contains("info -> debug"))
    #expect(text.contains("a setting needs a restart") && text.contains("true -> false"))
    #expect(text.contains("*** -> ***") && !text.contains("two"))
    // It is recorded after the lines.
    #expect(
      try await World.eventually {
        try await objects("admin", "audit", "--kind", "settingsChanged", "--data", data).count == 1
      })

    try reload(#"{"coins":{"signup":-1},"registration":"nobody"}"#)
    var mistakes = 0
    while mistakes < 2 { if try await program.errors.next().contains("settings were not applied") { mistakes += 1 } }
    program.signal(SIGTERM)
    #expect(await program.status() == 0)
    #expect(try await objects("admin", "audit", "--kind", "settingsChanged", "--data", data).count == 1)

    try write(#"{"coins":{"signup":9},"s3.session.token":"secret-word"}"#)
    let listed = try await objects("admin", "settings", "--config", file.path, "--given")
    #expect(listed.map { $0["key"] } == [.text("s3.session.token"), .text("coins.signup")])
    #expect(listed.map { $0["value"] } == [.text("***"), .text("9")])
    #expect(listed.map { $0["isLive"] } == [.bool(false), .bool(true)])
  }

  /// Runs a command that must succeed, and returns what it prints with `--json`.
  private func objects(_ arguments: String...) async throws -> [[String: JSONValue]] {
    let program = try Program("madang", arguments + ["--json"])
    async let output = program.output.rest()
    async let errors = program.errors.rest()
    let outcome = await Shell.Outcome(status: program.status(), output: output, errors: errors)
    try #require(outcome.status == 0, "\(arguments): \(outcome.errors)")
    let objects = try outcome.objects()
    CommandLineShapes.documented.check(objects, of: arguments)
    return objects
  }
}
