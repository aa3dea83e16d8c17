import Foundation

/// The record of a setup, open to be ended: by then this process is the owner of the data, who may not replace files of root.
struct OpenSetupRecord {
  private var record: SetupRecord
  private let file: FileHandle

  /// Nil if there is no record. Throws ``Failure``.
  init?(_ machine: Machine) throws {
    guard let record = try SetupRecord(at: machine.recordFile) else { return nil }
    guard let file = FileHandle(forWritingAtPath: machine.recordFile) else {
      throw Failure("\(machine.recordFile) cannot be written: \(String(cString: strerror(errno)))")
    }
    (self.record, self.file) = (record, file)
  }

  /// Marks that nothing is missing. Only the letters of one word change, so a crash cannot damage the file. Throws ``Failure``.
  mutating func end() throws {
    guard record.state == .begun else { return }
    record.end()
    let bytes = try record.bytes
    do {
      try file.write(contentsOf: bytes)
      try file.truncate(atOffset: UInt64(bytes.count))
      try file.synchronize()
    } catch { throw Failure("the record of setup cannot be written: \(FileProblem.words(of: error))") }
  }
}
