import Foundation
import Storage

/// Rules for text that people type (wire contract, Text rules). Each returns the text as it is stored.
enum TextRules {
  /// Whether a text has that many characters, as people count them, and no more bytes than such text ever needs: one
  /// letter may carry any number of combining marks.
  private static func fits(_ text: String, _ characters: ClosedRange<Int>) -> Bool {
    // A character takes up to 9 bytes in decomposed Hangul, a family of emoji 25.
    guard text.utf8.count <= max(1000, 12 * characters.upperBound) else { return false }
    return characters.contains(text.count)
  }

  static func email(_ text: String) throws -> String {
    let email = try plain(text, "email").trimmingCharacters(in: .whitespacesAndNewlines)
    let parts = email.split(separator: "@", omittingEmptySubsequences: false)
    let labels = parts.last?.split(separator: ".", omittingEmptySubsequences: false) ?? []
    guard parts.count == 2, !parts[0].isEmpty, !email.contains(where: \.isWhitespace), labels.count >= 2,
      labels.allSatisfy({ !$0.isEmpty }), let top = labels.last, top.count >= 2, top.allSatisfy(\.isLetter),
      email.utf8.count <= 254
    else { throw Failure(.invalid, "email: not an e-mail address") }
    return email
  }

  /// What makes two e-mails the same.
  static func emailKey(_ email: String) -> String { email.lowercased() }

  /// The same for all addresses that differ only in what is behind a `+` before the `@`: most mail servers bring them to one person, so
  /// that somebody can think up any number of them. The address without a `+` is apart from them.
  static func mailbox(_ email: String) -> String {
    let key = emailKey(email)
    guard let at = key.lastIndex(of: "@"), let plus = key[..<at].firstIndex(of: "+") else { return key }
    return "\(key[...plus])\(key[at...])"
  }

  /// What is behind the `@` of an e-mail, in lower case.
  static func emailDomain(_ email: String) -> String {
    email.lastIndex(of: "@").map { email[email.index(after: $0)...].lowercased() } ?? ""
  }

  /// Bytes of a password. What is longer is none, and is not normalised to find out.
  static let maxPasswordSize = 12 * 128

  static func newPassword(_ password: String) throws -> String {
    guard password.utf8.count <= maxPasswordSize else { throw Failure(.invalid, "password: 8 to 128 characters") }
    let symbols = password.filter { !$0.isLetter && !$0.isNumber && !$0.isWhitespace }
    guard fits(password, 8...128), password.contains(where: \.isUppercase),
      password.contains(where: \.isLowercase), password.contains(where: \.isNumber), !symbols.isEmpty
    else {
      throw Failure(
        .invalid, "password: 8 to 128 characters with an upper-case and a lower-case letter, a digit and a symbol")
    }
    return password
  }

  static func nickname(_ text: String) throws -> String { try name(text, "nickname") }

  /// A nickname made from a provider's, cut to what is allowed; from the e-mail's local part if it is blank.
  static func nickname(from text: String, email: String) -> String {
    let candidates = [text, String(email.prefix { $0 != "@" })]
    return candidates.lazy.compactMap { try? nickname(String($0.trimmingCharacters(in: .whitespaces).prefix(30))) }
      .first ?? String(email.prefix(30))
  }

  /// A name of a person, workspace or channel: 1 to 30 characters without surrounding blanks.
  static func name(_ text: String, _ field: String = "name") throws -> String {
    let name = try plain(text, field).trimmingCharacters(in: .whitespacesAndNewlines)
    guard fits(name, 1...30) else { throw Failure(.invalid, "\(field): 1 to 30 characters") }
    return name
  }

