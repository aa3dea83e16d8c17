import Foundation
import Testing

/// `docs/reference/security.md` says of each requirement of OWASP ASVS whether it is met, and which tests show it.
@Suite("The security page", .timeLimit(.minutes(5)))
struct SecurityDocumentTests {
  /// One row of its tables of requirements.
  private struct Row {
    let requirements: [String]
    let level: String
    let status: String
    let reason: String
  }

  private let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
  private let page: String

  init() throws {
    page = try String(contentsOf: root.appending(path: "docs/reference/security.md"), encoding: .utf8)
  }

  /// The tests that a text names as `Suite/function`.
  private func named(in text: String) -> [String] {
    text.matches(of: /`([A-Z]\w*Tests\/\w+)`/).map { String($0.1) }
  }

  /// All tests there are, as `Suite/function`.
  private func tests() throws -> Set<String> {
    var tests: Set<String> = []
    let folder = root.appending(path: "Tests")
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix(".swift") {
      let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
      var suite = ""
      var isTest = false
      for line in text.split(separator: "\n") {
        if !line.hasPrefix(" "), let match = line.firstMatch(of: /struct (\w+)/) { suite = String(match.1) }
        if line.hasPrefix("  @Test") { isTest = true }
        guard line.hasPrefix("  func ") else { continue }
        if isTest { tests.insert("\(suite)/\(line.dropFirst(7).prefix { $0 != "(" })") }
        isTest = false
      }
    }
    return tests
  }

  /// A part of the page, from its heading.
  private func section(_ heading: String, until end: String = "\n#") throws -> Substring {
    let start = try #require(page.firstRange(of: heading), "there is no \(heading)")
    let rest = page[start.upperBound...]
    return rest[..<(rest.firstRange(of: end)?.lowerBound ?? rest.endIndex)]
  }

  /// The Swift files of the modules that a server runs, with their text, by their path in the package.
  private func serverFiles() throws -> [(path: String, text: String)] {
    let modules = [
      "ACME", "MadangCore", "MadangDevelopment", "MadangOperations", "MadangProviders", "MadangServer",
      "SocketIOPostgres",
      "SocketIOProtocol", "SocketIOServer", "Storage", "madang/Serve",
    ]
    return try modules.flatMap { module in
      let folder = root.appending(path: "Sources/\(module)")
      return try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }.map {
        ("Sources/\(module)/\($0)", try String(contentsOf: folder.appending(path: $0), encoding: .utf8))
      }
    }
  }

  /// Files of the server that match and that a part of the page names neither themselves nor by a folder.
  private func missing(
    from text: Substring, where matches: (_ code: String) -> Bool
  ) throws -> [String] {
    let places = text.matches(of: /`(Sources\/[^`]+)`/).map { String($0.1) }
    return try serverFiles().filter { matches(Self.code($0.text)) }.map(\.path).filter { path in
      !places.contains { path == $0 || path.hasPrefix($0 + "/") }
    }
  }

  /// A text without its comments.
  private static func code(_ text: String) -> String {
    text.split(separator: "\n").filter { !$0.drop(while: { $0 == " " }).hasPrefix("//") }.joined(separator: "\n")
  }

  private func rows() throws -> [Row] {
    let lines = try section("## 4. OWASP ASVS", until: "\n## ").split(separator: "\n").filter {
      $0.hasPrefix("| ") && $0.dropFirst(2).first?.isNumber == true
    }
    return try lines.map { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      try #require(cells.count == 5, "\(line)")
      return Row(
        requirements: cells[0].components(separatedBy: ", "), level: cells[1], status: cells[3], reason: cells[4])
    }
  }

  @Test("the tests and files that the page names exist")
  func names() throws {
    let tests = try tests()
    let names = Set(named(in: page))
    #expect(!names.isEmpty)
    for name in names.sorted() { #expect(tests.contains(name), "there is no test \(name)") }
    for match in page.matches(of: /`((?:Sources|Tests|Scripts)\/[^`]+)`/) {
      let path = root.appending(path: String(match.1)).path
      #expect(FileManager.default.fileExists(atPath: path), "there is no \(match.1)")
    }
  }

