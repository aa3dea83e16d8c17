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
  /// Rows about the account with this number, also after its deletion; nil for all.
  public var account: Int64?
  /// The largest number of rows, the newest.
  public var limit = 100

  public init() {}

  var filter: AuditFilter {
    var filter = AuditFilter()
    filter.since = since ?? .min
    filter.until = until ?? .max
    filter.kinds = kinds.compactMap(AuditKind.init(rawValue:))
    (filter.email, filter.account) = (email, account)
    return filter
  }
}

extension Administration {
  /// Rows of the audit log, the newest last.
  public func audit(_ question: AuditQuestion) async throws -> [AuditSummary] {
    try await madang.audit(question.filter, limit: question.limit).map(AuditSummary.init)
  }

  /// One page of the audit log, the newest row first.
  /// - Parameters:
  ///   - part: A part of the subject, ignoring case, or the whole address of an account; empty for any.
  ///   - number: Only rows that are older than this one; nil for the first page.
  package func auditPage(
    _ question: AuditQuestion, about part: String, before number: Int64?
  ) async throws -> SearchedPage<AuditSummary> {
    var filter = question.filter
    filter.before = number
    return SearchedPage(try await madang.auditPage(filter, about: part, limit: question.limit), AuditSummary.init)
  }
}