  /// A name as it is compared with stored ones: NFC, without surrounding blanks.
  static func comparableName(_ text: String) -> String {
    normalized(text).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The new name of an edit; nil if there is none or it is blank, which leaves the name unchanged.
  static func newName(_ text: String?, _ rule: (String) throws -> String) rethrows -> String? {
    guard let text, text.utf8.count > maxSize || text.contains(where: { !$0.isWhitespace }) else { return nil }
    return try rule(text)
  }

  static func keyword(_ text: String) throws -> String {
    guard fits(text, 1...100) else { throw Failure(.invalid, "keyword: 1 to 100 characters") }
    return text
  }

  static func channelName(_ text: String) throws -> String {
    let name = try name(text)
    guard !["my", ".", ".."].contains(name) else { throw Failure(.invalid, "name: '\(name)' cannot be addressed") }
    return name
  }

  static func phone(_ text: String) throws -> String {
    let allowed = { (c: Character) in c.isASCII && (c.isNumber || "-+ ()".contains(c)) }
    guard fits(text, 0...20), text.allSatisfy(allowed) else {
      throw Failure(.invalid, "phone: up to 20 digits, '-', '+', blanks and parentheses")
    }
    return text
  }

  static func description(_ text: String) throws -> String {
    let text = try plain(text, "description")
    guard fits(text, 0...1000) else { throw Failure(.invalid, "description: up to 1000 characters") }
    return text
  }

  /// Why an administrator did something: 1 to 200 characters.
  static func note(_ text: String) throws -> String {
    let note = try plain(text, "note").trimmingCharacters(in: .whitespacesAndNewlines)
    guard fits(note, 1...200) else { throw Failure(.invalid, "note: 1 to 200 characters") }
    return note
  }

  /// Up to 4096 bytes, stored as sent; empty means none.
  static func deviceToken(_ text: String?) throws -> String? {
    guard let text, !text.isEmpty else { return nil }
    guard text.utf8.count <= 4096, !text.hasNUL else {
      throw Failure(.invalid, "deviceToken: up to 4096 bytes")
    }
    return text
  }

  static func content(_ text: String, maxLength: Int) throws -> String {
    guard !text.hasNUL else { throw Failure(.invalid, "content: contains a NUL character") }
    // A character has at least one byte, so short texts need no counting.
    guard text.utf8.count <= maxLength || fits(text, 0...maxLength) else {
      throw Failure(.invalid, "content: up to \(maxLength) characters")
    }
    return text
  }

  /// The most bytes of one character. Those of languages and emoji have 40 at most; NFC takes the square of the number of
  /// marks on a letter.
  private static let maxCharacterSize = 256

  /// Bytes of what people type into a field of a form, blanks around it included. More is refused before any of it is
  /// looked at.
  private static let maxSize = 16_384

  /// Text in NFC without NUL.
  private static func plain(_ text: String, _ field: String) throws -> String {
    guard text.utf8.count <= maxSize else { throw Failure(.invalid, "\(field): more than \(maxSize) bytes") }
    guard !text.hasNUL else { throw Failure(.invalid, "\(field): contains a NUL character") }
    guard text.utf8.count <= maxCharacterSize || text.allSatisfy({ $0.utf8.count <= maxCharacterSize }) else {
      throw Failure(.invalid, "\(field): a letter with too many marks")
    }
    return normalized(text)
  }

  /// What makes two texts the same for a search: neither case nor composition counts. By way of capitals, as several small letters may
  /// have one capital.
  static func folded(_ text: String) -> String { normalized(normalized(text).uppercased().lowercased()) }

  /// Text in NFC. A character of more than `maxCharacterSize` bytes stays as it is.
  ///
  /// No two characters combine into one, so that pieces of a text can be normalised by themselves. Foundation moves the
  /// rest of a text for each letter that it composes, the square of the length for all.
  static func normalized(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
    var result = ""
    var piece = text.startIndex..<text.startIndex
    var size = 0
    func finishPiece() {
      let text = text[piece]
      result += size > maxCharacterSize ? String(text) : text.precomposedStringWithCanonicalMapping
    }
    for index in text.indices {
      let next = text.index(after: index)
      let added = text.utf8.distance(from: index, to: next)
      if size + added > maxCharacterSize {
        finishPiece()
        piece = index..<index
        size = 0
      }
      piece = piece.lowerBound..<next
      size += added
    }
    finishPiece()
    return result
  }
}
