import MadangAPI
import MadangCore
import MadangServer

extension Journal {
  /// What clients did after an entry.
  /// - Throws: ``BadCall`` if the number is too high, or if later entries are gone already.
  func recordable(after number: Int) async throws(BadCall) -> (
    exchanges: [RecordedExchange], sightings: [Recorder.Sighting], unknown: Int, start: Int64
  ) {
    try check(after: number)
    let view = entries(after: 0)
    guard view.dropped <= number else {
      throw BadCall(
        "after: the journal has dropped entries up to \(view.dropped), beyond its limits; raise them with POST /_dev/journal before you record"
      )
    }
    await nameAccounts(in: view.entries)
    let told = view.entries.sorted { ($0.begun, $0.number) < ($1.begun, $1.number) }
    var (exchanges, sightings, unknown) = ([RecordedExchange](), [Recorder.Sighting](), 0)
    for raw in told {
      let entry = self.told(raw)
      let isEarlier = entry.number <= number
      if entry.kind == .request, entry.longPolling == nil {
        if var exchange = RecordedExchange(entry, at: raw.at) {
          exchange.isEarlier = isEarlier
          exchanges.append(exchange)
        } else if !isEarlier {
          unknown += 1
        }
      } else if var sighting = Recorder.Sighting(entry) {
        sighting.isEarlier = isEarlier
        sightings.append(sighting)
      }
    }
    let start = told.first { $0.number > number }?.at ?? clock.now
    return (exchanges, sightings, unknown, start)
  }
}

extension RecordedExchange {
  /// Nil if the request is no call of the API.
  init?(_ entry: JournalEntry, at moment: Int64) {
    guard let path = entry.path, let method = entry.method,
      let edition = entry.edition.flatMap(EditionName.init(rawValue:))
    else { return nil }
    var segments = RequestTarget(path).segments
    // Pages of this server make calls below their own path.
    if let version = segments.firstIndex(where: { ["v1", "v2"].contains($0) }) { segments.removeFirst(version) }
    guard let match = DocumentedEdition.of(edition)?.operation(method, segments) else { return nil }
    var body = RecordedBody()
    if let parts = entry.request?.parts {
      for part in parts {
        body.add(
          part.name, text: part.text, isFile: part.fileName != nil,
          isWhole: part.fileName != nil || part.text?.utf8.count == part.size || part.text == Secrets.mask)
      }
    } else if let text = entry.request?.body {
      body = RecordedBody(text, isWhole: !(entry.request?.truncated ?? false))
    }
    let answer = entry.answer?.truncated ?? false ? nil : entry.answer?.body.flatMap { JSONValue(text: $0) }
    self.init(
      label: "entry \(entry.number)", person: entry.account, edition: edition, match: match, segments: segments,
      body: body, status: entry.status, answer: answer, time: entry.elapsed, moment: moment,
      isReplaced: entry.status == nil && ["reset", "restart"].contains(entry.fault?.kind))
  }
}

extension Recorder.Sighting {
  /// Nil if the entry is no chat that a client received.
  fileprivate init?(_ entry: JournalEntry) {
    guard entry.kind == .packet, entry.direction == "toClient", entry.truncated == nil, let payload = entry.payload,
      ["channel", "dm"].contains(entry.event), let json = JSONValue(text: payload)
    else { return nil }
    self.init(json: json, time: entry.elapsed, edition: .ofIDs(in: json), person: entry.account)
  }
}

extension EditionName {
  /// The edition of a chat: one of 2024-01 has numbers as ids.
  static func ofIDs(in json: JSONValue) -> EditionName {
    var edition = EditionName.october2024
    SeenObject.each(in: json, workspace: nil) { object in
      if case .person(let id, _) = object, Int64(id) != nil { edition = .january2024 }
    }
    return edition
  }
}
