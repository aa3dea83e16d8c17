import ArgumentParser
import Foundation
import MadangDevelopment

struct DevCoverage: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coverage", abstract: "Show which parts of the contract tests have touched.",
    usage: "madang dev coverage [<file> ...] [--fail-under <percent>] [options]",
    discussion: """
      Asks a server in development mode, or adds up saved answers of GET /_dev/coverage, from files or from all files of a \
      directory whose names end with .json. It prints a table and the parts that were never touched. docs/reference/dev.md \
      says what counts.

      Exit status 1 with --fail-under when less was touched.
      """)

  @OptionGroup var options: DevelopmentOptions
  @Argument(
    help: ArgumentHelp(
      "Files, or directories of them; - for standard input. Without files: of the server.", valueName: "file"),
    completion: .file())
  var files: [String] = []

  @Option(help: ArgumentHelp("Fail if a smaller percentage was touched.", valueName: "percent"))
  var failUnder: Double?

  @Option(help: ArgumentHelp("Only this edition, 2024-10 or 2024-01.", valueName: "edition"))
  var edition: String?

  @Option(
    help: ArgumentHelp(
      "Only these sections: operations, codes, fields, events, flows. Repeatable.", valueName: "section"))
  var of: [String] = []

  @Flag(help: "Print JSON, which this command can read again.")
  var json = false

  @Flag(help: "Print an HTML page.")
  var html = false

  func validate() throws {
    if json && html { throw ValidationError("Choose one of --json and --html.") }
    if let edition, !CoverageReport.editions.contains(edition) {
      throw ValidationError("--edition: one of \(CoverageReport.editions.joined(separator: ", "))")
    }
    if let unknown = of.first(where: { !CoverageReport.sections.contains($0) }) {
      throw ValidationError("--of \(unknown): one of \(CoverageReport.sections.joined(separator: ", "))")
    }
    guard (0...100).contains(failUnder ?? 0) else { throw ValidationError("--fail-under: 0 to 100") }
    if !files.isEmpty, options.server.url != nil || options.world != nil {
      throw ValidationError("Choose one: files, or a server with --url or --world.")
    }
  }

  func run() async throws {
    var counts = CoverageCounts()
    if files.isEmpty {
      counts = try await options.server.call(CoverageFile.Counted.self, .get, options.path("coverage")).counts
    }
    for file in try files.flatMap(paths) { counts.add(try read(file)) }
    let report = CoverageReport(counts, editions: edition.map { [$0] } ?? [], sections: of)
    if json {
      try Terminal.json(try DevelopmentJSON.encode(CoverageFile(counts, report)))
    } else {
      try Terminal.data(Array((html ? report.html : report.text).utf8))
    }
    if let failUnder, report.percent < failUnder {
      throw Failure("\(report.percent) percent were touched, less than \(failUnder)")
    }
  }

  private func paths(_ path: String) throws -> [String] {
    if path == "-" { return [path] }
    if path.contains("://") {
      throw Failure("\(path): is not a file; name a server with --url")
    }
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw Failure("\(path): there is no such file")
    }
    guard isDirectory.boolValue else { return [path] }
    let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".json") }
    guard !names.isEmpty else { throw Failure("\(path): has no file whose name ends with .json") }
    return names.sorted().map { "\(path)/\($0)" }
  }

  private func read(_ path: String) throws -> CoverageCounts {
    let text = try textOfInput(path)
    do { return try JSONDecoder().decode(CoverageFile.Counted.self, from: Data(text.utf8)).counts } catch {
      throw Failure("\(path): is not an answer of GET /_dev/coverage")
    }
  }
}
