import MadangAPI
import MadangDevelopment
import MadangServer

/// Why a world could not be created or used.
public struct MadangTestingError: Error, CustomStringConvertible, Sendable {
  public let description: String
  /// The error code in the newest edition, if the server's rules forbade the call.
  public let code: String?

  init(description: String, code: String? = nil) { (self.description, self.code) = (description, code) }

  /// Runs `body`. Throws any error as ``MadangTestingError`` with the same message.
  static func wording<Outcome>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Outcome
  ) async throws(MadangTestingError) -> Outcome {
    do { return try await body() } catch { throw of(error) }
  }

  /// Runs a synchronous `body`. Throws any error as ``MadangTestingError`` with the same message.
  static func wording<Outcome>(_ body: () throws -> Outcome) throws(MadangTestingError) -> Outcome {
    do { return try body() } catch { throw of(error) }
  }

  private static func of(_ error: any Error) -> MadangTestingError {
    switch error {
    case let error as MadangTestingError: error
    case let error as BadCall: MadangTestingError(description: error.error)
    case let error as Refused: MadangTestingError(description: error.message, code: error.code.rawValue)
    default: MadangTestingError(description: "\(error)")
    }
  }
}
