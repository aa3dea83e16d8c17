/// How an installation shows itself to people, on pages and in mails.
package struct Face: Sendable {
  package var name = "Madang"
  /// Nil for the look's own colour.
  package var accent: Accent?
  /// The language of everything; nil for the reader's.
  package var language: Language?

  package init() {}

  /// The language for a reader who accepts these; English if there are texts for no other one.
  /// - Parameter accepted: The reader's `Accept-Language`; nil if it is not known.
  package func language(for accepted: String?) -> Language { language ?? Language(accepted: accepted) ?? .english }
}
