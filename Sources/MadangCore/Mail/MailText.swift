extension Mail {
  /// The line before the small print of a mail, as mail programs know it (RFC 3676, 4.3).
  static let delimiter = "-- "

  /// Writes a mail in the language of its reader.
  /// - Parameters:
  ///   - accepted: The reader's `Accept-Language`; nil if it is not known.
  ///   - values: What is filled into the texts.
  package init(
    _ kind: MailKind, to recipient: String, _ letter: KeyPath<MailWords, MailWords.Letter>, for accepted: String? = nil,
    _ settings: Settings, _ values: [String: String] = [:]
  ) {
    let words = MailWords.of(settings.face.language(for: accepted))
    // A value is one line, so that it can neither begin a paragraph nor pretend to be a link's label.
    let lines = values.merging(["name": settings.face.name, "address": settings.publicURL]) { own, _ in own }
      .mapValues { $0.split(whereSeparator: \.isNewline).joined(separator: " ") }
    let body = [
      words[keyPath: letter].body, "", Self.delimiter, kind.isToAccount ? words.toAccount : words.toOperator,
      "{name}: {address}", "",
    ].joined(separator: "\n")
    self.init(kind, to: recipient, subject: words[keyPath: letter].subject.filled(lines), body: body.filled(lines))
  }
}
