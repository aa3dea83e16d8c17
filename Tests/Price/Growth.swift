import Fuzzing

/// A family of inputs of any length: what stands around, and what is repeated or nested in it.
struct Growth {
  private var prefix: [UInt8] = []
  /// Repeated in turn.
  private var units: [[UInt8]] = []
  private var middle: [UInt8] = []
  /// Closes what each unit opens.
  private var close: [UInt8] = []
  private var suffix: [UInt8] = []
  /// Where in a unit its number is put, so that no two are alike.
  private var place: Int?
  private(set) var cut = Cut.none

  /// The member with about `size` bytes.
  func input(size: Int) -> Input {
    var bytes = prefix
    let room = size - prefix.count - middle.count - suffix.count
    var closings = 0
    while bytes.count - prefix.count + closings * close.count < room {
      var unit = units[closings % units.count]
      if let place, place <= unit.count { unit.insert(contentsOf: Array(String(closings).utf8), at: place) }
      bytes += unit
      closings += 1
      if unit.isEmpty, close.isEmpty { break }
    }
    bytes += middle
    for _ in 0..<closings { bytes += close }
    return Input(bytes: bytes + suffix, cut: cut)
  }

  private static let bytes: [UInt8] = Array(" \t\r\n%=&;\"\\09,.-+/:{}[]()b".utf8) + [0, 0x1e, 0x80, 0xcc, 0xf0, 0xff]
  private static let pairs: [(open: String, close: String)] = [
    ("[", "]"), (#"{"a":"#, "}"), ("[[],", "]"), (#"{"a":{},"b":"#, "}"), ("(", ")"), (#"\""#, ""), ("\u{301}", ""),
    ("\u{301}\u{323}", ""), (#"\u0301\u0323"#, ""),
    ("%25", ""), ("\r\n", ""), ("\\u00e9", ""),
  ]

  /// Chooses a family by random.
  init(of mutator: Mutator, _ generator: inout SeededGenerator) {
    let base = .random(using: &generator) ? mutator.sample(&generator) : mutator.mutated(&generator)
    let structure = Structure(base)
    switch structure.tokens.isEmpty ? 6 : Int.random(in: 0..<8, using: &generator) {
    case 0: repeatBytes(base, &generator)
    case 1: repeatTokens(structure, &generator)
    case 2, 3: repeatItem(structure, mutator, &generator)
    case 4, 5: nestItem(structure, &generator)
    case 6: units = [base]
    default: insertRun(structure, &generator)
    }
    vary(mutator, &generator)
  }

  private mutating func repeatBytes(_ base: [UInt8], _ generator: inout SeededGenerator) {
    let start = Int.random(in: 0..<max(1, base.count), using: &generator)
    let end = min(base.count, start + .random(in: 1...40, using: &generator))
    (prefix, units, suffix) = (Array(base[..<start]), [Array(base[start..<end])], Array(base[end...]))
  }

  private mutating func repeatTokens(_ structure: Structure, _ generator: inout SeededGenerator) {
    let start = structure.random(&generator)
    let end = min(structure.tokens.count, start + .random(in: 1...8, using: &generator))
    (prefix, units, suffix) = (structure.bytes(..<start), [structure.bytes(start..<end)], structure.bytes(end...))
  }

  private mutating func repeatItem(_ structure: Structure, _ mutator: Mutator, _ generator: inout SeededGenerator) {
    let item = structure.item(around: structure.random(&generator))
    let separator = mutator.separator(structure, item, &generator)
    var unit = structure.bytes(item)
    if .random(using: &generator) { unit = mutator.changed(unit, &generator) }
    (prefix, units, suffix) = (
      structure.bytes(..<item.lowerBound), [unit + separator], structure.bytes(item.upperBound...)
    )
    // The last one may differ from those before.
    middle = .random(using: &generator) ? unit : structure.bytes(item)
  }

  private mutating func nestItem(_ structure: Structure, _ generator: inout SeededGenerator) {
    let item = structure.item(around: structure.random(&generator))
    let first = Int.random(in: item.lowerBound...item.upperBound, using: &generator)
    let inner = first..<Int.random(in: first...item.upperBound, using: &generator)
    prefix = structure.bytes(..<item.lowerBound)
    units = [structure.bytes(item.lowerBound..<inner.lowerBound)]
    middle = structure.bytes(inner)
    close = structure.bytes(inner.upperBound..<item.upperBound)
    suffix = structure.bytes(item.upperBound...)
  }

  private mutating func insertRun(_ structure: Structure, _ generator: inout SeededGenerator) {
    let start = structure.random(&generator)
    let end = start + .random(in: 0...1, using: &generator)
    (prefix, suffix) = (structure.bytes(..<start), structure.bytes(min(end, structure.tokens.count)...))
    if .random(using: &generator), let pair = Self.pairs.randomElement(using: &generator) {
      (units, close) = ([Array(pair.open.utf8)], Array(pair.close.utf8))
    } else {
      units = [[Self.bytes.randomElement(using: &generator) ?? 0]]
    }
  }

  private mutating func vary(_ mutator: Mutator, _ generator: inout SeededGenerator) {
    switch Int.random(in: 0..<12, using: &generator) {
    case 0: suffix = []
    case 1: (middle, close, suffix) = ([], [], [])
    case 2: units.append(mutator.token(&generator))
    case 3, 4: units = units.map { mutator.changed($0, &generator) }
    default: break
    }
    let unit = units.first?.count ?? 0
    if Int.random(in: 0..<3, using: &generator) == 0 { place = .random(in: 0...unit, using: &generator) }
    cut = Self.cut(unit: unit, &generator)
  }

  /// Any cut; among them pieces of a unit's length that begin within one, so that each piece leaves a part of it.
  private static func cut(unit: Int, _ generator: inout SeededGenerator) -> Cut {
    switch Int.random(in: 0..<6, using: &generator) {
    case 0, 1: return .none
    case 2: return Cut(first: 1, rest: 1)
    case 3 where unit > 0: return Cut(first: .random(in: 1...unit, using: &generator), rest: unit)
    default:
      let length = Int.random(in: 2...[16, 200, 3000][.random(in: 0..<3, using: &generator)], using: &generator)
      return Cut(first: length, rest: length)
    }
  }
}
