import MadangServer

extension RecordedArchive {
  /// The people to whom tokens belong.
  struct Callers {
    /// By the label of the entry.
    private var people: [String: String] = [:]

    /// - Parameter account: The caller where nothing shows one.
    init(_ entries: [Numbered], _ exchanges: [RecordedExchange], account: String?) {
      let entriesByLabel = Dictionary(
        entries.map { ("entry \($0.number)", $0) }, uniquingKeysWith: { first, _ in first })
      func token(_ exchange: RecordedExchange) -> String? {
        guard let shown = entriesByLabel[exchange.label]?.entry.request.header("authorization"),
          let token = rawToken(shown), !token.utf8.allSatisfy({ $0 == UInt8(ascii: "*") })
        else { return nil }
        return token
      }
      var owners: [String: String] = [:]
      for exchange in exchanges where exchange.hasSucceeded {
        guard let email = exchange.ownEmail else { continue }
        if exchange.signsIn {
          let made = exchange.answer?["token"]?.text("accessToken") ?? exchange.answer?.text("accessToken")
          if let made { owners[made] = email }
        } else if ["me", "editMe", "editPicture"].contains(exchange.operation), let token = token(exchange) {
          owners[token] = email
        }
      }
      for exchange in exchanges where exchange.operation == "refresh" {
        if let old = token(exchange), let made = exchange.answer?.text("accessToken"), let owner = owners[old] {
          owners[made] = owner
        }
      }
      var last: String?
      for exchange in exchanges {
        let entry = entriesByLabel[exchange.label]?.entry
        if exchange.signsIn, exchange.hasSucceeded {
          last = exchange.ownEmail ?? last
          people[exchange.label] = last
          continue
        }
        if !exchange.match.operation.template.hasPrefix("/v1/users/validation") {
          let shown = token(exchange)
          people[exchange.label] =
            entry?.account ?? shown.flatMap { owners[$0] } ?? (shown == nil ? last : nil) ?? account
        }
      }
    }

    func person(of exchange: RecordedExchange) -> String? { people[exchange.label] }
  }
}
