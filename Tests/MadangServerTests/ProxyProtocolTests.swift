import Foundation
import Logging
import MadangAPI
import NIOCore
import NIOHTTP1
import NIOPosix
import SocketIOSupport
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Behind a proxy that passes on TCP, and at a Unix socket", .timeLimit(.minutes(5)))
struct ProxyProtocolTests {
  private static let header = "PROXY TCP4 203.0.113.5 192.0.2.1 56324 443\r\n"
  private static let body = #"{"email":"mina@example.com","password":"Wrong1!pass"}"#

  /// A sign-in that fails, with further lines in its head.
  private static func signIn(_ lines: String = "") -> String {
    "POST /v1/users/login HTTP/1.1\r\nHost: chat.example.com\r\nSesacKey: \(DevelopmentKey.october2024)\r\n\(lines)"
      + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
  }

  @Test(
    "the client's address is the one in the header of a trusted proxy, even if the client writes one itself",
    arguments: TestEngine.available)
  func header(_ engine: TestEngine) async throws {
    var settings = World.settings(\.trustedProxies, [try #require(IPNetwork("127.0.0.1"))])
    settings.takesProxyHeaders = true
    try await World.run(engine, settings: settings) { (world) async throws in
      for lines in ["", "X-Forwarded-For: 198.51.100.7\r\nForwarded: for=198.51.100.8\r\nX-Real-IP: 198.51.100.9\r\n"] {
        let answer = try await world.exchange(Array((Self.header + Self.signIn(lines)).utf8))
        #expect(answer.contains("\"E03\""), "\(answer)")
      }
      func entries() async throws -> [AuditRecord] { try await AuditTests.entries(world, .signInRefused) }
      #expect(try await World.eventually { try await entries().count == 2 })
      #expect(try await entries().map(\.origin.address) == ["203.0.113.5", "203.0.113.5"])
      // Without a header, or with a bad one, nothing is answered.
      for bytes in [Self.signIn(), "PROXY TCP4 x\r\n" + Self.signIn()] {
        #expect(try await world.exchange(Array(bytes.utf8)) == "")
      }
      // A proxy that connects for itself is no client with an address.
      let health = "PROXY UNKNOWN\r\nGET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
      #expect(try await world.exchange(Array(health.utf8)).hasPrefix("HTTP/1.1 200"))
      let metrics = "PROXY UNKNOWN\r\nGET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
      #expect(try await world.exchange(Array(metrics.utf8)).hasPrefix("HTTP/1.1 400"))
    }
  }

  @Test("connections that a proxy passes on count for the address in their header, until they are closed")
  func limit() async throws {
    var settings = World.settings(\.trustedProxies, [try #require(IPNetwork("127.0.0.1"))])
    settings.takesProxyHeaders = true
    settings.limits.connections.perAddress = 2
    try await World.run(.sqlite, settings: settings) { (world) async throws in
      let port = Int(world.url.split(separator: ":").last ?? "") ?? 0
      /// A connection that stays open, and whether it was answered.
      func connect(_ header: String) async throws -> (wire: Wire, isAnswered: Bool) {
        let wire = try await Wire.connect(port)
        try await wire.send(Array("PROXY \(header)\r\nGET /livez HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        return (wire, (try? await wire.readLine()) == "HTTP/1.1 200 OK")
      }
      let mina = "TCP4 203.0.113.5 192.0.2.1 56324 443"
      let (first, second) = (try await connect(mina), try await connect(mina))
      #expect(first.isAnswered && second.isAnswered)
      #expect(try await !connect(mina).isAnswered)
      var others: [Wire] = []
      for header in ["TCP4 203.0.113.6 192.0.2.1 1 443", "UNKNOWN", "UNKNOWN", "UNKNOWN"] {
        let other = try await connect(header)
        #expect(other.isAnswered, "\(header)")
        others.append(other.wire)
      }
      first.wire.abort()
      #expect(try await World.eventually { try await connect(mina).isAnswered })
      for wire in others + [second.wire] { wire.abort() }
    }
  }

  @Test("others than trusted proxies send no header, and one that they write is no request")
  func untrusted() async throws {
    var settings = World.settings(\.trustedProxies, [try #require(IPNetwork("10.0.0.0/8"))])
    settings.takesProxyHeaders = true
    try await World.run(.sqlite, settings: settings) { (world) async throws in
      #expect(try await world.exchange(Array(Self.signIn().utf8)).contains("\"E03\""))
      #expect(try await world.exchange(Array((Self.header + Self.signIn()).utf8)).hasPrefix("HTTP/1.1 400"))
    }
  }

  @Test("settings of sockets and headers that contradict others are refused, each with a cure")
  func settings() {
    func problems(_ change: (inout ServerSettings) -> Void) -> [String] {
      var settings = ServerSettings()
      change(&settings)
      return settings.problems().map { String($0.prefix { $0 != ":" }) }
    }
    #expect(problems { $0.host = "unix:/run/madang/madang.sock" } == [])
    #expect(problems { ($0.host, $0.takesProxyHeaders) = ("unix:/run/madang/madang.sock", true) } == [])
    #expect(problems { $0.takesProxyHeaders = true } == ["http.proxy.protocol"])
    for path in ["madang.sock", "/run/", "", "/" + String(repeating: "x", count: 103)] {
      #expect(problems { $0.host = "unix:\(path)" } == ["host"], "\(path)")
    }
    #expect(problems { ($0.host, $0.isDevelopment) = ("unix:/run/madang.sock", true) } == ["--dev"])
  }

  /// Runs a server at a Unix socket of a new directory.
  private static func atSocket(_ body: (ServerSettings, String) async throws -> Void) async throws {
    // Not in the usual directory for temporary files, whose path may be too long.
    let folder = URL(filePath: "/tmp/m-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var settings = ServerSettings()
    settings.dataDirectory = folder.appending(path: "data", directoryHint: .isDirectory)
    settings.passwords.cost.memory = 8
    settings.passwords.cost.passes = 1
    settings.host = "unix:\(folder.path)/s"
    settings.keys = [DevelopmentKey.october2024: .october2024]
    try await body(settings, "\(folder.path)/s")
  }

  private static func exchange(_ path: String, _ text: String) async throws -> String {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(unixDomainSocketPath: path) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: text))
      var answer = ""
      for try await buffer in inbound { answer += String(buffer: buffer) }
      return answer
    }
  }

  private static func running(_ settings: ServerSettings, _ body: (MadangServer) async throws -> Void) async throws {
    let server = try await buildServer(settings, isAlone: true, logger: Logger(label: "sockets"))
    let run = Task { try await server.run() }
    do {
      _ = try await server.port
      try await body(server)
    } catch {
      run.cancel()
      _ = try? await run.value
      throw error
    }
    run.cancel()
    _ = try? await run.value
  }

  @Test("a proxy at the Unix socket is trusted with its clients' addresses")
  func socket() async throws {
    try await Self.atSocket { settings, path in
      try await Self.running(settings) { server in
        #expect(FileMode(URL(filePath: path))?.bits == 0o660)
        let live = "GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        #expect(try await Self.exchange(path, live).hasPrefix("HTTP/1.1 200"))
        let answer = try await Self.exchange(path, Self.signIn("X-Forwarded-For: 203.0.113.5\r\n"))
        #expect(answer.contains("\"E03\""), "\(answer)")
        var filter = AuditFilter()
        filter.kinds = [.signInRefused]
        #expect(
          try await World.eventually {
            try await server.madang.audit(filter, limit: 10).first?.origin.address == "203.0.113.5"
          })
        #expect(await server.service.reports.readiness.problem() == nil)
      }
      #expect(FileMode(URL(filePath: path)) == nil)
    }
  }

  @Test("a server that ends leaves the socket of its successor alone")
  func successor() async throws {
    try await Self.atSocket { settings, path in
      var second = settings
      second.dataDirectory = settings.dataDirectory.appending(path: "second", directoryHint: .isDirectory)
      try FileManager.default.createDirectory(at: second.dataDirectory, withIntermediateDirectories: true)
      let firstRuns = AsyncStream.makeStream(of: Void.self)
      let (ends, ending) = AsyncStream.makeStream(of: Void.self)
      let first = Task {
        try await Self.running(settings) { _ in
          try FileManager.default.removeItem(atPath: path)
          firstRuns.continuation.finish()
          for await _ in ends {}
        }
      }
      for await _ in firstRuns.stream {}
      try await Self.running(second) { _ in
        ending.finish()
        try await first.value
        let live = "GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        #expect(try await Self.exchange(path, live).hasPrefix("HTTP/1.1 200"))
      }
      #expect(FileMode(URL(filePath: path)) == nil)
    }
  }

  @Test("a socket that a killed server has left is replaced; a file, and a socket that is answered, are not")
  func stale() async throws {
    try await Self.atSocket { settings, path in
      func refusal() async -> String {
        let error = await #expect(throws: SetupError.self) { try await Self.running(settings) { _ in } }
        return error?.description ?? ""
      }
      try Data().write(to: URL(filePath: path))
      #expect(await refusal().hasPrefix("host: \(path) exists and is no socket"))
      try FileManager.default.removeItem(atPath: path)
      let other = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup).bind(
        unixDomainSocketPath: path
      ).get()
      #expect(await refusal().hasPrefix("host: another program answers at \(path)"))
      // NIO removes the file by its name. Under another one it stays, as after a kill.
      #expect(rename(path, "\(path)-moved") == 0)
      try await other.close()
      #expect(rename("\(path)-moved", path) == 0)
      #expect(FileMode(URL(filePath: path)) != nil)
      try await Self.running(settings) { server in
        #expect(FileMode(URL(filePath: path))?.bits == 0o660)
        try FileManager.default.removeItem(atPath: path)
        #expect(
          try await World.eventually {
            await server.service.reports.readiness.problem()?.contains("was removed") == true
          })
      }
      #expect(try await refusalOfBusySocket(settings, path).contains("may be the socket of a running program"))
      var elsewhere = settings
      elsewhere.host = "unix:/nowhere/s"
      await #expect(throws: SetupError.self) { try await Self.running(elsewhere) { _ in } }
    }
  }

  /// Why no server starts at the socket of a program that is too busy to accept connections.
  private func refusalOfBusySocket(_ settings: ServerSettings, _ path: String) async throws -> String {
    let group = MultiThreadedEventLoopGroup.singleton
    let busy = try await ServerBootstrap(group: group).serverChannelOption(.backlog, value: 1)
      .serverChannelOption(.autoRead, value: false).bind(unixDomainSocketPath: path).get()
    var waiting: [any NIOCore.Channel] = []
    while let channel = try? await ClientBootstrap(group: group).connect(unixDomainSocketPath: path).get() {
      waiting.append(channel)
    }
    let error = await #expect(throws: SetupError.self) { try await Self.running(settings) { _ in } }
    #expect(FileMode(URL(filePath: path)) != nil)
    for channel in waiting { channel.close(promise: nil) }
    try await busy.close()
    return error?.description ?? ""
  }
}
