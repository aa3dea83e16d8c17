import SocketIOClient
import SocketIOProtocol

/// The client's side, for tests against other servers: each event is returned, as its acknowledgement if one is expected, otherwise as
/// `echo-back`.
enum EchoClient {
  /// Joins `/echo` over each transport in turn: with `{"token":"bad"}`, which the server must refuse, then with `{"token":"good"}`, until
  /// the server disconnects it.
  static func run(at url: String, _ parser: SocketParser) async throws {
    for transports in [[EngineTransport.webSocket], [.polling], [.polling, .webSocket]] {
      var configuration = SocketIOClient.Configuration()
      configuration.parser = parser
      configuration.transports = transports
      configuration.maxAttempts = 0
      let client = try SocketIOClient(url: url, configuration: configuration)
      async let running: Void = client.run()
      do { try await client.connect(to: "/echo", auth: ["token": "bad"]) } catch SocketIOError.refused {}
      let events = await client.allEvents(in: "/echo")
      try await client.connect(to: "/echo", auth: ["token": "good"])
      for try await event in events {
        if event.id == nil {
          try await client.emit("echo-back", event.arguments, in: "/echo")
        } else {
          try await client.acknowledge(event, with: event.arguments, in: "/echo")
        }
      }
      await client.close()
      await running
    }
  }
}
