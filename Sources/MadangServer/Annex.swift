import HTTPTypes
import MadangAPI
import MadangOperations

/// What another target answers beside the API, such as pages for browsers. It is asked first.
package protocol Annex: Sendable {
  /// Nil if the request is not for it.
  func answer(_ received: ReceivedRequest) async throws -> Answer?

  /// The call of an edition that a request stands for; nil if it is none.
  func call(in head: HTTPRequest) -> AnnexCall?
}

/// A call of an edition, made without its key.
package struct AnnexCall: Sendable {
  let edition: EditionName
  /// As clients with a key would ask for it.
  let path: [String]
  /// The refresh token of the session; nil if the request shows none.
  let token: String?

  package init(_ edition: EditionName, path: [String], token: String?) {
    (self.edition, self.path, self.token) = (edition, path, token)
  }
}

/// Makes the annex of a server; nil if the settings turn it off.
/// - Parameter key: A secret for the annex alone, the same on all servers of a database.
package typealias AnnexMaker = @Sendable (_ settings: ServerSettings, _ key: [UInt8]) -> (any Annex)?
