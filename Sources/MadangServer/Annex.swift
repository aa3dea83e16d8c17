import MadangOperations

/// What another target answers beside the API, such as pages for browsers. It is asked first.
package protocol Annex: Sendable {
  /// Nil if the request is not for it.
  func answer(_ received: ReceivedRequest) async throws -> Answer?
}

/// Makes the annex of a server; nil if the settings turn it off.
/// - Parameter key: A secret for the annex alone, the same on all servers of a database.
package typealias AnnexMaker = @Sendable (_ settings: ServerSettings, _ key: [UInt8]) -> (any Annex)?
