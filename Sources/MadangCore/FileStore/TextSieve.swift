/// Decides whether a file is text in UTF-8 or EUC-KR without control characters. It reads each byte once, as it arrives, and stores none.
struct TextSieve {
  /// The rest of the current UTF-8 character: how many bytes are missing, and the range of the next one.
  private var awaited = (count: 0, next: UInt8(0x80)...UInt8(0xBF))
  private var isUTF8 = true
  /// Whether the UTF-8 contains a two-byte control character. Then the file is no text, even if the bytes are a letter in EUC-KR.
  private var hasLongControl = false
  /// Whether the last byte was C2. Followed by a byte below A0 it is such a control character.
  private var isC2 = false
  /// The first byte of a Korean letter whose second byte is missing; 0 if there is none.
  private var lead: UInt8 = 0
  private var isEUCKR = true

  /// Whether all bytes so far are text. False in the middle of a character.
  var isText: Bool { isUTF8 && awaited.count == 0 ? !hasLongControl : isEUCKR && lead == 0 }

  mutating func add(_ bytes: [UInt8]) {
    for byte in bytes {
      guard isUTF8 || isEUCKR else { return }
      if isUTF8 { addUTF8(byte) }
      if isEUCKR { addEUCKR(byte) }
    }
  }

  /// Tabs and line ends are allowed.
  private static func isControl(_ byte: UInt8) -> Bool {
    byte < 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D || byte == 0x7F
  }

  private mutating func addUTF8(_ byte: UInt8) {
    if awaited.count > 0 {
      isUTF8 = awaited.next.contains(byte)
      if isC2, byte < 0xA0 { hasLongControl = true }
      isC2 = false
      awaited = (awaited.count - 1, 0x80...0xBF)
      return
    }
    switch byte {
    case 0x00...0x7F: isUTF8 = !Self.isControl(byte)
    case 0xC2...0xDF:
      awaited = (1, 0x80...0xBF)
      isC2 = byte == 0xC2
    case 0xE0: awaited = (2, 0xA0...0xBF)
    case 0xED: awaited = (2, 0x80...0x9F)
    case 0xE1...0xEF: awaited = (2, 0x80...0xBF)
    case 0xF0: awaited = (3, 0x90...0xBF)
    case 0xF1...0xF3: awaited = (3, 0x80...0xBF)
    case 0xF4: awaited = (3, 0x80...0x8F)
    default: isUTF8 = false
    }
  }

  /// EUC-KR as the WHATWG defines it, including the letters that Windows adds (code page 949).
  private mutating func addEUCKR(_ byte: UInt8) {
    guard lead == 0 else {
      let isLetter =
        switch byte {
        case 0xA1...0xFE: true
        case 0x41...0x5A, 0x61...0x7A, 0x81...0xA0: lead <= 0xC6
        default: false
        }
      (isEUCKR, lead) = (isLetter, 0)
      return
    }
    switch byte {
    case 0x00...0x7F: isEUCKR = !Self.isControl(byte)
    case 0x81...0xFE: lead = byte
    default: isEUCKR = false
    }
  }
}
