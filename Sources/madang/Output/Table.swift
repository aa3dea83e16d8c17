/// Rows under headings, aligned by display width. If the terminal is too narrow, the widest column shrinks first, then the first column.
struct Table {
  let headings: [String]
  let rows: [[String]]

  func lines(width: Int?) -> [String] {
    let all = [headings] + rows.map { $0.map { $0.printable.replacing("\n", with: " ") } }
    var widths = headings.indices.map { column in all.map { $0[column].columns }.max() ?? 0 }
    let gap = 2
    let total = widths.reduce(0, +) + gap * (widths.count - 1)
    if let width, var excess = Optional(total - width), excess > 0,
      let widest = widths.indices.max(by: { widths[$0] < widths[$1] })
    {
      for column in [widest, 0] where excess > 0 {
        let narrow = min(widths[column], max(8, widths[column] - excess))
        excess -= widths[column] - narrow
        widths[column] = narrow
      }
    }
    return all.map { row in
      let cells = zip(row, widths).map { $0.fitted(to: $1) }
      var line = cells.joined(separator: String(repeating: " ", count: gap))
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
