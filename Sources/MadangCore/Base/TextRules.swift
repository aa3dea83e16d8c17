import Foundation
import Storage

/// Rules for text that people type (wire contract, Text rules). Each returns the text in the form in which it is stored.
enum TextRules {
  /// Whether a text has a number of characters, as people count them, and no more bytes than ordinary text of that length needs: one letter
  /// may carry any number of combining marks.
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

  /// The form in which e-mail addresses are compared.
  static func emailKey(_ email: String) -> String { email.lowercased() }

  /// A common key for addresses that differ only between a `+` and the `@`. Most mail servers deliver them to one mailbox, so a person can
  /// invent any number of them. An address without a `+` has a key of its own.
  static func mailbox(_ email: String) -> String {
    let key = emailKey(email)
    guard let at = key.lastIndex(of: "@"), let plus = key[..<at].firstIndex(of: "+") else { return key }
    return "\(key[...plus])\(key[at...])"
  }

  /// The part of an e-mail address after the `@`, in lower case.
  static func emailDomain(_ email: String) -> String {
    email.lastIndex(of: "@").map { email[email.index(after: $0)...].lowercased() } ?? ""
  }

  /// Longest password in bytes. A longer one is refused without being normalised.
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

  /// A nickname from a provider's, cut to the allowed length; if it is blank, from the part of the e-mail address before the `@`.
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

  /// The name of an administrator: 1 to 60 characters without surrounding blanks.
  static func administratorName(_ text: String) throws -> String {
    let name = try plain(text, "name").trimmingCharacters(in: .whitespacesAndNewlines)
    guard fits(name, 1...60), !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      throw Failure(.invalid, "name: 1 to 60 characters on one line")
    }
    return name
  }

  /// A new administrator's name, which looks like no other text than itself: without characters that are not seen, and not like the makers
  /// of links in the audit log.
  static func newAdministratorName(_ text: String) throws -> String {
    let name = try administratorName(text)
    guard !name.unicodeScalars.contains(where: isUnseen), name.unicodeScalars.contains(where: isVisible) else {
      throw Failure(.invalid, "name: has characters that are not seen, or no visible one; leave them out")
    }
    guard !looks(name).hasPrefix("madang admin") else {
      throw Failure(
        .invalid, "name: must not begin with 'madang admin', which the audit log calls the operator's commands")
    }
    return name
  }

  /// What a name looks like: two names of equal looks are hard to tell apart.
  static func looks(_ name: String) -> String {
    let seen = String(String.UnicodeScalarView(name.unicodeScalars.filter { !isUnseen($0) }))
    return folded(folded(seen).precomposedStringWithCompatibilityMapping).split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
  }

  private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .spaceSeparator, .nonspacingMark, .spacingMark, .enclosingMark, .surrogate, .privateUse, .unassigned: false
    // The blank pattern of Braille.
    default: scalar.value != 0x2800
    }
  }

  /// The form in which names of administrators are compared; nil if no administrator can have the name.
  static func administratorKey(_ name: String) -> String? { (try? administratorName(name)).map(folded) }

  /// A name as it is compared with stored ones: NFC, without surrounding blanks.
  static func comparableName(_ text: String) -> String {
    normalized(text).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The new name of an edit; nil if it is missing or blank, which leaves the name unchanged.
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

  /// The reason that an administrator gives: 1 to 200 characters.
  static func note(_ text: String) throws -> String {
    let note = try plain(text, "note").trimmingCharacters(in: .whitespacesAndNewlines)
    guard fits(note, 1...200) else { throw Failure(.invalid, "note: 1 to 200 characters") }
    return note
  }

  /// Up to 4096 bytes, stored unchanged; an empty one clears the token.
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

  /// Most bytes of one character that is normalised. Characters of languages and emoji have at most 40, and the cost of NFC grows with the
  /// square of the marks on a letter.
  private static let maxCharacterSize = 256

  /// Most bytes of a form field, including surrounding blanks. Longer input is refused unread.
  private static let maxSize = 16_384

  /// Text in NFC without NUL.
  private static func plain(_ text: String, _ field: String) throws -> String {
    guard text.utf8.count <= maxSize else { throw Failure(.invalid, "\(field): more than \(maxSize) bytes") }
    guard !text.hasNUL else { throw Failure(.invalid, "\(field): contains a NUL character") }
    guard text.utf8.count <= maxCharacterSize || text.allSatisfy({ $0.utf8.count <= maxCharacterSize }) else {
      throw Failure(.invalid, "\(field): a letter with too many combining marks")
    }
    return normalized(text)
  }

  /// The form in which a search compares texts: case and composition do not matter. Converts to upper case first, because several
  /// lower-case letters may share one upper-case letter.
  static func folded(_ text: String) -> String { normalized(normalized(text).uppercased().lowercased()) }

  /// Text in NFC. A character of more than `maxCharacterSize` bytes is left as it is.
  ///
  /// Two characters never combine into one, so parts of a text can be normalised separately. Foundation moves the rest of a text for each
  /// letter that it composes, which costs the square of the length for the whole text.
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
