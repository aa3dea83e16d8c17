/// Writes MessagePack items (msgpack.org, `spec.md`), each in its shortest form.
enum MessagePack {
  static func appendArray(_ count: Int, to message: inout [UInt8]) {
    guard count > 0x0f else { return message.append(0x90 | UInt8(count)) }
    appendLength(count, heads: (nil, 0xdc, 0xdd), to: &message)
  }

  /// - Parameter count: The number of pairs.
  static func appendMap(_ count: Int, to message: inout [UInt8]) {
    guard count > 0x0f else { return message.append(0x80 | UInt8(count)) }
    appendLength(count, heads: (nil, 0xde, 0xdf), to: &message)
  }

  static func appendString(_ text: some Collection<UInt8>, to message: inout [UInt8]) {
    let count = text.count
    if count <= 0x1f {
      message.append(0xa0 | UInt8(count))
    } else {
      appendLength(count, heads: (0xd9, 0xda, 0xdb), to: &message)
    }
    message += text
  }

  static func appendBinary(_ bytes: [UInt8], to message: inout [UInt8]) {
    appendLength(bytes.count, heads: (0xc4, 0xc5, 0xc6), to: &message)
    message += bytes
  }

  /// A number, `true`, `false` or `null` of JSON. An integer stays an integer if it fits into 64 bits; other numbers become doubles, as in
  /// JavaScript. Anything else becomes nil.
  static func appendWord(_ json: ArraySlice<UInt8>, to message: inout [UInt8]) {
    switch json.first {
    case UInt8(ascii: "t"): message.append(0xc3)
    case UInt8(ascii: "f"): message.append(0xc2)
    case UInt8(ascii: "-"), .some(0x30...0x39): appendNumber(String(decoding: json, as: UTF8.self), to: &message)
    default: message.append(0xc0)
    }
  }

  private static func appendNumber(_ text: String, to message: inout [UInt8]) {
    if let number = UInt64(text) {
      appendUnsigned(number, to: &message)
    } else if let number = Int64(text) {
      appendNegative(number, to: &message)
    } else if let number = Double(text) {
      message.append(0xcb)
      append(number.bitPattern, to: &message)
    } else {
      message.append(0xc0)
    }
  }

  private static func appendUnsigned(_ number: UInt64, to message: inout [UInt8]) {
    switch number {
    case ...0x7f: message.append(UInt8(number))
    case ...0xff: message += [0xcc, UInt8(number)]
    case ...0xffff:
      message.append(0xcd)
      append(UInt16(number), to: &message)
    case ...0xffff_ffff:
      message.append(0xce)
      append(UInt32(number), to: &message)
    default:
      message.append(0xcf)
      append(number, to: &message)
    }
  }

  private static func appendNegative(_ number: Int64, to message: inout [UInt8]) {
    switch number {
    case (-0x20)...: message.append(UInt8(truncatingIfNeeded: number))
    case (-0x80)...: message += [0xd0, UInt8(truncatingIfNeeded: number)]
    case (-0x8000)...:
      message.append(0xd1)
      append(Int16(truncatingIfNeeded: number), to: &message)
    case (-0x8000_0000)...:
      message.append(0xd2)
      append(Int32(truncatingIfNeeded: number), to: &message)
    default:
      message.append(0xd3)
      append(number, to: &message)
    }
  }

  /// A head of one byte and a length of 1, 2 or 4 bytes. Nothing that is sent from memory is longer.
  private static func appendLength(
    _ count: Int, heads: (one: UInt8?, two: UInt8, four: UInt8), to message: inout [UInt8]
  ) {
    if count <= 0xff, let head = heads.one {
      message += [head, UInt8(count)]
    } else if count <= 0xffff {
      message.append(heads.two)
      append(UInt16(count), to: &message)
    } else {
      message.append(heads.four)
      append(UInt32(truncatingIfNeeded: count), to: &message)
    }
  }

  private static func append(_ number: some FixedWidthInteger, to message: inout [UInt8]) {
    for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
      message.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}
