import Foundation
import MadangAPI
import MadangOperations

/// Calls of the administrator's console about the audit log, files and mails.
enum RecordAdminCalls {
  static func add(to routes: inout AdminRoutes) {
    struct Entries: Encodable {
      let entries: [AuditSummary]
      let next: Int64?
      let kinds: [String]
    }
    routes.on(.get, "audit") { call in
      var question = AuditQuestion()
      if let kind = try call.text("kind") {
        guard AuditSummary.kinds.contains(kind) else { throw AdminRefusal.refused("kind: there is no kind '\(kind)'") }
        question.kinds = [kind]
      }
      question.since = try call.text("since").map { try AdminCall.moment($0, "since") }
      question.account = try call.integer("number", in: 1...Int64.max)
      question.limit = try call.limit()
      let page = try await call.administration.auditPage(
        question, about: try call.text("account") ?? "", before: try call.integer("before"))
      return Entries(entries: page.elements, next: page.next, kinds: AuditSummary.kinds)
    }
    routes.on(.get, "files") { try await $0.administration.files() }
    routes.on(.get, "mails") { try await $0.administration.mails() }
  }
}

extension AdminCall {
  /// A date like `2026-11-24`, or a moment like `2026-11-24T10:00:00.000Z`, in milliseconds since 1970.
  static func moment(_ text: String, _ key: String) throws -> Int64 {
    let moment = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    let day = Date.ISO8601FormatStyle().year().month().day()
    guard text.utf8.count <= 40,
      let date = (try? moment.parse(text)) ?? (try? Date(text, strategy: .iso8601)) ?? (try? day.parse(text))
    else { throw AdminRefusal.refused("\(key): write a date like 2026-11-24 or 2026-11-24T10:00:00Z") }
    return Int64((date.timeIntervalSince1970 * 1000).rounded())
  }
}
