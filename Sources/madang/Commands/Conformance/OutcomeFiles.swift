import Conformance
import Foundation

/// Where the outcomes of a run are written.
struct OutcomeFiles: Sendable {
  let results: String
  let junit: String?
  let pages: String?

  func write(_ outcomes: [Outcome]) throws(Failure) {
    let lines = try lines(outcomes)
    try write(lines, to: results)
    if let junit { try write(Array(JUnit.xml(outcomes).utf8), to: junit) }
    guard let pages else { return }
    let folder = URL(filePath: pages)
    do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
      throw Failure("\(pages) cannot be made: \(FileProblem.words(of: error))")
    }
    for (name, text) in Pages(outcomes).files { try write(Array(text.utf8), to: folder.appending(path: name).path) }
    try write(lines, to: folder.appending(path: "results.jsonl").path)
  }

  private func lines(_ outcomes: [Outcome]) throws(Failure) -> [UInt8] {
    do { return try Summary.lines(outcomes) } catch { throw Failure("the outcomes cannot be encoded: \(error)") }
  }

  private func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    // Whole or not at all; a pipe or a terminal cannot be replaced.
    let kind = (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
    let options: Data.WritingOptions = kind == nil || kind == .typeRegular ? .atomic : []
    do { try Data(bytes).write(to: URL(filePath: path), options: options) } catch {
      throw Failure("\(path) cannot be written: \(FileProblem.words(of: error))")
    }
  }
}
