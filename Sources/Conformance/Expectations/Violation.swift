/// A server does not keep a rule.
struct Violation: Error {
  let expected: String
  let seen: String
}

/// A rule cannot be tried with this server.
struct Skip: Error {
  let reason: String
}

/// - Parameter expected: What the contract asks for.
func expect(_ holds: Bool, _ expected: String, seen: @autoclosure () throws -> String) throws {
  guard holds else { throw Violation(expected: expected, seen: try seen()) }
}

/// - Parameter name: What is compared.
func expectEqual<Value: Equatable>(_ name: String, _ seen: Value, _ expected: Value) throws {
  guard seen == expected else {
    throw Violation(expected: "\(name): \(shown(expected))", seen: shown(seen))
  }
}

private func shown(_ value: some Any) -> String {
  if case let json as JSON? = value { return json?.masked.text.shortened ?? "nothing" }
  return "\(value)".shortened
}

extension String {
  /// As much as evidence needs.
  var shortened: String { count > 300 ? prefix(300) + "..." : self }
}
