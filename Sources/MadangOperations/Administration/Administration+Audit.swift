import MadangCore

/// Selects rows of the audit log.
public struct AuditQuestion: Sendable {
  /// The first moment, in milliseconds since 1970; nil for any.
  public var since: Int64?
  /// The first moment after the selected ones; nil for any.
  public var until: Int64?
  /// Of ``AuditSummary/kinds``; empty for all.
  public var kinds: [String] = []
  /// Actions by an account, and actions on it or attempts with its address; nil for all.
  public var email: String?
  /// The largest number of rows, the newest.
  public var limit = 100

  public init() {}
}

extension Administration {
  /// Rows of the audit log, the newest last.
  public func audit(_ question: AuditQuestion) async throws -> [AuditSummary] {
    var filter = AuditFilter()
    filter.since = question.since ?? .min
    filter.until = question.until ?? .max
    filter.kinds = question.kinds.compactMap(AuditKind.init(rawValue:))
    filter.email = question.email
    return try await madang.audit(filter, limit: question.limit).map(AuditSummary.init)
  }
}
