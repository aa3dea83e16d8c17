import Conformance
import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite("Findings and their files")
struct FindingTests {
  static func outcome(
    _ rule: String, _ verdict: Outcome.Verdict = .violated, edition: String = "2024-10", section: String = "Dates",
    evidence: String? = nil, cause: String? = nil
  ) throws -> Outcome {
    let fields = ["evidence": evidence, "cause": cause, "request": verdict == .violated ? "curl -i 'http://h/'" : nil]
    let all = fields.compactMapValues(\.self).merging([
      "rule": rule, "edition": edition, "section": section, "sentence": "A sentence.", "outcome": verdict.rawValue,
    ]) { $1 }
    return try JSONDecoder().decode(Outcome.self, from: JSONEncoder().encode(all))
  }

  @Test("violations with a known cause are one finding, which begins with the rule that the cause is about")
  func known() throws {
    let outcomes = try ["bodies.empty", "errors.one-key", "order.x"].flatMap { rule in
      try ["2024-01", "2024-10"].map {
        try Self.outcome(rule, edition: $0, evidence: "expected \(rule)", cause: "Refusals have no errorCode.")
      }
    }
    let findings = Summary(outcomes).findings
    #expect(findings.count == 1)
    #expect(findings.first?.heading == "3 rules: Refusals have no errorCode.")
    #expect(findings.first?.first.rule == "errors.one-key")
    #expect(findings.first?.editions == ["2024-01", "2024-10"])
    #expect(findings.first?.otherRules == ["bodies.empty", "order.x"])
  }

  @Test("evidence that differs in ids and names only is one finding; another status is another")
  func unknown() throws {
    let outcomes = try [
      ("a.one", "expected a success; seen GET /v1/workspaces/12/channels answered 500 {}"),
      ("a.two", "expected a success; seen GET /v1/workspaces/345/channels answered 500 {}"),
      ("a.three", "expected a success; seen GET /v1/workspaces/6/channels answered 502 {}"),
      ("a.four", "expected E11; seen POST /v1/users/join answered 400 {\"errorCode\":\"E12\"}"),
      ("a.five", "expected E11; seen POST /v1/users/join answered 400 {\"errorCode\":\"E13\"}"),
    ].map { try Self.outcome($0.0, evidence: $0.1) }
    let findings = Summary(outcomes).findings
    #expect(findings.map(\.rules) == [["a.one", "a.two"], ["a.five"], ["a.four"], ["a.three"]])
    #expect(findings.map(\.heading) == ["2 rules: The evidence is the same.", nil, nil, nil])
  }

  @Test("one rule that is violated in both editions is one finding")
  func editions() throws {
    let outcomes = try [("2024-01", "expected vendor"), ("2024-10", "expected provider")].map {
      try Self.outcome("users.join.shape", edition: $0.0, evidence: $0.1)
    }
    let findings = Summary(outcomes).findings
    #expect(findings.count == 1 && findings.first?.heading == nil && findings.first?.editions.count == 2)
  }

  @Test("JUnit's file is XML for any evidence: a suite for each chapter, a case for each rule and edition")
  func junit() throws {
    let evidence = "expected <b> & \"c\"; seen \u{1}\u{1B}[0m ]]> 각😀\u{FFFE}"
    let outcomes = [
      try Self.outcome("dates.form", evidence: evidence, cause: "Dates <differ>."),
      try Self.outcome("dates.form", .passed, edition: "2024-01"),
      try Self.outcome("ids.form", .skipped, section: "Ids", evidence: "no key"),
    ]
    let reader = JUnitReader()
    let parser = XMLParser(data: Data(JUnit.xml(outcomes).utf8))
    parser.delegate = reader
    #expect(parser.parse(), "\(parser.parserError.map { "\($0)" } ?? "")")
    #expect(
      reader.elements == [
        "testsuites 3 1 1", "testsuite Ids 1 0 1", "testcase Ids ids.form (2024-10)", "skipped no key",
        "testsuite Dates 2 1 0", "testcase Dates dates.form (2024-10)",
        "failure expected <b> & \"c\"; seen \u{FFFD}\u{FFFD}[0m ]]> 각😀\u{FFFD}", "testcase Dates dates.form (2024-01)",
      ], "\(reader.elements)")
    #expect(reader.text.contains("curl -i 'http://h/'") && reader.text.contains("Dates <differ>."))
  }

  @Test("the badge is XML and says how many outcomes are violated")
  func badge() throws {
    for (outcomes, text) in [
      ([try Self.outcome("a.b", .passed), try Self.outcome("a.c", .skipped)], "wire contract: 1 of 2 kept"),
      ([try Self.outcome("a.b", .passed), try Self.outcome("a.c")], "wire contract: 1 violated"),
      ([], "wire contract: not tried"),
    ] {
      let svg = try #require(Pages(outcomes).files.first { $0.name == "badge.svg" }).text
      #expect(svg.contains("<title>\(text)</title>"), "\(svg)")
      #expect(XMLParser(data: Data(svg.utf8)).parse())
    }
  }
}

/// The elements of a JUnit file, with their main attributes.
private final class JUnitReader: NSObject, XMLParserDelegate {
  private(set) var elements: [String] = []
  private(set) var text = ""

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    let shown =
      switch name {
      case "testsuites": ["tests", "failures", "skipped"]
      case "testsuite": ["name", "tests", "failures", "skipped"]
      case "testcase": ["classname", "name"]
      default: ["message"]
      }
    elements.append(([name] + shown.compactMap { attributes[$0] }).joined(separator: " "))
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
}
