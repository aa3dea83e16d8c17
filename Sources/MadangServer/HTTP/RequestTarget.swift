import SocketIOProtocol

/// The path and query of a request, read as tolerantly as real clients need (wire contract, Paths; Queries).
package struct RequestTarget: Sendable {
  /// Percent-decoded segments. Runs of `/` collapse and a trailing one is ignored; `%2F` stays part of its segment. One that would cost too
  /// long to compare stays as it was sent: nothing has such a name.
  package let segments: [String]
  private let query: [String: String]

  package init(_ target: String) {
    var target = target
    self = target.withUTF8 { RequestTarget($0) }
  }

  private init(_ target: UnsafeBufferPointer<UInt8>) {
    let path = target.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    segments = path.split(separator: UInt8(ascii: "/")).map { encoded in
      let segment = percentDecoded(encoded)
      return segment.isCheapToCompare ? segment : String(decoding: encoded, as: UTF8.self)
    }
    var query: [String: String] = [:]
    let text = target[path.endIndex...].dropFirst().prefix { $0 != UInt8(ascii: "#") }
    for pair in text.split(separator: UInt8(ascii: "&")) {
      let key = percentDecoded(pair.prefix { $0 != UInt8(ascii: "=") }, plusIsBlank: true)
      // The first of repeated keys wins.
      if key.isCheapToCompare, query[key] == nil {
        query[key] = percentDecoded(pair.drop { $0 != UInt8(ascii: "=") }.dropFirst(), plusIsBlank: true)
      }
    }
    self.query = query
  }

  /// The value of a key; empty if it has none, nil if the key is absent.
  package subscript(_ key: String) -> String? { query[key] }
}

/// Undoes percent-encoding; what is no valid escape stays as it is, and invalid UTF-8 is repaired.
package func percentDecoded(_ text: some Collection<UInt8>, plusIsBlank: Bool = false) -> String {
  guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") && plusIsBlank }) else {
    return String(decoding: text, as: UTF8.self)
  }
  return String(decoding: percentDecodedBytes(text, plusIsBlank: plusIsBlank), as: UTF8.self)
}

/// The same as bytes, valid UTF-8 or not.
package func percentDecodedBytes(_ text: some Collection<UInt8>, plusIsBlank: Bool = false) -> [UInt8] {
  guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") && plusIsBlank }) else {
    return Array(text)
  }
  var out: [UInt8] = []
  var pending: [UInt8] = []
  for byte in text {
    if pending.isEmpty, byte != UInt8(ascii: "%") {
      out.append(plusIsBlank && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      continue
    }
    pending.append(byte)
    guard pending.count == 3 else { continue }
    if let high = hexValue(pending[1]), let low = hexValue(pending[2]) {
      out.append(high << 4 | low)
      pending = []
    } else {
      out.append(pending.removeFirst())
      let rest = pending
      pending = []
      // The two bytes may themselves begin an escape.
      for byte in rest {
        if byte == UInt8(ascii: "%") || !pending.isEmpty { pending.append(byte) } else { out.append(byte) }
      }
    }
  }
  return out + pending
}

private func hexValue(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: nil
  }
}
