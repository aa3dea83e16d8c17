import Foundation
import MadangCore
import Storage

/// Why an administrator's operation was refused, in words.
public struct AdministrationError: Error, CustomStringConvertible {
  /// The reasons that a program distinguishes.
  package enum Reason: Sendable {
    case notFound, duplicate, held, mustHandOver
    /// The database is in read-only mode.
    case readOnly
    /// No mails are sent.
    case noMail
    /// Registration is closed, so an invitation has no effect.
    case closed
    case other
  }

  package let reason: Reason
  /// The domain's reason, for programs that have words of their own; nil if there is none.
  package let kind: String?
  public let description: String

  init(_ reason: Reason = .other, kind: Failure.Code? = nil, description: String) {
    (self.reason, self.description) = (reason, description)
    self.kind = kind?.rawValue ?? (reason == .other ? nil : "\(reason)")
  }
}

extension AdministrationError.Reason {
  init(_ code: Failure.Code) {
    self =
      switch code {
      case .notFound, .noSuchUser, .noSuchInvitee, .noSuchSession: .notFound
      case .duplicate: .duplicate
      case .held: .held
      case .mustHandOver: .mustHandOver
      default: .other
      }
  }
}

extension Administration {
  /// Runs `body`, and turns errors of the domain and of the database into words for administrators.
  package func explainingErrors<Result>(_ body: (Administration) async throws -> Result) async throws -> Result {
    do { return try await body(self) } catch let failure as Failure {
      throw AdministrationError(.init(failure.code), kind: failure.code, description: failure.message)
    } catch let error as StorageError where error.code == .writesStopped {
      throw AdministrationError(
        .readOnly,
        description:
          "the database is in read-only mode, so it cannot be changed; end that mode with 'madang admin read-only off'")
    } catch let error as StorageError where error.code == .serialization {
      throw AdministrationError(
        description:
          "another transaction keeps the database locked; try again"
          + (settings.database.url == nil
            ? ", and make sure that no other program writes to the database"
            : "; if that does not help, find the transaction in PostgreSQL's pg_stat_activity and end it with pg_terminate_backend")
      )
    }
  }
}

extension Administrator {
  /// The system account of this process.
  static var ofThisProcess: Administrator { Administrator(name: NSUserName()) }
}
