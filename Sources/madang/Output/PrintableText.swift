extension String {
  /// The text without characters that control a terminal, but for ends of lines and tabs: chats of others must not do so.
  var printable: String {
    String(unicodeScalars.map { $0.controlsTerminal && $0 != "\n" && $0 != "\t" ? "\u{FFFD}" : Character($0) })
  }
}

extension Unicode.Scalar {
  /// Whether it moves the cursor, changes colours, ends a line, or turns around the order of what follows in a line.
  var controlsTerminal: Bool {
    switch self {
    case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}": true
    default: false
    }
  }
}
