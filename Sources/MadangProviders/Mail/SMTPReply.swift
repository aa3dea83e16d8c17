import NIOCore

/// A mail server's reply to a command (RFC 5321, section 4.2).
struct SMTPReply: Sendable, Equatable {
  let code: Int
  /// The text after the code, line by line.
  let lines: [String]

  /// The enhanced code, like `5.7.1` (RFC 3463); nil if there is none.
  var enhanced: String? {
    guard let word = lines.first?.prefix(while: { $0 != " " }) else { return nil }
    let parts = word.split(separator: ".", omittingEmptySubsequences: false)
    let isOne = parts.count == 3 && parts.allSatisfy { (1...3).contains($0.utf8.count) && $0.utf8.allSatisfy(isDigit) }
    return isOne && parts[0] == "\(code / 100)" ? String(word) : nil
  }

  /// Whether it refuses this server, which did not sign in or may not send from here, instead of the recipient.
  var isAboutSender: Bool { [530, 535].contains(code) || enhanced?.hasPrefix("5.7.") ?? false }
}

private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

/// The server does not speak SMTP, or sends too much.
struct BadSMTPReply: Error {}

/// Parses replies from bytes that arrive in any pieces.
struct SMTPReplyParser {
  private static let maxLine = 2048
  private static let maxLines = 100

  private var buffer = ByteBuffer()
  /// Unread bytes without a line end, so that none is examined twice.
  private var searched = 0
  private var code = 0
  private var lines: [String] = []

  /// Whether no reply has begun.
  var isEmpty: Bool { buffer.readableBytes == 0 && lines.isEmpty }

  mutating func add(_ bytes: ByteBuffer) throws(BadSMTPReply) {
    // Moves unread bytes to the front once for each arrival, not for each line.
    buffer.discardReadBytes()
    buffer.writeImmutableBuffer(bytes)
    guard buffer.readableBytes <= Self.maxLine * Self.maxLines else { throw BadSMTPReply() }
  }

  /// The next complete reply; nil without one.
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
    let line = buffer.readableBytesView.prefix(Self.maxLine)
    guard let end = line.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) else {
      searched = line.count
      guard searched < Self.maxLine else { throw BadSMTPReply() }
      return nil
    }
    return take(end - line.startIndex)
  }

  /// Removes the next `length` bytes and the line end after them.
  private mutating func take(_ length: Int) -> [UInt8] {
    searched = 0
    var line = buffer.readBytes(length: length) ?? []
    buffer.moveReaderIndex(forwardBy: 1)
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return line
  }
}
