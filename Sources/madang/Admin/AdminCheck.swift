import ArgumentParser
import Foundation
import MadangOperations

struct AdminCheck: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check the data, or a backup, for damage.",
    usage: "madang admin check [--hashes] [--backup <dir>] [options]",
    discussion: """
      Compares rows with files, balances with the ledger, the numbers of chats, and references between rows; the server may run \
      meanwhile. Changes nothing. Exit status 1 when there are findings.
      """)

  @OptionGroup var options: AdminOptions
  @Flag(help: "Read all files completely, not only their sizes.") var hashes = false
  @Option(
    help: ArgumentHelp("Check this backup instead, or the newest in this directory of backups.", valueName: "dir"),
    completion: .directory)
  var backup: String?

  func validate() throws {
    if hashes, backup != nil { throw ValidationError("A backup is always read completely: leave out --hashes.") }
  }

  func run() async throws {
    let output = options.printing.output
    let count = try await ProgressLine.following { progress in
      if let backup {
        return try await options.wording {
          try await Administration.check(
            backup: URL(filePath: backup), progress: progress, report: { try output.show($0) })
        }
      }
      return try await options.withData { administration, _ in
        try await administration.check(hashes: hashes, progress: progress, report: { try output.show($0) })
      }
    }
    guard count == 0 else { throw Failure("\(count) finding\(count == 1 ? "" : "s")") }
    output.note("Nothing is wrong.")
  }
}

extension Output {
  fileprivate func show(_ finding: FindingSummary) throws {
    if json { return try line(finding) }
    try Terminal.line("\(finding.subject): \(finding.problem) (\(finding.cure))".printable)
  }
}
