import MadangCore

/// Which rows of the audit log are asked for.
public struct AuditQuestion: Sendable {
  /// Milliseconds since 1970; nil for any.
  public var since: Int64?
  /// The first moment that is too late; nil for any.
  public var until: Int64?
  /// Of ``AuditSummary/kinds``; empty for all.
  public var kinds: [String] = []
  /// What an account did, and what was done to it or tried with its address; nil for all.
  public var email: String?
  /// At most so many, the newest.
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
