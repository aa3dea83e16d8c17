import MadangServer

extension AccountActivity {
  /// The longest time between a call and its repetition, in milliseconds.
  private static let repetition = 60_000.0

  var repeatedUploads: [ReviewFinding] {
    repeated(
      calls.filter {
        $0.method != "GET" && $0.wasCarriedOut && $0.request?.parts?.contains { $0.fileName != nil } ?? false
      }
    )
    .map { ReviewFinding(.sameUploadTwice, of: account, "the same files to \($0[0].path ?? "") \($0.count) times", $0) }
  }

  /// A post that was carried out although its answer did not reach the client, and that was sent again.
  var doubledPosts: [ReviewFinding] {
    let posts = calls.filter {
      ["postToChannel", "postToDirectMessage"].contains($0.operation) && $0.wasCarriedOut
    }
    return repeated(posts).filter { $0.dropLast().contains(where: \.isUnknownToClient) }.map {
      ReviewFinding(
        .doubledPost, of: account, "the same chat to \($0[0].path ?? "") \($0.count) times: the room has it that often",
        $0)
    }
  }

  /// Calls with equal bodies to one path, each soon after the previous one.
  private func repeated(_ calls: [JournalEntry]) -> [[JournalEntry]] {
    var groups: [[JournalEntry]] = []
    for calls in Dictionary(grouping: calls, by: Sending.init).values {
      var group: [JournalEntry] = []
      for call in calls {
        if let last = group.last, call.distance(from: last) > Self.repetition {
          groups.append(group)
          group = []
        }
        group.append(call)
      }
      groups.append(group)
    }
    return groups.filter { $0.count > 1 }.sorted { $0[0].number < $1[0].number }
  }

  /// By bytes, because clients choose the texts: comparing texts that differ only in the order of many marks on one letter
  /// takes quadratic time.
  private struct Sending: Hashable {
    let path: [UInt8]?
    let body: [UInt8]?
    let size: Int?
    let parts: [[UInt8]]

    init(_ call: JournalEntry) {
      path = call.path.map { Array($0.utf8) }
      body = call.request?.body.map { Array($0.utf8) }
      let parts = call.request?.parts
      self.parts = parts?.map { Array("\($0.name) \($0.fileName ?? "") \($0.size) \($0.text ?? "")".utf8) } ?? []
      // The multipart boundary differs each time.
      size = parts == nil ? call.request?.size : nil
    }
  }
}

extension JournalEntry {
  /// Faults that let the operation happen without an answer to the client.
  private static let hidingFaults: Set<String> = [
    "answerLost", "cut", "malformedJSON", "contentType", "drip", "latency",
  ]

  fileprivate var wasCarriedOut: Bool { status == 200 || isUnknownToClient }

  fileprivate var isUnknownToClient: Bool {
    guard let fault else { return status == nil }
    return Self.hidingFaults.contains(fault.kind) && (status == nil || status == 200)
  }
}
