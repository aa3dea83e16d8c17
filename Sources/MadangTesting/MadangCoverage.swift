import Foundation
import MadangAPI
import MadangDevelopment

/// What of the wire contract clients have touched (docs/reference/dev.md, "Coverage").
public struct MadangCoverage: Sendable {
  /// What is counted.
  public enum Section: String, CaseIterable, Sendable {
    /// Operations that were carried out.
    case operations
    /// Error codes, by operation.
    case codes
    /// Fields that may be left out, and were sent.
    case fields
    /// What sockets and devices are told.
    case events
    /// What clients do, step after step.
    case flows
  }

  /// One section of an edition.
  public struct Part: Sendable {
    public let edition: EditionName
    public let section: Section
    /// How many things there are to touch.
    public let total: Int
    public let touched: Int
    /// Rounded down to a tenth, so that 100 means all.
    public let percent: Double
    /// The names of what was never touched.
    public let missing: [String]
    /// How often what was touched was, by name.
    public let counts: [String: Int]
  }

  private let counts: CoverageCounts
  private let report: CoverageReport
  private let editions: [EditionName]
  private let sections: [Section]

  init(_ counts: CoverageCounts, editions: [EditionName] = [], sections: [Section] = []) {
    (self.counts, self.editions, self.sections) = (counts, editions, sections)
    report = CoverageReport(counts, editions: editions.map(\.rawValue), sections: sections.map(\.rawValue))
  }

  public var parts: [Part] {
    report.parts.compactMap { part in
      guard let edition = EditionName(rawValue: part.edition), let section = Section(rawValue: part.section) else {
        return nil
      }
      return Part(
        edition: edition, section: section, total: part.total, touched: part.touched, percent: part.percent,
        missing: part.missing, counts: part.counts)
    }
  }

  /// Of all parts together, rounded down to a tenth.
  public var percent: Double { report.percent }

  /// A table, and what was never touched.
  public var text: String { report.text }

  /// One page that needs nothing else.
  public var html: String { report.html }

  /// A file that `madang dev coverage` adds up with others.
  public func json() throws -> Data { try DevelopmentJSON.encode(CoverageFile(counts, report)) }

  /// Only some editions and sections; of none given, all.
  public func only(editions: [EditionName] = [], sections: [Section] = []) -> MadangCoverage {
    MadangCoverage(counts, editions: editions, sections: sections)
  }

  /// With what was touched in another world, of the same editions and sections.
  public func adding(_ other: MadangCoverage) -> MadangCoverage {
    var counts = counts
    counts.add(other.counts)
    return MadangCoverage(counts, editions: editions, sections: sections)
  }
}

extension MadangWorld {
  /// What of the wire contract its clients have touched since it was made. A reset forgets none of it.
  public var coverage: MadangCoverage { MadangCoverage(kit.coverage.counts) }

  /// Begins to count anew.
  public func clearCoverage() { kit.coverage.clear() }

  /// Writes what was touched into a file of the directory that `MADANG_TEST_COVERAGE` names, for `madang dev coverage`.
  func keepCoverage() {
    guard let directory = ProcessInfo.processInfo.environment["MADANG_TEST_COVERAGE"] else { return }
    let folder = URL(filePath: directory, directoryHint: .isDirectory)
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try? coverage.json().write(to: folder.appending(path: "\(UUID().uuidString).json"))
  }
}
