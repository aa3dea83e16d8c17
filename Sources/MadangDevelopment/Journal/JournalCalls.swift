import Foundation
import HTTPTypes
import Hummingbird
import MadangServer
import NIOCore
import Synchronization

/// Calls about the journal: `/_dev/journal`.
struct JournalCalls: Sendable {
  let journal: Journal
  let people: People
  let waits: Waits

  /// The answer; nil if the path is none of these.
  func respond(to call: DevelopmentCall) async throws -> Response? {
    switch (call.method, call.path) {
    case (.get, ["journal"]): return try await list(call)
    case (.post, ["journal"]):
      return try await call.answer {
        try await change(call)
        return Summary(journal)
      }
    case (.delete, ["journal"]): return try await call.done { journal.clear() }
    default: return nil
    }
  }

  // MARK: Settings

  private struct Change: CallFields {
    static let names = CodingKeys.allCases.map(\.rawValue)
    static let whole = "the journal's settings"

    let packets: Bool?
    let entries: Int?
    let bytes: Int?

    private enum CodingKeys: String, CodingKey, CaseIterable {
      case packets, entries, bytes
    }
  }

  private struct Summary: Encodable {
    let packets: Bool
    let entries: Int
    let bytes: Int
    let from: Int
    let last: Int

    init(_ journal: Journal) {
      packets = journal.recordsPackets
      let limits = journal.limits
      (entries, bytes) = (limits.entries, limits.bytes)
      (from, last) = journal.state.withLock { ($0.first, $0.last) }
    }
  }

  private func change(_ call: DevelopmentCall) async throws {
    let change = try await call.body(Change.self)
    var limits = journal.limits
    if let entries = change.entries {
      limits.entries = try checked(entries, Journal.Limits.entriesRange, of: "entries")
    }
    if let bytes = change.bytes { limits.bytes = try checked(bytes, Journal.Limits.bytesRange, of: "bytes") }
    journal.limits = limits
    if let packets = change.packets { journal.recordsPackets = packets }
  }

  private func checked(_ number: Int, _ range: ClosedRange<Int>, of field: String) throws(BadCall) -> Int {
    guard range.contains(number) else {
      throw BadCall("\(field): a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  // MARK: Entries

  private enum Parameter: String, CaseIterable {
    case after, limit, count, wait, format
  }

  private enum Format: String, CaseIterable {
    case json, ndjson, har
  }

  private func list(_ call: DevelopmentCall) async throws -> Response {
    let fields = JournalFilter.Field.allCases.filter { $0 != .body && $0 != .answer }
    try call.refuseQuery(besides: fields.map(\.rawValue) + Parameter.allCases.map(\.rawValue))
    var values: [String: String] = [:]
    for (name, value) in call.request.uri.queryParameters { values[String(name)] = String(value) }
    var filter = JournalFilter()
    for field in fields { filter[field] = values[field.rawValue] }
    try await people.spellOut(&filter.account)
    var question = Journal.Question(pattern: try JournalPattern(filter))
    question.after = try number(.after, values, 0...Int.max) ?? 0
    question.limit = try number(.limit, values, 1...Journal.maxPage) ?? Journal.page
    question.count = try number(.count, values, 0...Journal.maxPage) ?? 1
    guard question.count <= question.limit else {
      throw BadCall("count: at most \(question.limit), the limit of entries in one answer; raise 'limit' for more")
    }
    question.wait = try Wait.time(call)
    let name = values[Parameter.format.rawValue] ?? Format.json.rawValue
    guard let format = Format(rawValue: name) else {
      throw BadCall("format: one of \(Format.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    let page = try await page(question, call)
    switch format {
    case .json: return try .development(page)
    case .ndjson: return .lines(try DevelopmentJSON.lines(page.entries))
    case .har: return try .development(journal.har(of: page.entries, origin: "http://\(call.authority)"))
    }
  }

  private func page(_ question: Journal.Question, _ call: DevelopmentCall) async throws -> Journal.Page {
    guard question.wait > .zero else { return try await journal.page(question) }
    return try await waits.wait(call) { try await journal.page(question) }
  }

  private func number(
    _ parameter: Parameter, _ values: [String: String], _ range: ClosedRange<Int>
  ) throws(BadCall) -> Int? {
    guard let text = values[parameter.rawValue] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      let most = range.upperBound == .max ? "" : " to \(range.upperBound)"
      throw BadCall("\(parameter.rawValue): a whole number from \(range.lowerBound)\(most)")
    }
    return number
  }
}

extension Response {
  fileprivate static func lines(_ lines: Data) -> Response {
    Response(
      status: .ok, headers: [.contentType: "application/x-ndjson", .cacheControl: "no-store"],
      body: .init(byteBuffer: ByteBuffer(bytes: lines)))
  }
}
