/// Strings and integers as JSON text.
public enum JSONText {
  /// The string in quotes, escaped as JavaScript's `JSON.stringify` does.
  public static func quoted(_ string: String) -> String {
    String(decoding: quotedBytes(string), as: UTF8.self)
  }

  /// Like `quoted`, in UTF-8.
  public static func quotedBytes(_ string: String) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(string.utf8.count + 2)
    appendQuoted(string.utf8, to: &text)
    return text
  }

  /// Appends valid UTF-8 in the form of `quoted`.
  static func appendQuoted(_ utf8: some Sequence<UInt8>, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    for byte in utf8 { appendEscaped(byte, to: &text) }
    text.append(UInt8(ascii: "\""))
  }

  private static func appendEscaped(_ byte: UInt8, to text: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""): text += Array(#"\""#.utf8)
    case UInt8(ascii: "\\"): text += Array(#"\\"#.utf8)
    case 0x08: text += Array(#"\b"#.utf8)
    case 0x09: text += Array(#"\t"#.utf8)
    case 0x0a: text += Array(#"\n"#.utf8)
    case 0x0c: text += Array(#"\f"#.utf8)
    case 0x0d: text += Array(#"\r"#.utf8)
    case 0..<0x20:
      let hex = String(byte, radix: 16)
      text += Array((byte < 0x10 ? #"\u000"# : #"\u00"#).utf8) + Array(hex.utf8)
    default: text.append(byte)
    }
  }

  /// How to treat half of a surrogate pair, which JSON can escape but which is not valid text.
  public enum LoneSurrogates: Sendable {
    /// It becomes U+FFFD, as in JavaScript when text is sent.
    case replaced
    /// The string is invalid.
    case refused
  }

  /// The value of a JSON string; `nil` if the text is not one. A lone surrogate becomes U+FFFD.
  public static func string(_ json: ArraySlice<UInt8>) -> String? { string(json, loneSurrogates: .replaced) }

  /// The value of a JSON string; `nil` if the text is not one.
  public static func string(_ json: ArraySlice<UInt8>, loneSurrogates: LoneSurrogates) -> String? {
    guard json.count >= 2, json.first == UInt8(ascii: "\""), json.last == UInt8(ascii: "\"") else { return nil }
    let inner = json.dropFirst().dropLast()
    guard inner.contains(UInt8(ascii: "\\")) else {
      return inner.contains(UInt8(ascii: "\"")) ? nil : String(decoding: inner, as: UTF8.self)
    }
    return unescaped(inner, loneSurrogates)
  }

  /// The value of a JSON integer; `nil` if it is not one or does not fit.
  public static func integer(_ json: ArraySlice<UInt8>) -> Int? {
    Int(String(decoding: json, as: UTF8.self))
  }

  private static func unescaped(_ text: ArraySlice<UInt8>, _ loneSurrogates: LoneSurrogates) -> String? {
    var utf8: [UInt8] = []
    utf8.reserveCapacity(text.count)
    // The units of consecutive escapes, because a surrogate pair is escaped as two.
    var units: [UInt16] = []
    var rest = text
    while let byte = rest.first {
      if byte == UInt8(ascii: "\"") { return nil }
      if byte == UInt8(ascii: "\\") {
        guard let unit = takeEscape(&rest) else { return nil }
        units.append(unit)
      } else {
        guard take(&units, into: &utf8, loneSurrogates) else { return nil }
        utf8.append(byte)
        rest.removeFirst()
      }
    }
    return take(&units, into: &utf8, loneSurrogates) ? String(decoding: utf8, as: UTF8.self) : nil
  }

  /// Moves escaped text to the end of `utf8`. False if it contains a lone surrogate that must be refused.
  private static func take(_ units: inout [UInt16], into utf8: inout [UInt8], _ loneSurrogates: LoneSurrogates) -> Bool
  {
    guard !units.isEmpty else { return true }
    let hasLone = transcode(
      units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: loneSurrogates == .refused
    ) { utf8.append($0) }
    units.removeAll(keepingCapacity: true)
    return !hasLone || loneSurrogates == .replaced
  }

  private static func takeEscape(_ rest: inout ArraySlice<UInt8>) -> UInt16? {
    rest.removeFirst()
    guard let byte = rest.popFirst() else { return nil }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UInt16(byte)
    case UInt8(ascii: "b"): return 0x08
    case UInt8(ascii: "f"): return 0x0c
    case UInt8(ascii: "n"): return 0x0a
    case UInt8(ascii: "r"): return 0x0d
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "u"):
      var unit: UInt16 = 0
      for _ in 0..<4 {
        guard let digit = rest.popFirst(), let value = hexValue(digit) else { return nil }
        unit = unit << 4 | value
      }
      return unit
    default: return nil
    }
  }

  static func hexValue(_ digit: UInt8) -> UInt16? {
    switch digit {
    case 0x30...0x39: UInt16(digit - 0x30)
    case 0x41...0x46: UInt16(digit - 0x41 + 10)
    case 0x61...0x66: UInt16(digit - 0x61 + 10)
    default: nil
    }
  }
}
