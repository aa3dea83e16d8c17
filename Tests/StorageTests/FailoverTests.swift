import Foundation
import Logging
import Storage
import Support
import Testing

@Suite(.enabled(if: PostgresServer.url != nil), .timeLimit(.minutes(5))) struct FailoverTests {
  private let schema = Migration(version: 1, name: "t", sql: "CREATE TABLE t (n BIGINT NOT NULL)")

  @Test("a write at a server that no longer accepts writes continues over a new connection")
  func demoted() async throws {
    try await withDatabase(.postgres) { database in
      try await database.migrate([schema])
      let backends = Log<Int>()
      for _ in 0..<2 {
        try await database.write { transaction in
          try transaction.execute("INSERT INTO t (n) VALUES (1)")
          let pid = try transaction.first("SELECT pg_backend_pid() AS pid") { try $0.get("pid", as: Int.self) }
          backends.append(pid ?? 0)
          // As on a replica from now on.
          try transaction.execute("SET default_transaction_read_only = on")
        }
      }
      #expect(Set(backends.all).count == 2)
      #expect(try await database.read { try $0.all("SELECT n FROM t") { try $0.get("n", as: Int.self) } } == [1, 1])
    }
  }

  @Test("a server that accepts no writes is refused, unless the URL allows it")
  func replica() async throws {
    try await withEngine(.postgres) { place in
      guard case .postgres(let url) = place else { return }
      // If an option occurs twice, the last one counts; spaces separate options.
      let readOnly = url + "%20-cdefault_transaction_read_only%3Don"
      var configuration = DatabaseConfiguration.forTests(.postgres(url: readOnly))
      configuration.readers = 1
      let error = await #expect(throws: StorageError.self) {
        _ = try await Database(configuration, logger: Logger(label: "test"))
      }
      #expect(error?.code == .connectionLost)
      #expect(error?.message.contains("read-only") == true)
      configuration.engine = .postgres(url: readOnly + "&target_session_attrs=any")
      let database = try await Database(configuration, logger: Logger(label: "test"))
      #expect(try await database.read { try $0.first("SELECT 1 AS x") { try $0.get("x", as: Int.self) } } == 1)
      await database.close()
    }
  }

  @Test("if one of several hosts does not answer, the next is tried after the time for connecting")
  func severalHosts() async throws {
    // Accepts connections and sends nothing.
    let dead = try #require(DeafListener())
    try await withEngine(.postgres) { place in
      guard case .postgres(let url) = place, let at = url.firstIndex(of: "@") else { return }
      let hosts = url[...at] + "127.0.0.1:\(dead.port)," + url[at...].dropFirst()
      var configuration = DatabaseConfiguration.forTests(.postgres(url: String(hosts)))
      // The host that answers has this long too.
      configuration.connectTimeout = .seconds(30)
      (configuration.readers, configuration.writers) = (1, 1)
      let start = ContinuousClock.now
      let database = try await Database(configuration, logger: Logger(label: "test"))
      try await database.ping()
      #expect(ContinuousClock.now - start < .seconds(200))
      await database.close()
    }
    withExtendedLifetime(dead) {}
  }
}

/// A port of this machine whose connections are never read.
private final class DeafListener {
  private let descriptor: CInt
  let port: UInt16

  init?() {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && listen(descriptor, 8) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    guard isListening else { return nil }
    self.descriptor = descriptor
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit {
    close(descriptor)
  }
}
