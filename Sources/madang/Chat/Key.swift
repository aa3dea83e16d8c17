/// A key that was pressed.
enum Key: Equatable, Sendable {
  /// One or more characters, typed or pasted.
  case text(String)
  case enter, backspace, delete
  case left, right, up, down, home, end, pageUp, pageDown
  /// Ctrl-U, Ctrl-K and Ctrl-W.
  case deleteToStart, deleteToEnd, deleteWord
  /// Ctrl-C.
  case interrupt
  /// Ctrl-D.
  case endOfInput
  /// Ctrl-L.
  case redraw
}

/// Decodes keys from the bytes of a terminal in raw mode, in pieces of any size.
struct KeyReader {
  private var waiting: [UInt8] = []

  mutating func keys(in bytes: some Sequence<UInt8>) -> [Key] {
    waiting += bytes
    var keys: [Key] = []
    var rest = waiting[...]
    while let (key, length) = Self.first(of: rest) {
      rest = rest.dropFirst(length)
      guard let key else { continue }
      if case .text(let more) = key, case .text(let text)? = keys.last {
        keys[keys.count - 1] = .text(text + more)
      } else {
        keys.append(key)
      }
    }
    waiting = Array(rest)
    return keys
  }

  /// The first key and its length in bytes; no key if the bytes have no meaning here. Nil if the key is incomplete.
  private static func first(of bytes: ArraySlice<UInt8>) -> (key: Key?, length: Int)? {
    guard let byte = bytes.first else { return nil }
    switch byte {
    case 0x1B: return escape(bytes)
    case 0x00...0x1F, 0x7F: return (control(byte), 1)
    default: return scalar(bytes)
    }
  }

  private static func control(_ byte: UInt8) -> Key? {
    switch byte {
    case 0x0D, 0x0A: .enter
    case 0x7F, 0x08: .backspace
    case 0x01: .home
    case 0x05: .end
    case 0x02: .left
    case 0x06: .right
    case 0x03: .interrupt
    case 0x04: .endOfInput
    case 0x0B: .deleteToEnd
    case 0x0C: .redraw
    case 0x15: .deleteToStart
    case 0x17: .deleteWord
    default: nil
    }
  }

  /// Parses `ESC [ parameters final` or `ESC O final` (ECMA-48 and xterm). Escape alone has no meaning.
  private static func escape(_ bytes: ArraySlice<UInt8>) -> (key: Key?, length: Int)? {
    let rest = bytes.dropFirst()
    guard let kind = rest.first else { return nil }
    guard kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else { return (nil, 1) }
    let parameters = rest.dropFirst().prefix { (0x20...0x3F).contains($0) }
    guard let final = rest.dropFirst(1 + parameters.count).first else {
      // No key has a sequence this long. Waiting for its end would swallow typed text.
      return parameters.count > 16 ? (nil, 2 + parameters.count) : nil
    }
    return (named(final, String(decoding: parameters, as: UTF8.self)), 3 + parameters.count)
  }

  private static func named(_ final: UInt8, _ parameters: String) -> Key? {
    switch (final, parameters) {
    case (UInt8(ascii: "A"), _): .up
    case (UInt8(ascii: "B"), _): .down
    case (UInt8(ascii: "C"), _): .right
    case (UInt8(ascii: "D"), _): .left
    case (UInt8(ascii: "H"), _), (UInt8(ascii: "~"), "1"), (UInt8(ascii: "~"), "7"): .home
    case (UInt8(ascii: "F"), _), (UInt8(ascii: "~"), "4"), (UInt8(ascii: "~"), "8"): .end
    case (UInt8(ascii: "~"), "3"): .delete
    case (UInt8(ascii: "~"), "5"): .pageUp
    case (UInt8(ascii: "~"), "6"): .pageDown
    default: nil
    }
  }

  private static func scalar(_ bytes: ArraySlice<UInt8>) -> (key: Key?, length: Int)? {
    let length =
      switch bytes.first ?? 0 {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    guard bytes.count >= length else {
      // Another character begins before this one is complete, so it is malformed.
      let isBroken = bytes.dropFirst().contains { !(0x80...0xBF).contains($0) }
      return isBroken ? (nil, 1) : nil
    }
    guard let text = String(validating: bytes.prefix(length), as: UTF8.self) else { return (nil, 1) }
    return (.text(text), length)
  }
}
