import MadangCore

extension CoverageReport {
  /// A self-contained page, which is also well-formed XML.
  package var html: String {
    let rows = parts.map { part in
      """
      <tr><td>\(part.edition)</td><td><a href="#\(anchor(part))">\(part.section)</a></td><td>\(part.touched)</td>\
      <td>\(part.total)</td><td>\(bar(part.percent))</td></tr>
      """
    }
    let details = parts.map { part in
      let missing = part.missing.map { "<li class=\"missing\">\($0.asHTML)</li>" }
      let touched = part.counts.sorted { $0.key < $1.key }.map {
        "<li>\($0.key.asHTML) <small>\($0.value)</small></li>"
      }
      return """
        <h2 id="\(anchor(part))">\(part.edition): \(part.section)</h2>
        <ul>
        \((missing + touched).joined(separator: "\n"))
        </ul>
        """
    }
    return """
      <!DOCTYPE html>
      <html lang="en" xmlns="http://www.w3.org/1999/xhtml">
      <head>
      <meta charset="utf-8"/>
      <title>Coverage of the contract</title>
      <style>
      body { font: 15px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color-scheme: light dark; }
      td, th { padding: .2em 1em .2em 0; text-align: left; }
      ul { columns: 3 16em; padding-left: 1.2em; }
      .missing { color: #c0392b; font-weight: 600; }
      </style>
      </head>
      <body>
      <h1>Coverage of the contract: \(percent) %</h1>
      <p>\(touched) of \(total) were touched. Parts that were never touched are red.</p>
      <table>
      <tr><th>edition</th><th>section</th><th>touched</th><th>of</th><th>%</th></tr>
      \(rows.joined(separator: "\n"))
      </table>
      \(details.joined(separator: "\n"))
      </body>
      </html>

      """
  }

  private func anchor(_ part: Part) -> String { "e\(part.edition)-\(part.section)" }

  private func bar(_ percent: Double) -> String { "<meter value=\"\(percent)\" max=\"100\"></meter> \(percent)" }
}
