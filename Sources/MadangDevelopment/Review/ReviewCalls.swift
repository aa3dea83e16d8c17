import Hummingbird
import MadangCore
import MadangServer

/// `GET /_dev/review`: of all clients, or with `account` of one person's clients; optionally only entries after `after`.
struct ReviewCalls: Sendable {
  let journal: Journal
  let people: People

  /// The answer; nil if the call is another one.
  func respond(to call: DevelopmentCall) async throws -> Response? {
    guard call.method == .get, call.path == ["review"] else { return nil }
    return try await call.answer("account", "after") {
      guard let after = Int(call.query("after") ?? "0"), after >= 0 else {
        throw BadCall("after: a whole number from 0")
      }
      var account = call.query("account")
      // An unknown account is refused: no findings would look like a good client.
      if let name = account { account = try await people.person(name).email }
      return try await journal.review(of: account, after: after)
    }
  }
}

extension Journal {
  /// Habits of clients in the journal that will fail in production.
  ///
  /// - Parameters:
  ///   - account: Only findings about this person's clients, by e-mail, and about unknown clients.
  ///   - number: Only entries with a higher number.
  package func review(of account: String? = nil, after number: Int = 0) async throws(BadCall) -> Review.Report {
    let page = try await page(matching: JournalFilter(), after: number, limit: limits.entries, count: 0)
    func isWanted(_ one: String?) -> Bool {
      account == nil || one == nil || one?.lowercased() == account?.lowercased()
    }
    let looked = page.entries.count { [.request, .packet, .connection].contains($0.kind) && isWanted($0.account) }
    return Review.Report(
      from: page.from, last: page.last, looked: looked,
      findings: Review.findings(in: page.entries).filter { isWanted($0.account) })
  }
}
