import Fuzzing

/// Changes inputs by their structure, where ``Fuzzer/mutated(_:)`` changes single bytes.
struct Mutator {
  let fuzzer: Fuzzer

  /// Values at the edges of what numbers and grammars have.
  static let edges: [[UInt8]] = [
    "0", "-1", "1", "true", "null", "[]", "{}", "\"\"", "2147483648", "4294967296", "9007199254740993",
    "9223372036854775807", "9223372036854775806", "-9223372036854775808", "99999999999999999999", "1e400", "0.5",
  ].map { Array($0.utf8) }

  func sample(_ generator: inout SeededGenerator) -> [UInt8] {
    fuzzer.corpus.randomElement(using: &generator) ?? []
  }

  /// A corpus input, changed in a few places by bytes or by structure.
  func mutated(_ generator: inout SeededGenerator) -> [UInt8] {
    if Int.random(in: 0..<3, using: &generator) == 0 { return fuzzer.mutated(&generator) }
    var input = sample(&generator)
    for _ in 0..<Int.random(in: 1...4, using: &generator) { input = changed(input, &generator) }
    return input
  }

  /// The input with one token or item replaced, taken out, doubled, or put elsewhere.
  func changed(_ input: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    let structure = Structure(input)
    guard !structure.tokens.isEmpty else { return sample(&generator) }
    let index = structure.random(&generator)
    let item = structure.item(around: index)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: return structure.bytes(..<index) + token(&generator) + structure.bytes((index + 1)...)
    case 1:
      let numbers = structure.tokens.indices.filter { structure.tokens[$0].first.map(Self.isDigit) ?? false }
      guard let number = numbers.randomElement(using: &generator) else { return input }
      let edge = Self.edges.randomElement(using: &generator) ?? []
      return structure.bytes(..<number) + edge + structure.bytes((number + 1)...)
    case 2: return structure.bytes(..<item.lowerBound) + structure.bytes(item.upperBound...)
    case 3:
      let other = Structure(sample(&generator))
      guard !other.tokens.isEmpty else { return input }
      let guest = other.bytes(other.item(around: other.random(&generator)))
      return structure.bytes(..<item.lowerBound) + guest + structure.bytes(item.upperBound...)
    default:
      // An item of this input in front of another one.
      let guest = structure.bytes(structure.item(around: structure.random(&generator)))
      return structure.bytes(..<item.lowerBound) + guest + separator(structure, item, &generator)
        + structure.bytes(item.lowerBound...)
    }
  }

  /// A token of the corpus, or an edge.
  func token(_ generator: inout SeededGenerator) -> [UInt8] {
    if .random(using: &generator) { return Self.edges.randomElement(using: &generator) ?? [] }
    let tokens = Structure(sample(&generator)).tokens
    return tokens.randomElement(using: &generator).map { Array($0) } ?? []
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// What stands between an item and its neighbour, or any separator.
  func separator(_ structure: Structure, _ item: Range<Int>, _ generator: inout SeededGenerator) -> [UInt8] {
    for place in [item.lowerBound - 1, item.upperBound] where structure.tokens.indices.contains(place) {
      let token = structure.tokens[place]
      if Structure.isSeparator(token) { return Array(token) }
    }
    return Structure.separators.randomElement(using: &generator) ?? []
  }
}
