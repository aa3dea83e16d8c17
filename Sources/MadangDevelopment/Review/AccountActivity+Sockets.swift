extension AccountActivity {
  /// More connections at a time are a finding.
  private static let maxConnections = 4
  /// This many rooms at a time, none of them ever left, are a finding.
  private static let maxRooms = 5

  var connectionsLeaked: ReviewFinding? {
    var open: [String: JournalEntry] = [:]
    var surplus: [JournalEntry] = []
    for entry in connections {
      guard let session = entry.session else { continue }
      if entry.event == "opened" { open[session] = entry }
      if entry.event == "closed" { open[session] = nil }
      if entry.event == "opened", open.count > Self.maxConnections { surplus.append(entry) }
    }
    guard !surplus.isEmpty else { return nil }
    return ReviewFinding(
      .connectionsLeaked, of: account,
      "\(counted(surplus.count, "connection")) opened while \(Self.maxConnections) or more were open", surplus)
  }

  var namespacesNotLeft: ReviewFinding? {
    var joins: [String: [String: JournalEntry]] = [:]
    var leaving: Set<String> = []
    for entry in packets {
      guard let session = entry.session, let namespace = entry.namespace, namespace != "/" else { continue }
      switch (entry.packet, entry.direction) {
      case ("connect", "toClient"): joins[session, default: [:]][namespace] = entry
      case ("disconnect", "fromClient"): leaving.insert(session)
      case ("disconnect", "toClient"): joins[session]?[namespace] = nil
      default: break
      }
    }
    let kept = joins.filter { $0.value.count >= Self.maxRooms && !leaving.contains($0.key) }
      .flatMap(\.value.values).sorted { $0.number < $1.number }
    guard !kept.isEmpty else { return nil }
    return ReviewFinding(
      .namespacesNotLeft, of: account, "\(kept.count) rooms joined by one connection, which left none of them", kept)
  }
}
