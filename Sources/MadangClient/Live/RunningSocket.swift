import MadangAPI
import SocketIOClient

/// A Socket.IO client that runs as long as this object exists.
final class RunningSocket: Sendable {
  let client: SocketIOClient
  private let task: Task<Void, Never>

  init(_ configuration: MadangClient.Configuration) throws {
    var settings = SocketIOClient.Configuration()
    settings.connectTimeout = configuration.connectTimeout
    settings.backoff = configuration.backoff
    settings.tls.additionalRoots = configuration.authorities?.roots
    settings.maxWaitingUpdates = configuration.maxWaitingEvents
    let client = try SocketIOClient(url: configuration.server, configuration: settings)
    self.client = client
    // Unstructured, because an iterator is not a scope: the task ends with this object.
    task = Task { await client.run() }
  }

  deinit { task.cancel() }
}

/// The payload of a CONNECT to a room's namespace (wire contract, Socket access).
struct SocketCredentials: Encodable {
  let apiKey: String
  let token: String

  private enum CodingKeys: String, CodingKey {
    case apiKey = "SesacKey"
    case token
  }
}
