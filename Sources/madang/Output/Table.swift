/// Rows under headings, aligned by display width. The first column gives way when the terminal is too narrow.
struct Table {
  let headings: [String]
  let rows: [[String]]

  func lines(width: Int?) -> [String] {
    let all = [headings] + rows.map { $0.map { $0.printable.replacing("\n", with: " ") } }
    var widths = headings.indices.map { column in all.map { $0[column].columns }.max() ?? 0 }
    let gap = 2
    let total = widths.reduce(0, +) + gap * (widths.count - 1)
    if let width, total > width, let first = widths.first { widths[0] = max(8, first - (total - width)) }
    return all.map { row in
      let cells = zip(row, widths).map { $0.fitted(to: $1) }
      var line = cells.joined(separator: String(repeating: " ", count: gap))
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
