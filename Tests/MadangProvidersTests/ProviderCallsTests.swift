import Foundation
import Testing

@testable import MadangProviders

#if canImport(Glibc)
  import Glibc
#endif

@Suite("Calls to providers", .timeLimit(.minutes(5)))
struct ProviderCallsTests {
  /// A listening socket that nobody accepts from. Its queue takes connections, and then no more: their packets are
  /// swallowed.
  private final class Silent {
    private var sockets: [Int32] = []
    let port: UInt16

    /// - Parameter isFull: Whether no connection is taken from the start.
    init(isFull: Bool) throws {
      func socket() -> Int32 { Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let listener = socket()
      sockets = [listener]
      func withAddress(_ body: (UnsafeMutablePointer<sockaddr>) -> Int32) -> Int32 {
        withUnsafeMutablePointer(to: &address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
      }
      try #require(withAddress { bind(listener, $0, size) } == 0)
      try #require(listen(listener, isFull ? 0 : 16) == 0)
      try #require(withAddress { getsockname(listener, $0, &size) } == 0)
      port = UInt16(bigEndian: address.sin_port)
      for _ in 0..<(isFull ? 4 : 0) {
        let other = socket()
        sockets.append(other)
        _ = withAddress { connect(other, $0, size) }
      }
    }

    deinit { for socket in sockets { close(socket) } }
  }

  @Test(
    "a call without an answer is told apart from one without a connection",
    arguments: [(false, true), (true, false)])
  func unanswered(_ isFull: Bool, _ expected: Bool) async throws {
    let silent = try Silent(isFull: isFull)
    let calls = ProviderCalls(timeout: .seconds(30))
    let error = await #expect(throws: (any Error).self) {
      _ = try await calls.post("http://127.0.0.1:\(silent.port)/", Array("{}".utf8))
    }
    #expect((error is ProviderCalls.Unanswered) == expected)
    withExtendedLifetime(silent) {}
  }
}
