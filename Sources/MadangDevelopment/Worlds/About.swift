import MadangAPI
import MadangOperations
import MadangServer

/// What a client's settings need of a server.
struct About: Encodable, Sendable {
  /// The address for programs on other machines, if they reach this one.
  let url: String
  /// The API keys by their editions.
  let keys: [String: String]
  /// Whether the chat for browsers is on, and signs a browser in as a person.
  let chat: Bool
  /// Nil at a server that is no world.
  let world: WorldSummary?

  /// - Parameter address: The server's address in URLs.
  init(_ server: MadangServer, at address: String) async throws {
    let scheme = server.settings.tls.isUsed ? "https" : "http"
    url = "\(scheme)://\(address):\(try await server.port)"
    let own = server.settings.keys
    keys = (own.isEmpty ? EditionName.developmentKeys : own).byEdition
    chat = server.chatPages != nil
    world = nil
  }

  init(_ world: World) {
    let summary = WorldSummary(world)
    chat = world.server.chatPages != nil
    (url, keys, self.world) = (summary.url, summary.keys, summary)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(url, forKey: .url)
    try container.encode(keys, forKey: .keys)
    try container.encode(chat, forKey: .chat)
    // Null if absent, so that readers find all keys.
    try container.encode(world, forKey: .world)
  }

  private enum CodingKeys: CodingKey {
    case url, keys, chat, world
  }
}

extension [String: EditionName] {
  /// A key of each edition, by the edition's name.
  var byEdition: [String: String] {
    [String: String](map { ($1.rawValue, $0) }, uniquingKeysWith: { Swift.min($0, $1) })
  }
}
