import NIOCore

/// What a server of mails answers to a command (RFC 5321, section 4.2).
struct SMTPReply: Sendable, Equatable {
  let code: Int
  /// What follows the code, line by line.
  let lines: [String]

  /// What it says more precisely, like `5.7.1` (RFC 3463); nil if it does not.
  var enhanced: String? {
    guard let word = lines.first?.prefix(while: { $0 != " " }) else { return nil }
    let parts = word.split(separator: ".", omittingEmptySubsequences: false)
    let isOne = parts.count == 3 && parts.allSatisfy { (1...3).contains($0.utf8.count) && $0.utf8.allSatisfy(isDigit) }
    return isOne && parts[0] == "\(code / 100)" ? String(word) : nil
  }

  /// Whether it refuses this server, which did not sign in, or may not send from here, and not the recipient.
  var isAboutSender: Bool { [530, 535].contains(code) || enhanced?.hasPrefix("5.7.") ?? false }
}

private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

/// The server does not speak SMTP, or says more than it should.
struct BadSMTPReply: Error {}

/// Reads replies out of bytes, however these are cut.
struct SMTPReplyParser {
  private static let maxLine = 2048
  private static let maxLines = 100

  private var buffer = ByteBuffer()
  /// Unread bytes that are known to hold no end of a line, so that none is looked at twice.
  private var searched = 0
  private var code = 0
  private var lines: [String] = []

  /// Whether nothing was begun.
  var isEmpty: Bool { buffer.readableBytes == 0 && lines.isEmpty }

  mutating func add(_ bytes: ByteBuffer) throws(BadSMTPReply) {
    // Moves what is unread to the front once for each arrival, not for each line.
    buffer.discardReadBytes()
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
    let line = buffer.readableBytesView.prefix(Self.maxLine)
    guard let end = line.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) else {
      searched = line.count
      guard searched < Self.maxLine else { throw BadSMTPReply() }
      return nil
    }
    return take(end - line.startIndex)
  }

  /// Removes the next `length` bytes and the end of the line behind them.
  private mutating func take(_ length: Int) -> [UInt8] {
    searched = 0
    var line = buffer.readBytes(length: length) ?? []
    buffer.moveReaderIndex(forwardBy: 1)
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return line
  }
}
