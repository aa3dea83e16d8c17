import Foundation
import MadangCore

/// A mail in wire format (RFC 5322, RFC 2045).
struct MailMessage {
  let mail: ClaimedMail
  let from: MailAddress
  let name: String
  let to: MailAddress

  /// ASCII lines that end with CR LF and have at most 78 characters, except for a long address or id.
  var text: String {
    let html = mail.html.isEmpty ? [] : [Self.part("html", mail.html)]
    let parts = [Self.part("plain", mail.mail.body)] + html
    let content =
      parts.count == 1
      ? parts[0]
      : "Content-Type: multipart/alternative; boundary=\"\(Self.boundary)\"\n\n"
        + parts.map { "--\(Self.boundary)\n\($0)\n" }.joined() + "--\(Self.boundary)--"
    return """
      Date: \(Self.date(mail.createdAt))
      From: \(Self.header(name)) <\(from.text)>
      To: <\(to.text)>
      Subject: \(Self.subject(mail.mail.subject))
      Message-ID: <\(mail.createdAt).\(mail.id)@\(from.domain)>
      MIME-Version: 1.0
      Auto-Submitted: auto-generated
      \(content)
      """.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n") + "\r\n"
  }

  /// Never a line of quoted-printable text, where each `=` begins a code.
  private static let boundary = "=_madang"

  private static func part(_ type: String, _ text: String) -> String {
    """
    Content-Type: text/\(type); charset=utf-8
    Content-Transfer-Encoding: quoted-printable

    \(quotedPrintable(text))
    """
  }

  private static func date(_ time: Int64) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = .gmt
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss '+0000'"
    return formatter.string(from: Date(timeIntervalSince1970: Double(time) / 1000))
  }

  /// The text of a header. All but short plain words are encoded (RFC 2047), line ends included, so that no text can begin
  /// another header.
  static func header(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || byte == 0x20
    }
    guard !isPlain || text.utf8.count > 60 else { return text }
    var (words, word) = ([String](), [UInt8]())
    for scalar in text.unicodeScalars {
      let bytes = Array(String(scalar).utf8)
      // 39 bytes are 52 letters, an encoded word 64: a line with one has 76 at most (RFC 2047, 2), the header's name included.
      if word.count + bytes.count > 39 {
        words.append(encoded(word))
        word = []
      }
      word += bytes
    }
    return (words + [encoded(word)]).joined(separator: "\n ")
  }

  /// A header of text only: ASCII is not encoded, because spam filters distrust needless encoding.
  static func subject(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { (0x20...0x7e).contains($0) } && !text.contains("=?")
    return isPlain && text.utf8.count <= 60 ? text : header(text)
  }

  private static func encoded(_ word: [UInt8]) -> String { "=?utf-8?B?\(Data(word).base64EncodedString())?=" }

  /// Lines end with `\n`.
  static func quotedPrintable(_ text: String) -> String {
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return lines.map { line in
      var (result, length) = ("", 0)
      for (offset, byte) in line.enumerated() {
        let isLast = offset == line.count - 1
        let isPlain = (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "=") || byte == 0x20 && !isLast
        let piece = isPlain ? String(UnicodeScalar(byte)) : "=" + [byte].hex.uppercased()
        // Room for the mark of a continued line.
        if length + piece.utf8.count > 75 {
          result += "=\n"
          length = 0
        }
        result += piece
        length += piece.utf8.count
      }
      return result
    }.joined(separator: "\n")
  }
}
