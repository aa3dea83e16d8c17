import Foundation
import MadangAPI
import MadangDevelopment
import MadangServer

/// The record of a world's server: requests with their answers, connections and packets of sockets, notifications, payments.
public struct MadangJournal: Sendable {
  let journal: Journal
  let people: People
  let origin: String

  /// The entries so far, oldest first: 20,000 at most.
  ///
  /// - Parameters:
  ///   - filter: Selects the entries.
  ///   - number: Only entries with a higher number.
  /// - Throws: ``MadangTestingError`` if the filter names something that does not exist.
  public func entries(_ filter: MadangFilter = .all, after number: Int = 0) async throws -> [MadangEntry] {
    try await page(filter, count: 0, after: number, within: .zero).entries.map(MadangEntry.init)
  }

  /// Waits until `count` entries match, so that tests need no sleep.
  ///
  /// - Parameters:
  ///   - number: Only entries with a higher number count.
  ///   - time: In real time, 60 seconds at most.
  /// - Throws: ``MadangTestingError`` if they do not arrive in time, with the place of this call and the newest entries.
  @discardableResult
  public func wait(
    for filter: MadangFilter, count: Int = 1, after number: Int = 0, within time: MadangTime = .seconds(5),
    fileID: String = #fileID, line: Int = #line
  ) async throws -> [MadangEntry] {
    let time = try time.duration(of: "within", limit: Journal.maxWait)
    let page = try await page(filter, count: count, after: number, within: time)
    guard page.complete else {
      let words = "came \(page.entries.count) of \(count) times within \(time): \(filter.filter.words)"
      throw await failure([words], at: fileID, line)
    }
    return page.entries.map(MadangEntry.init)
  }

  /// The most entries in the description of a failure.
  private static let shown = 30

  /// The error of a test that does not find what it expects.
  func failure(_ differences: [String], at fileID: String, _ line: Int) async -> MadangTestingError {
    let newest = await journal.newest(Self.shown)
    let head =
      switch newest.count {
      case 0: "the journal is empty"
      case Self.shown: "the last \(Self.shown) entries of the journal:"
      default: "the journal:"
      }
    let cancelled = Task.isCancelled ? ["the test was cancelled, as by its time limit, before all could come:"] : []
    let place = ["at \(fileID):\(line)", head]
    let lines = cancelled + differences.map(\.inOneLine) + place + newest.map { "  " + $0.line }
    return MadangTestingError(description: lines.joined(separator: "\n"))
  }

  /// The number of the newest entry; later entries have higher numbers.
  public var last: Int { journal.last }

  /// Removes all entries. Numbering continues.
  public func clear() { journal.clear() }

  /// Whether packets of sockets are recorded. All other kinds always are.
  public var recordsPackets: Bool {
    get { journal.recordsPackets }
    nonmutating set { journal.recordsPackets = newValue }
  }

  /// Sets how much is kept: the newest entries, up to this number and this much memory. Values outside the range are clamped.
  ///
  /// - Parameters:
  ///   - entries: 1 to 1,000,000; the default is 20,000.
  ///   - bytes: 65,536 to 1 GiB; the default is 16 MiB.
  public func keep(entries: Int? = nil, bytes: Int? = nil) {
    var limits = journal.limits
    if let entries { limits.entries = entries.clamped(to: Journal.Limits.entriesRange) }
    if let bytes { limits.bytes = bytes.clamped(to: Journal.Limits.bytesRange) }
    journal.limits = limits
  }

  /// The entries as an HTTP archive (HAR), which browsers open.
  /// - Throws: ``MadangTestingError`` if the filter names something that does not exist.
  public func har(_ filter: MadangFilter = .all, after number: Int = 0) async throws -> Data {
    try journal.archive(of: try await page(filter, count: 0, after: number, within: .zero).entries, origin: origin)
  }

  /// The entries as JSON, one per line.
  /// - Throws: ``MadangTestingError`` if the filter names something that does not exist.
  public func lines(_ filter: MadangFilter = .all, after number: Int = 0) async throws -> Data {
    try DevelopmentJSON.lines(try await page(filter, count: 0, after: number, within: .zero).entries)
  }

  private func page(
    _ filter: MadangFilter, count: Int, after number: Int, within time: Duration
  ) async throws -> Journal.Page {
    try await MadangTestingError.wording {
      try await journal.page(
        matching: try await filter.spelledOut(by: people), after: number, limit: Journal.maxPage, count: count,
        wait: time)
    }
  }
}

extension Int {
  fileprivate func clamped(to range: ClosedRange<Int>) -> Int {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
