import ArgumentParser
import Foundation
import MadangOperations

struct EditionOf: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edition-of", abstract: "Find out for which edition of the API an app was written.",
    usage: "madang edition-of <dir> [--all] [--json]",
    discussion: """
      Reads the app's sources (Swift, Objective-C, Kotlin, Java, Dart, TypeScript, JavaScript) and looks for the paths \
      and fields of each edition. It shows where it found them, which operations the app uses, which paths no edition \
      has, where the address and the key are written, and what to do next (docs/bring-your-app.md). Nothing is sent \
      anywhere, and no value of a key is shown.

      Folders of tools (build, Pods, node_modules, names with a dot) and symbolic links are left out, and so are files \
      above 1 MiB. It looks at texts in the sources: a path that is put together in an unusual way is not found.

      Exit status: 0 one edition was found, 1 nothing of the API was found, 2 signs of both editions, or only what they \
      have in common.
      """)

  @Argument(help: ArgumentHelp("The folder with the app's sources.", valueName: "dir"), completion: .directory)
  var folder: String

  @Flag(help: "Show every sign and operation, not only the first ten.")
  var all = false

  @OptionGroup var printing: JSONOption

  func run() async throws {
    let report = try await ProgressLine.following { tell in
      let sources = try SourceFolder(folder)
      return Self.report(on: sources) { done in
        tell(WorkProgress(phase: "reading files", done: done, total: sources.files.count))
      }
    }
    if printing.json {
      try printing.output.line(report)
    } else {
      for line in EditionReportText(report, folder: folder, rows: all ? nil : 10).lines(width: Terminal.width) {
        try Terminal.line(line)
      }
    }
    guard report.status == 0 else { throw ExitCode(report.status) }
  }

  static func report(on folder: SourceFolder, tell: (_ done: Int) -> Void = { _ in }) -> EditionReport {
    var findings = EditionFindings()
    let (bytes, leftOut) = folder.read(tell: tell) { file, content in
      switch file.kind {
      case .source(let language): findings.add(SourceLexer.tokens(of: content, language), of: file.path)
      case .configuration: findings.add(configuration: content, of: file.path)
      }
    }
    return EditionReport(
      findings, files: folder.files.count - leftOut, bytes: bytes, leftOut: leftOut, isComplete: folder.isComplete)
  }
}

extension EditionReport {
  var status: Int32 {
    switch found {
    case .one: 0
    case .nothing: 1
    case .both, .common: 2
    }
  }
}
