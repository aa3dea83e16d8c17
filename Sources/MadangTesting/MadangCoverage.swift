import Foundation
import MadangAPI
import MadangDevelopment

/// The parts of the wire contract that clients have used (docs/reference/dev.md, "Coverage").
public struct MadangCoverage: Sendable {
  /// What is counted.
  public enum Section: String, CaseIterable, Sendable {
    /// Operations that were executed.
    case operations
    /// Error codes, by operation.
    case codes
    /// Optional fields that were sent.
    case fields
    /// Events that were sent to sockets and devices.
    case events
    /// Sequences of client actions.
    case flows
  }

  /// One section of an edition.
  public struct Part: Sendable {
    public let edition: EditionName
    public let section: Section
    /// The number of things that can be used.
    public let total: Int
    public let touched: Int
    /// Rounded down to a tenth, so that 100 means all.
    public let percent: Double
    /// The names of things that were never used.
    public let missing: [String]
    /// How often each thing was used, by name.
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

  /// The percentage over all parts, rounded down to a tenth.
  public var percent: Double { report.percent }

  /// A table, and a list of things that were never used.
  public var text: String { report.text }

  /// A self-contained page.
  public var html: String { report.html }

  /// The content of a file that `madang dev coverage` can add to others.
  public func json() throws -> Data { try DevelopmentJSON.encode(CoverageFile(counts, report)) }

  /// A report on these editions and sections only; an empty list means all.
  public func only(editions: [EditionName] = [], sections: [Section] = []) -> MadangCoverage {
    MadangCoverage(counts, editions: editions, sections: sections)
  }

  /// The sum with the coverage of another world, for the same editions and sections.
  public func adding(_ other: MadangCoverage) -> MadangCoverage {
    var counts = counts
    counts.add(other.counts)
    return MadangCoverage(counts, editions: editions, sections: sections)
  }
}

extension MadangWorld {
  /// The parts of the wire contract that this world's clients have used since it was created. A reset keeps them.
  public var coverage: MadangCoverage { MadangCoverage(kit.coverage.counts) }

  /// Starts counting again from zero.
  public func clearCoverage() { kit.coverage.clear() }

  /// Writes the coverage into a file of the directory that `MADANG_TEST_COVERAGE` names, for `madang dev coverage`.
  func keepCoverage() {
    guard let directory = ProcessInfo.processInfo.environment["MADANG_TEST_COVERAGE"] else { return }
    let folder = URL(filePath: directory, directoryHint: .isDirectory)
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try? coverage.json().write(to: folder.appending(path: "\(UUID().uuidString).json"))
  }
}
