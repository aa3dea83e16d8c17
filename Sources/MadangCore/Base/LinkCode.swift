/// The code in a link that grants access to its holder: 128 random bits, of which only the hash is stored.
package struct LinkCode: Sendable {
  private static let randomBytes = 16

  package let text: String
  var hash: String { Self.hash(text) }

  init(_ ids: IDSource) { text = ids.bytes(Self.randomBytes).hex }

  static func hash(_ text: String) -> String { text.sha256 }

  /// Whether a text has the form of a code.
  package static func hasForm(_ text: String) -> Bool {
    text.utf8.count == 2 * randomBytes
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}

/// A page that is opened by links with a code: the first part of the path.
package enum LinkPage: String, CaseIterable, Sendable {
  case invite, password, confirm
}
