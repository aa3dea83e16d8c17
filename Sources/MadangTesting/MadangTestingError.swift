import MadangAPI
import MadangDevelopment
import MadangServer

/// Why a world could not be made or used, in words.
public struct MadangTestingError: Error, CustomStringConvertible, Sendable {
  public let description: String
  /// The code of the newest edition, where the server's rules forbade it.
  public let code: String?

  init(description: String, code: String? = nil) { (self.description, self.code) = (description, code) }

  /// Runs `body`. Throws ``MadangTestingError`` with the words of any error.
  static func wording<Outcome>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Outcome
  ) async throws(MadangTestingError) -> Outcome {
    do { return try await body() } catch { throw of(error) }
  }

  /// The same for what does not wait.
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
