/// Reading what must be there; each throws a ``Violation`` otherwise.
extension JSON {
  subscript(_ key: String) -> JSON? {
    if case .object(let object) = self { object[key] } else { nil }
  }

  func value(_ key: String) throws -> JSON {
    guard let value = self[key] else { throw Violation(expected: "the key \(key)", seen: masked.text.shortened) }
    return value
  }

  func text(_ key: String) throws -> String {
    guard case .text(let text) = try value(key) else {
      throw Violation(expected: "a string at \(key)", seen: masked.text.shortened)
    }
    return text
  }

  func integer(_ key: String) throws -> Int {
    let value = try value(key)
    guard case .number(let digits) = value, let number = Int(digits) else {
      throw Violation(
        expected: "an integer at \(key)", seen: masked.text.shortened,
        cause: value.isQuotedNumber ? .quotedNumbers : nil)
    }
    return number
  }

  var isQuotedNumber: Bool { if case .text(let text) = self { Double(text) != nil } else { false } }

  /// A date of the contract's form.
  func date(_ key: String) throws -> String {
    let value = try value(key)
    guard case .text(let text) = value, Shape.isDate(text) else {
      throw Violation(expected: "a date like 2024-12-13T07:05:30.874Z at \(key)", seen: value.text, cause: .dateForm)
    }
    return text
  }

  func list(_ key: String) throws -> [JSON] {
    guard case .list(let list) = try value(key) else {
      throw Violation(expected: "an array at \(key)", seen: masked.text.shortened)
    }
    return list
  }

  /// An id as paths and namespaces write it.
  func id(_ key: String) throws -> String {
    switch try value(key) {
    case .text(let text): return text
    case .number(let digits): return digits
    default: throw Violation(expected: "an id at \(key)", seen: masked.text.shortened)
    }
  }
}

extension [JSON] {
  /// The texts at a key, in order.
  func texts(_ key: String) throws -> [String] { try map { try $0.text(key) } }

  /// The ids at a key, in order.
  func ids(_ key: String) throws -> [String] { try map { try $0.id(key) } }

  /// The one object with this id.
  func only(_ key: String, _ id: String) throws -> JSON {
    let found = try filter { try $0.id(key) == id }
    try expect(found.count == 1, "one element with \(key) \(id)", seen: "\(found.count) of \(count)")
    return found[0]
  }
}
