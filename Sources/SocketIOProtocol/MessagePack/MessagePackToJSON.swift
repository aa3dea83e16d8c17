/// Converts a MessagePack value to JSON, and its binary values to attachments.
struct MessagePackToJSON {
  private(set) var json: [UInt8] = []
  private(set) var attachments: [[UInt8]] = []
  private let limits: SocketPacketReader.Limits
  private var attachmentBytes = 0
  private var valueCount = 0

  /// An unfinished array or map, with the number of its remaining items; keys and values count separately. It is one word, because each
  /// byte of a message may open one.
  private struct Open {
    private var word: Int

    init(items: Int, isMap: Bool) { word = items << 1 | (isMap ? 1 : 0) }

    var isMap: Bool { word & 1 == 1 }
    var items: Int { word >> 1 }
    /// In a map, keys and values alternate.
    var isAtKey: Bool { isMap && items.isMultiple(of: 2) }

    mutating func takeItem() { word -= 2 }
  }

  /// Reads one value, of any depth without recursion.
  ///
  /// - Throws: `.badPayload` for invalid MessagePack, and for a key that is not a text, number, boolean or null; `.tooManyAttachments`,
  ///   `.attachmentsTooLarge`, `.tooManyValues`.
  init(_ reader: inout MessagePackReader, _ limits: SocketPacketReader.Limits) throws(SocketParseError) {
    self.limits = limits
    var open: [Open] = []
    repeat {
      let isKey = open.last?.isAtKey ?? false
      if !open.isEmpty { open[open.count - 1].takeItem() }
      let item = try reader.next()
      if isKey {
        try appendKey(item, reader.bytes)
      } else if let container = try append(item, reader.bytes) {
        open.append(container)
      }
      separate(&open, isKey: isKey, item)
    } while !open.isEmpty
  }

  /// Writes the separator after an item, and closes complete containers.
  private mutating func separate(_ open: inout [Open], isKey: Bool, _ item: MessagePackReader.Item) {
    if isKey { return json.append(UInt8(ascii: ":")) }
    switch item {
    case .array(1...), .map(1...): return
    default: break
    }
    while let container = open.last, container.items == 0 {
      json.append(container.isMap ? UInt8(ascii: "}") : UInt8(ascii: "]"))
      open.removeLast()
    }
    if !open.isEmpty { json.append(UInt8(ascii: ",")) }
  }

  /// Writes a value. For an array or a map, it writes only the opening bracket.
  private mutating func append(_ item: MessagePackReader.Item, _ bytes: [UInt8]) throws(SocketParseError) -> Open? {
    valueCount += 1
    guard valueCount <= limits.values else { throw .tooManyValues }
    switch item {
    case .array(let count):
      json.append(UInt8(ascii: "["))
      return Open(items: count, isMap: false)
    case .map(let count):
      json.append(UInt8(ascii: "{"))
      return Open(items: 2 * count, isMap: true)
    case .binary(let range):
      try attach(bytes[range])
    case .other(let type, let range):
      append("[\(type),")
      try attach(bytes[range])
      json.append(UInt8(ascii: "]"))
    default:
      appendScalar(item, bytes)
    }
    return nil
  }

  private mutating func appendKey(_ item: MessagePackReader.Item, _ bytes: [UInt8]) throws(SocketParseError) {
    switch item {
    case .array, .map, .binary, .other: throw .badPayload
    case .string, .timestamp(.some): appendScalar(item, bytes)
    case .null, .bool, .signed, .unsigned, .float, .timestamp(nil):
      json.append(UInt8(ascii: "\""))
      appendScalar(item, bytes)
      json.append(UInt8(ascii: "\""))
    }
  }

  private mutating func appendScalar(_ item: MessagePackReader.Item, _ bytes: [UInt8]) {
    switch item {
    case .bool(let value): append(value ? "true" : "false")
    case .signed(let value): append(String(value))
    case .unsigned(let value): append(String(value))
    case .float(let value): append(value.isFinite ? "\(value)" : "null")
    case .string(let range): appendText(bytes[range])
    case .timestamp(.some(let time)): MessagePackTimestamp.appendQuoted(time, to: &json)
    case .null, .timestamp(nil), .array, .map, .binary, .other: append("null")
    }
  }

  /// ASCII needs no repair, so no `String` is made: a message may contain a million texts.
  private mutating func appendText(_ bytes: ArraySlice<UInt8>) {
    if bytes.allSatisfy({ $0 < 0x80 }) {
      JSONText.appendQuoted(bytes, to: &json)
    } else {
      JSONText.appendQuoted(String(decoding: bytes, as: UTF8.self).utf8, to: &json)
    }
  }

  private mutating func append(_ text: String) { json += text.utf8 }

  private mutating func attach(_ bytes: ArraySlice<UInt8>) throws(SocketParseError) {
    guard attachments.count < limits.attachments else { throw .tooManyAttachments }
    guard bytes.count <= limits.attachmentBytes - attachmentBytes else { throw .attachmentsTooLarge }
    attachmentBytes += bytes.count
    json += Placeholders.text(attachments.count)
    attachments.append(Array(bytes))
  }
}
