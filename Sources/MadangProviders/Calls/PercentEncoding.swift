import MadangCore

extension String {
  /// Everything but letters, digits and `-._~` as `%XX`; one other character may stay.
  func percentEncoded(keeping other: UInt8? = nil) -> String {
    var bytes: [UInt8] = []
    for byte in utf8 {
      if isUnreserved(byte) || byte == other {
        bytes.append(byte)
      } else {
        bytes += Array("%\([byte].hex.uppercased())".utf8)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

private func isUnreserved(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
  case UInt8(ascii: "0")...UInt8(ascii: "9"): true
  case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
  default: false
  }
}
