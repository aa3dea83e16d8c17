import Foundation
import MadangAPI
import MadangCore
import MadangServer
import NIOCore

extension RecordedArchive {
  /// An entry with its place in the archive, from 1.
  struct Numbered {
    let entry: ForeignHAR.Entry
    let number: Int
    /// In real milliseconds since 1970.
    let time: Double
    /// The segments of the path from its version on; nil if it has none.
    let segments: [String]?
    let answer: JSONValue?

    init(_ entry: ForeignHAR.Entry, _ number: Int) throws(WorldError) {
      (self.entry, self.number) = (entry, number)
      guard let moment = TimeText.date(entry.startedDateTime) else {
        throw WorldError("entry \(number): startedDateTime is no date like 2026-01-05T09:00:00.000Z")
      }
      time = Double(moment)
      segments = Self.segments(of: entry.request.url)
      let text = ForeignHAR.text(entry.response.content?.text, entry.response.content?.encoding)
      answer = text.flatMap { JSONValue(text: $0) }
    }

    private static func segments(of url: String) -> [String]? {
      // By bytes, because a combining mark after a sign makes another character.
      let bytes = Array(url.utf8)
      let scheme = Array("://".utf8)
      var path = bytes[...]
      if let sign = bytes.indices.first(where: { bytes[$0...].starts(with: scheme) }), sign < 12 {
        path = bytes[(sign + scheme.count)...].drop { $0 != UInt8(ascii: "/") }
      }
      let segments = RequestTarget(String(decoding: path, as: UTF8.self)).segments
      guard let version = segments.firstIndex(where: { $0 == "v1" || $0 == "v2" }) else { return nil }
      return Array(segments[version...])
    }

    var isSocket: Bool {
      !entry.messages.isEmpty || entry.response.status == 101 || entry.request.url.hasPrefix("ws")
        || entry.request.url.contains("/socket.io/")
    }

    /// The editions that have such a call.
    var editions: [EditionName] {
      guard let segments else { return [] }
      return EditionName.allCases.filter { match(segments, $0) != nil }
    }

    /// What the ids show.
    var editionOfIDs: EditionName? {
      if let name = entry.edition.flatMap(EditionName.init(rawValue:)) { return name }
      if let segments, segments.count > 2, ["workspaces", "users"].contains(segments[1]) {
        if Int64(segments[2]) != nil { return .january2024 }
        if segments[2].utf8.count == 36, segments[2].contains("-") { return .october2024 }
      }
      var found: EditionName?
      SeenObject.each(in: answer ?? .null, workspace: nil) { object in
        guard found == nil else { return }
        switch object {
        case .person(let id, _), .workspace(let id, _), .channel(let id, _, _, _), .room(let id, _, _, _):
          found = Int64(id) != nil ? .january2024 : .october2024
        case .chat: break
        }
      }
      return found
    }

    private func match(_ segments: [String], _ edition: EditionName) -> DocumentedEdition.Match? {
      DocumentedEdition.of(edition)?.operation(entry.request.method.uppercased(), segments)
    }

    /// - Parameter mostly: The edition of calls that both have.
    func exchange(_ mostly: EditionName) -> RecordedExchange? {
      guard let segments, !isSocket, entry.request.method.utf8.count < 10 else { return nil }
      let shown = editionOfIDs ?? mostly
      let candidates = editions
      guard let edition = candidates.contains(shown) ? shown : candidates.first, let match = match(segments, edition)
      else { return nil }
      let status = entry.response.status.flatMap { $0 > 0 ? $0 : nil }
      return RecordedExchange(
        label: "entry \(number)", person: nil, edition: edition, match: match, segments: segments, body: body,
        status: status, answer: answer, time: time, moment: nil,
        isReplaced: status == nil && ["reset", "restart"].contains(entry.fault))
    }

    private var body: RecordedBody {
      guard let data = entry.request.body else { return RecordedBody() }
      let type = data.mimeType ?? entry.request.header("content-type") ?? ""
      var body = RecordedBody()
      let text = ForeignHAR.text(data.text, data.encoding)
      if type.lowercased().hasPrefix("multipart/"), let text, !text.isEmpty {
        var record = BodyRecord(contentType: type)
        record.add(ByteBuffer(string: text))
        for part in record.parts {
          body.add(
            part.name, text: part.text.map { String(decoding: $0, as: UTF8.self) }, isFile: part.fileName != nil,
            isWhole: part.fileName != nil || part.text?.count == part.size)
        }
        if !record.parts.isEmpty { return body }
      }
      if let text, !text.isEmpty, !type.lowercased().hasPrefix("multipart/") { return RecordedBody(text) }
      for parameter in data.params ?? [] {
        let isForm = type.lowercased().hasPrefix("application/x-www-form-urlencoded")
        let value = parameter.value.map { isForm ? percentDecoded($0.utf8, plusIsBlank: true) : $0 }
        body.add(parameter.name, text: value, isFile: !(parameter.fileName ?? "").isEmpty)
      }
      return body
    }

    /// Chats that came over a WebSocket, in `42/namespace,["channel",{...}]`.
    var sightings: [Recorder.Sighting] {
      entry.messages.compactMap { message in
        guard message.type == "receive", message.data.hasPrefix("42"),
          message.time.isFinite, let start = message.data.utf8.firstIndex(of: UInt8(ascii: "[")),
          let json = JSONValue(text: String(Substring(message.data.utf8[start...])))
        else { return nil }
        return Recorder.Sighting(
          json: json, time: message.time * 1000, edition: .ofIDs(in: json), person: entry.account)
      }
    }

    /// The header `Date` less the entry's own time.
    var clockDifference: Double? {
      guard segments != nil, let text = entry.response.date, let date = Self.httpDate(text) else { return nil }
      // The header has whole seconds.
      let difference = Double(date) - time
      return abs(difference) < 120_000 ? 0 : difference
    }

    /// `Mon, 05 Jan 2026 09:00:00 GMT`.
    private static func httpDate(_ text: String) -> Int64? {
      let parts = text.split(separator: " ")
      guard parts.count == 6, let month = WireDate.months.firstIndex(of: String(parts[2])) else { return nil }
      let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
      return TimeText.date("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")
    }
  }
}

extension [RecordedArchive.Numbered] {
  /// The edition that most entries show, by ids, or by a path that only one edition has.
  var mostCommonEdition: EditionName {
    var difference = 0
    for one in self {
      let editions = one.editions
      guard let edition = one.editionOfIDs ?? (editions.count == 1 ? editions[0] : nil) else { continue }
      difference += edition == .january2024 ? -1 : 1
    }
    return difference < 0 ? .january2024 : .october2024
  }
}
