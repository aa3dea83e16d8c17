import NIOCore

/// What a server of mails answers to a command (RFC 5321, section 4.2).
struct SMTPReply: Sendable, Equatable {
  let code: Int
  /// What follows the code, line by line.
  let lines: [String]
}

/// The server does not speak SMTP, or says more than it should.
struct BadSMTPReply: Error {}

/// Reads replies out of bytes, however these are cut.
struct SMTPReplyParser {
  private static let maxLine = 2048
  private static let maxLines = 100

  private var buffer = ByteBuffer()
  private var code = 0
  private var lines: [String] = []

  /// Whether nothing was begun.
  var isEmpty: Bool { buffer.readableBytes == 0 && lines.isEmpty }

  mutating func add(_ bytes: ByteBuffer) throws(BadSMTPReply) {
    buffer.writeImmutableBuffer(bytes)
    guard buffer.readableBytes <= Self.maxLine * Self.maxLines else { throw BadSMTPReply() }
  }

  /// The next reply; nil if it has not come as a whole.
  mutating func next() throws(BadSMTPReply) -> SMTPReply? {
    while let line = try nextLine() {
      let digits = line.prefix(3)
      guard digits.count == 3, let number = Int(String(decoding: digits, as: UTF8.self)), (200...599).contains(number),
        lines.isEmpty || number == code, lines.count < Self.maxLines
      else { throw BadSMTPReply() }
      code = number
      lines.append(String(decoding: line.dropFirst(4), as: UTF8.self))
      switch line.dropFirst(3).first {
      case UInt8(ascii: "-"): continue
      case UInt8(ascii: " "), nil:
        defer { lines = [] }
        return SMTPReply(code: code, lines: lines)
      default: throw BadSMTPReply()
      }
    }
    return nil
  }

  private mutating func nextLine() throws(BadSMTPReply) -> [UInt8]? {
    guard
      let length = buffer.readableBytesView.prefix(Self.maxLine).firstIndex(of: UInt8(ascii: "\n")).map({
        $0 - buffer.readerIndex
      })
    else {
      guard buffer.readableBytes < Self.maxLine else { throw BadSMTPReply() }
      return nil
    }
    var line = buffer.readBytes(length: length) ?? []
    buffer.moveReaderIndex(forwardBy: 1)
    buffer.discardReadBytes()
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return line
  }
}