  @Test("every requirement of levels 1 and 2 has one answer, and a met one names a test")
  func requirements() throws {
    let rows = try rows()
    for row in rows {
      #expect(["met", "argued", "open", "not applicable"].contains(row.status), "\(row.requirements)")
      #expect(!row.reason.isEmpty, "\(row.requirements)")
      if row.status == "met" { #expect(!named(in: row.reason).isEmpty, "\(row.requirements)") }
    }
    let requirements = rows.flatMap(\.requirements)
    // ASVS 5.0.0 has 70 of level 1 and 183 of level 2.
    #expect(requirements.count == 253)
    #expect(Set(requirements).count == requirements.count)
    let ofLevel1 = rows.filter { $0.level == "1" }.flatMap(\.requirements)
    #expect(ofLevel1.count == 70 && rows.allSatisfy { ["1", "2"].contains($0.level) })
  }

  @Test("the settings that the page names exist, with the defaults it says")
  func settings() throws {
    let settings = try String(contentsOf: root.appending(path: "docs/reference/settings.md"), encoding: .utf8)
    var defaults: [String: String] = [:]
    for match in settings.matches(of: /\n\| `([a-z0-9.]+)` \| ([^|]*) \|/) {
      defaults[String(match.1)] = match.2.replacing("`", with: "").trimmingCharacters(in: .whitespaces)
    }
    #expect(defaults.count > 100)
    for match in page.matches(of: /`([a-z0-9]+(?:\.[a-z0-9]+)+)`(?:,? \(?default ([0-9a-z]+))?/) {
      let name = String(match.1)
      // The name of a file.
      if defaults[name] == nil, [".json", ".md", ".py", ".conf", ".key"].contains(where: name.hasSuffix) { continue }
      let known = try #require(defaults[name], "there is no setting \(name)")
      if let said = match.2 { #expect(known == said, "\(name)") }
    }
    #expect(page.firstMatch(of: /MADANG_[A-Z]+_/)?.output == "MADANG_LIMITS_", "settings have the names of files")
  }

  @Test("the page names every decoder that Scripts/price examines, and no other")
  func decoders() throws {
    let folder = root.appending(path: "Tests/Price")
    let code = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
      .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }.joined()
    let examined = Set(code.matches(of: /Decoder\(\s*"([a-z0-9-]+)"/).map { String($0.1) })
    let named = Set(
      try section("### What reads foreign bytes").split(separator: "\n").filter { $0.hasPrefix("| ") }
        .flatMap { $0.matches(of: /`([a-z0-9-]+)`/).map { String($0.1) } })
    #expect(examined == named && examined.count > 35)
  }

  @Test("every file of the server that imports a cryptographic library is in the inventory")
  func cryptography() throws {
    let missing = try missing(from: section("### Cryptography")) {
      $0.contains(/import (Crypto|CryptoExtras|_CryptoExtras|JWTKit|NIOSSL|CArgon2)\b/)
    }
    #expect(missing.isEmpty)
  }

  @Test("every file of the server that opens connections is in the table of outgoing connections")
  func connections() throws {
    let missing = try missing(from: section("### Outgoing connections")) {
      $0.contains(/\b(HTTPClient\(|ClientBootstrap\(|DatagramBootstrap\(|PQconnectdbParams\(|URLSession|socket\(AF_)/)
    }
    #expect(missing.isEmpty)
  }

  @Test("the table of pages and redirects lists every file that makes a page; only one file redirects")
  func redirects() throws {
    let pages = try section("### Pages and redirects")
    let missing = try missing(from: pages) { $0.contains("text/html") && !$0.contains("struct PageFrame:") }
    #expect(missing.isEmpty)
    let redirecting = try serverFiles().filter {
      Self.code($0.text).contains(/\.(location|permanentRedirect|temporaryRedirect|movedPermanently|seeOther)\b/)
    }
    #expect(redirecting.map(\.path) == ["Sources/MadangServer/Listeners/RedirectResponder.swift"])
  }

  @Test("the bounded XML parser is the only one that is linked")
  func parsers() throws {
    let linking = try serverFiles().filter { $0.text.contains(/import FoundationXML|XMLParser\(|libxml/) }
    #expect(linking.isEmpty)
  }

  @Test("the tables that the page names exist, and the page on privacy names every table")
  func tables() throws {
    let folder = root.appending(path: "migrations")
    let sql = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".sql") }
      .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }.joined()
    let tables = Set(sql.matches(of: /CREATE TABLE (?:IF NOT EXISTS )?(\w+)/).map { String($0.1) })
    for match in page.matches(of: /tables? ((?:`\w+`(?:, )?(?: and )?)+)/) {
      for name in match.1.matches(of: /`(\w+)`/) { #expect(tables.contains(String(name.1)), "\(name.1)") }
    }
    let privacy = try String(contentsOf: root.appending(path: "docs/reference/privacy.md"), encoding: .utf8)
    let named = Set(privacy.matches(of: /`(\w+)`/).map { String($0.1) })
    #expect(tables.subtracting(named).isEmpty)
  }

  @Test("the times for fixes are written down, and a release lists its parts")
  func times() throws {
    let text = try String(contentsOf: root.appending(path: "SECURITY.md"), encoding: .utf8)
    #expect(text.contains("| severity | a release with a fix within |") && text.contains("CycloneDX"))
    let tree = try String(contentsOf: root.appending(path: "packaging/tree"), encoding: .utf8)
    #expect(tree.contains("packaging/sbom.py"))
  }

  @Test("in the containers madang's role owns its database and is no superuser")
  func leastPrivilege() throws {
    for name in ["docker-compose.yml", "docker-compose.cluster.yml"] {
      let compose = try String(contentsOf: root.appending(path: name), encoding: .utf8)
      #expect(compose.contains("./packaging/postgres-role.sh:/docker-entrypoint-initdb.d/"), "\(name)")
      #expect(compose.contains("@postgres/madang") && !compose.contains("POSTGRES_USER"), "\(name)")
      #expect(compose.contains("cap_drop: [ALL]") && compose.contains("read_only: true"), "\(name)")
    }
    let script = try String(contentsOf: root.appending(path: "packaging/postgres-role.sh"), encoding: .utf8)
    #expect(script.contains("CREATE ROLE madang LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE"))
    #expect(script.contains("ALTER ROLE CURRENT_USER PASSWORD NULL"))
  }
}
