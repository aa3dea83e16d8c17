import MadangAPI

/// A report for people.
struct EditionReportText {
  private let report: EditionReport
  private let folder: String
  /// The most rows of a table; nil for all.
  private let rows: Int?

  init(_ report: EditionReport, folder: String, rows: Int?) {
    (self.report, self.folder, self.rows) = (report, folder, rows)
  }

  func lines(width: Int?) -> [String] {
    var lines = summary.map { $0.fitted(to: 10) + "  " + $1 }
    if report.found != .nothing {
      for edition in EditionName.newestFirst {
        let signs = report.signs.filter { $0.edition == edition }
        lines += table("SIGN OF \(edition.rawValue)", signs.map { ($0.text, place($0.file, $0.line, $0.times)) }, width)
      }
      lines += table(
        "OPERATION", report.operations.map { ("\($0.id): \($0.method) \($0.path)", $0.place.text) }, width)
      lines += table("IN NO EDITION", signs(report.unknownPaths), width)
      lines += table("ADDRESS", signs(report.addresses), width)
      lines += table("KEY", signs(report.keys), width)
      lines += table("LIVE CHAT", signs(report.namespaces), width)
      lines += table("BOUND TO A HOST", signs(report.pins), width)
    }
    return lines.map(\.printable) + ["", "Next:"] + next.map { "- \($0)".printable }
  }

  // MARK: Summary

  private var summary: [(String, String)] {
    let operations =
      report.edition.map { "up to \(report.operations.count) of \(EditionReport.count(of: $0))" }
      ?? "up to \(report.operations.count)"
    return [
      ("edition", edition), ("operations", operations),
      ("live chat", report.usesSocketIO ? "Socket.IO" : report.namespaces.isEmpty ? "not found" : "found"),
      ("read", read),
    ]
  }

  private var edition: String {
    switch report.found {
    case .one: report.edition.map { "\($0.rawValue) (\($0.ids))" } ?? "-"
    case .both:
      "both: "
        + EditionName.newestFirst.map { edition in
          "\(report.signs.filter { $0.edition == edition }.count) signs of \(edition.rawValue)"
        }.joined(separator: ", ")
    case .common: "undecided: only what both editions have"
    case .nothing: "not found: nothing here belongs to the API"
    }
  }

  private var read: String {
    var text = "\(report.files) \(report.files == 1 ? "file" : "files"), \((report.bytes + 999) / 1000) kB"
    if report.leftOut > 0 { text += "; \(report.leftOut) left out (binary, too large or unreadable)" }
    if !report.isComplete { text += "; not all: too many files, or folders too deep" }
    return text
  }

  // MARK: Tables

  private func signs(_ signs: [SourceSign]) -> [(String, String)] {
    signs.map { ($0.text, place($0.file, $0.line, $0.times)) }
  }

  private func place(_ file: String, _ line: Int, _ times: Int) -> String {
    SourcePlace(file: file, line: line).text + (times > 1 ? " and \(times - 1) more" : "")
  }

  private func table(_ heading: String, _ entries: [(String, String)], _ width: Int?) -> [String] {
    guard !entries.isEmpty else { return [] }
    let shown = entries.prefix(rows ?? entries.count).map { [$0.0, $0.1] }
    let hidden = entries.count - shown.count
    return [""] + Table(headings: [heading, "WHERE"], rows: shown).lines(width: width)
      + (hidden > 0 ? ["and \(hidden) more: --all shows them"] : [])
  }

  // MARK: Next

  private var next: [String] {
    switch report.found {
    case .one: report.edition.map(steps) ?? []
    case .both:
      [
        "Find out which calls the app makes: the lines above that belong to one edition only may be old or unused code.",
        "Try the app with `madang serve --dev`, which takes the keys of both editions. A call of the other edition is answered E97.",
        page,
      ]
    case .common:
      [
        "Look at an id that the app receives: 2024-10 sends UUIDs, 2024-01 sends integers.",
        "Is \(folder) the folder with all of the app's sources? Its models may be in another module.",
      ] + foreign + [page]
    case .nothing:
      [
        "Is \(folder) the folder with the app's sources? Name the one that contains the network code.",
        "An app of this API sends the header \(HeaderName.apiKey) and calls paths such as \(Self.example).", page,
      ]
    }
  }

  private func steps(of edition: EditionName) -> [String] {
    var steps = [
      "Replace the address\(at(report.addresses)) with your server's, without a path.",
      "Replace the value of \(HeaderName.apiKey)\(report.keys.first.map { " (\($0.place.text))" } ?? "") with the server's key "
        + "of edition \(edition.rawValue): `\(edition.developmentKey)` with `madang serve --dev`, otherwise the file "
        + "secrets/api-key-\(edition.rawValue) of its data directory.",
    ]
    steps += Self.providers.filter { report.uses($0.operation) }.map {
      "Set up \($0.name) at the server (docs/host.md#push-apple-kakao-payments)."
    }
    if !report.pins.isEmpty { steps.append("Name your server where the app is bound to a host\(at(report.pins)).") }
    return steps + foreign + [page]
  }

  /// A warning, if the app calls much that is in no edition.
  private var foreign: [String] {
    guard report.unknownPaths.count > report.operations.count / 2 else { return [] }
    return [
      "Many paths are in no edition: the app may be written for another server, too. Those calls are answered E97."
    ]
  }

  private func at(_ signs: [SourceSign]) -> String { signs.first.map { " (\($0.text), \($0.place.text))" } ?? "" }

  private let page = "Read docs/bring-your-app.md: it goes through all of this."

  private static let example = Edition2024_10.workspaces.route.template

  private static let providers = [
    (operation: "signInWithApple", name: "sign-in with Apple"),
    (operation: "signInWithKakao", name: "sign-in with Kakao"),
    (operation: "validatePayment", name: "payments"), (operation: "setDeviceToken", name: "push"),
  ]
}
