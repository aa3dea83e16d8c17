import HTTPTypes
import MadangOperations
import MadangServer

/// The pages of a server as its annex: the chat, the administrator's console, or both.
package struct WebPages: Annex {
  /// Nil if the settings turn it off.
  package let chat: WebChat?
  private let parts: [any Annex]

  /// Nil if the settings turn all of them off.
  init?(_ settings: ServerSettings, key: [UInt8]) {
    let admin: (any Annex)? = AdminConsole(settings, key: key)
    chat = WebChat(settings, key: key)
    parts = [admin, chat].compactMap(\.self)
    if parts.isEmpty { return nil }
  }

  package func answer(_ received: ReceivedRequest) async throws -> Answer? {
    for part in parts {
      if let answer = try await part.answer(received) { return answer }
    }
    return nil
  }

  package func call(in head: HTTPRequest) -> AnnexCall? { parts.lazy.compactMap { $0.call(in: head) }.first }
}

/// The pages for browsers as a part of a server.
package let webPages: AnnexMaker = { WebPages($0, key: $1) }
