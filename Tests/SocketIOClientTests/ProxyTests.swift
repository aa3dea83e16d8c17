import NIOCore
import NIOPosix
import SocketIOSupport
import Testing

@testable import SocketIOClient

@Suite("Proxies", .timeLimit(.minutes(5)))
struct ProxyTests {
  @Test("connections use a proxy, and send it a name and a password", arguments: ClientMode.allCases)
  func proxy(mode: ClientMode) async throws {
    try await Rig.withTLS { rig, front in
      // mina:p:w
      try await Relay.with(.proxy(credentials: "bWluYTpwOnc=")) { (proxy) async throws in
        for url in [rig.url, "https://localhost:\(front.port)"] {
          let through = try await rig.outcome(url, mode) { configuration in
            configuration.tls.roots = .pem(Certificates.ca)
            configuration.proxy = try SocketIOClient.Proxy(url: "http://mina:p%3Aw@127.0.0.1:\(proxy.port)")
          }
          #expect(through == nil)
          #expect(!proxy.requests("CONNECT \(url.split(separator: "/").last ?? "") HTTP/1.1").isEmpty)
        }
        let nameless = try await rig.outcome(rig.url, mode) {
          $0.proxy = try SocketIOClient.Proxy(url: "http://127.0.0.1:\(proxy.port)")
        }
        #expect(nameless == .proxy("it asks for a name and a password (HTTP 407)"))
      }
    }
  }

  @Test("an error of a proxy is not reported as an error of the server", arguments: ClientMode.allCases)
  func badProxy(mode: ClientMode) async throws {
    try await Rig.with { (rig) async throws in
      let nobody = try await rig.outcome(rig.url, mode) {
        $0.proxy = try SocketIOClient.Proxy(url: "http://127.0.0.1:1")
      }
      #expect(nobody == .proxy("it cannot be reached: connection refused"))
      // The Socket.IO server is no proxy.
      let other = try await rig.outcome(rig.url, mode) {
        $0.proxy = try SocketIOClient.Proxy(url: rig.url)
      }
      guard case .proxy = other else {
        Issue.record("\(String(describing: other))")
        return
      }
    }
  }

  @Test(
    "a proxy with another answer opens no connection, and waiting for it ends in time",
    arguments: [
      "", "garbage\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nyes",
      "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
    ], [ClientMode.polling, .webSocket])
  func strangeProxy(answer: String, mode: ClientMode) async throws {
    try await Rig.with { (rig) async throws in
      try await Relay.with(.answering(answer)) { (relay) async throws in
        let failure = try await rig.outcome(rig.url, mode) { configuration in
          configuration.connectTimeout = .milliseconds(300)
          configuration.proxy = try SocketIOClient.Proxy(url: "http://127.0.0.1:\(relay.port)")
        }
        #expect(failure != nil)
      }
    }
  }

  @Test(
    "a client that is closed, or whose task is cancelled, does not wait for a proxy that never answers",
    arguments: [ClientMode.polling, .webSocket], [true, false])
  func silentProxy(mode: ClientMode, isCancelled: Bool) async throws {
    try await Relay.with(.answering("")) { (relay) async throws in
      var configuration = SocketIOClient.Configuration.quick
      configuration.transports = mode.transports
      configuration.connectTimeout = .seconds(360)
      configuration.proxy = try SocketIOClient.Proxy(url: "http://127.0.0.1:\(relay.port)")
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      let client = try SocketIOClient(
        url: "http://127.0.0.1:1", configuration: configuration, logger: .silent, on: group)
      let running = Task { await client.run() }
      while !relay.heard.hasSuffix("\r\n\r\n") { try await Task.sleep(for: .milliseconds(1)) }
      // Returns within the time limit, although there is no answer.
      if isCancelled { running.cancel() } else { await client.close() }
      await running.value
      try await group.shutdownGracefully()
    }
  }
}
