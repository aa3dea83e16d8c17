import MadangAPI

/// Prints results: as JSON, objects as the server sends them; otherwise as readable text.
struct Output {
  let json: Bool

  /// Prints one object.
  func object(_ value: some Encodable, _ people: @autoclosure () -> [(String, String)]) throws {
    if json { return try line(value) }
    let fields = people()
    let width = fields.map(\.0.columns).max() ?? 0
    for (label, text) in fields {
      try Terminal.line(label.fitted(to: width) + "  " + (text.isEmpty ? "-" : text.printable))
    }
  }

  /// Prints several objects: one JSON line each, or a table.
  func list<Value: Encodable>(_ values: [Value], _ columns: [Column<Value>], empty: String) throws {
    if json { return try values.forEach(line) }
    guard !values.isEmpty else { return Terminal.message(empty) }
    let table = Table(headings: columns.map(\.heading), rows: values.map { value in columns.map { $0.text(value) } })
    for line in table.lines(width: Terminal.width) { try Terminal.line(line) }
  }

  /// Prints one JSON line.
  func line(_ value: some Encodable) throws {
    try Terminal.json(WireEncoder.encode(value))
  }

  /// Prints a note, unless the output is JSON.
  func note(_ text: String) {
    if !json { Terminal.message(text) }
  }
}

struct Column<Value> {
  let heading: String
  let text: (Value) -> String

  init(_ heading: String, _ text: @escaping (Value) -> String) {
    self.heading = heading
    self.text = text
  }
}
