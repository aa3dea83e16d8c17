import Foundation
import MadangAPI
import NIOHTTP1
import SocketIOSupport
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Audit log: file and system log", .timeLimit(.minutes(3)))
struct AuditSinkTests {
  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    // Short: the path of a socket has some hundred bytes at most.
    let folder = URL(filePath: "/tmp/audit-\(UInt32.random(in: 0...UInt32.max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  private func lines(_ file: URL) -> [String] {
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  @Test(
    "audit entries are lines of JSON in a file, which is created again after a rename", arguments: TestEngine.available)
  func file(_ engine: TestEngine) async throws {
    try await withFolder { folder in
      let file = folder.appending(path: "audit.jsonl")
      let rotated = folder.appending(path: "audit.jsonl.1")
      try await World.run(engine, settings: World.settings(\.auditSinks.file, file.path)) { world in
        let mina = try await world.signUp("Mina")
        #expect(try await World.eventually { lines(file).count == 1 })
        try FileManager.default.moveItem(at: file, to: rotated)
        _ = try await mina.call(.GET, "users/logout")
        #expect(try await World.eventually { lines(file).count == 1 })
        #expect(lines(rotated).count == 1)
        let line = try JSON(Array(try #require(lines(file).first).utf8))
        #expect(line["kind"] == "signOut" && line["subject"] == .text(mina.email) && line["account"] == 1)
        #expect(line["address"] == "127.0.0.1" && line["detail"]?["session"] == "1")
      }
      let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
  }

  @Test("an audit file that cannot be written fails no call: the log says so, and the database has the entries")
  func unwritable() async throws {
    try await withFolder { folder in
      let log = LogRecorder()
      // A directory.
      try await World.run(.sqlite, settings: World.settings(\.auditSinks.file, folder.path), logger: log.logger) {
        world in
        _ = try await world.signUp("Mina")
        _ = try await world.signUp("Joon")
        #expect(try await World.eventually { log.lines.contains { $0.contains("audit.file") } })
        #expect(try await AuditTests.entries(world).count == 2)
      }
      // Once a minute, and once at the end with all of them.
      #expect((1...2).contains(log.lines.filter { $0.contains("audit.file") }.count))
    }
  }

  @Test("a blocked system log delays neither the audit file nor the stop of the server")
  func stuckSyslog() async throws {
    try await withFolder { folder in
      let (path, file) = (folder.appending(path: "log").path, folder.appending(path: "audit.jsonl"))
      // Nothing reads it: some datagrams fit, then it is full.
      let socket = try LogSocket(path)
      var settings = World.settings(\.auditSinks.file, file.path)
      (settings.auditSinks.goesToSyslog, settings.auditSinks.syslogPath) = (true, path)
      (settings.auditSinks.waiting, settings.logPatience) = (20, .milliseconds(100))
      let log = LogRecorder()
      let sink = AuditSink(settings, clock: Clock(), logger: log.logger)
      for number in 1...2000 {
        sink.take(Self.record(Int64(number)))
        if number.isMultiple(of: 20) { #expect(try await World.eventually { lines(file).count == number }) }
      }
      let began = ContinuousClock.now
      await sink.close()
      #expect(ContinuousClock.now - began < .seconds(5))
      #expect(lines(file).count == 2000)
      let told = log.lines.filter { $0.contains("audit.syslog") }
      #expect(told.count == 2, "once when it began, once at the end with all of them: \(told)")
      withExtendedLifetime(socket) {}
    }
  }

  private static func record(_ number: Int64) -> AuditRecord {
    AuditRecord(
      number: number, time: 0, kind: AuditKind.signIn.rawValue, actor: "account 1", account: 1,
      subject: "mina@example.com", origin: Origin(edition: "2024-10", address: "127.0.0.1"), node: "", detail: [:])
  }

  @Test("the system log gets datagrams as the C library sends them, and a missing one fails no call")
  func syslog() async throws {
    try await withFolder { folder in
      let path = folder.appending(path: "log").path
      var settings = World.settings(\.auditSinks.goesToSyslog, true)
      settings.auditSinks.syslogPath = path
      try await World.run(.sqlite, settings: settings) { world in
        _ = try await world.signUp("Mina")
        let log = try LogSocket(path)
        try await AuditTests.wrongSignIn(world, "mina@example.com")
        // The sign-up may be told of late, when there is a socket.
        var text = try await log.next()
        if text.contains("signUp") { text = try await log.next() }
        let head = /<85>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d madang\[\d+\]: (\{.*\})/
        let match = try #require(text.wholeMatch(of: head), "\(text)")
        #expect(try JSON(Array(match.1.utf8))["subject"] == "mina@example.com")
      }
    }
  }
}

/// A socket of the file system that takes datagrams, as `/dev/log` is.
private final class LogSocket: Sendable {
  private let descriptor: Int32

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0)
  }

  deinit { close(descriptor) }

  func next() async throws -> String {
    var found = ""
    let came = try await World.eventually {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count > 0 { found = String(decoding: buffer.prefix(count), as: UTF8.self) }
      return count > 0
    }
    try #require(came)
    return found
  }
}
