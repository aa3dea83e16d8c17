// An entry in words, as people read it.

extension JournalEntry {
  /// All of it in one line.
  package var line: String {
    ["\(number)", at, account ?? "", summary, outcome].filter { !$0.isEmpty }.joined(separator: "  ").inOneLine
  }

  /// What happened.
  package var summary: String {
    switch kind {
    case .request: "\(method ?? "") \(path ?? "")"
    case .connection: "\(transport ?? "socket") \(event ?? "")"
    case .packet:
      [direction == "fromClient" ? ">" : "<", packet, event, namespace].compactMap(\.self).joined(separator: " ")
    case .push: "push to \(deviceToken ?? "")"
    case .payment: "payment \(event ?? "") \(payment ?? "")"
    case .mail: "mail \(event ?? ""): \(subject ?? "")"
    }
  }

  /// How it ended.
  package var outcome: String {
    let time = milliseconds.map { "\(Int(exactly: $0.rounded()).map(String.init) ?? "\($0)") ms" }
    let answer = kind == .request ? status.map { "\($0)" } ?? "no answer" : nil
    return [answer, code, reason, time, fault.map { "fault \($0.rule): \($0.kind)" }].compactMap(\.self)
      .joined(separator: ", ")
  }
}

extension String {
  /// The text in one line, which a client cannot forge: control characters, separators of lines and signs that change the
  /// direction of text are written as `\u{1b}`.
  package var inOneLine: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        text += scalar == "\u{200d}" ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}
