/// How many columns text takes on a terminal: Korean, Chinese, Japanese and emoji take two.
extension Character {
  var columns: Int {
    guard let first = unicodeScalars.first else { return 0 }
    switch first.properties.generalCategory {
    case .control, .format, .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    let isEmoji = first.properties.isEmojiPresentation || unicodeScalars.contains { $0.value == 0xFE0F }
    return isEmoji || Self.wide.contains { $0.contains(first.value) } ? 2 : 1
  }

  /// The wide and full-width ranges of Unicode Standard Annex 11.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
    0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
    0x20000...0x3FFFD,
  ]
}

extension String {
  var columns: Int { reduce(0) { $0 + $1.columns } }

  /// The text padded to `width` columns, or cut with an ellipsis.
  func fitted(to width: Int) -> String {
    let columns = columns
    if columns <= width { return self + String(repeating: " ", count: width - columns) }
    var taken = ""
    var used = 1
    for character in self where used + character.columns <= width {
      used += character.columns
      taken.append(character)
      if used == width { break }
    }
    return taken + "…" + String(repeating: " ", count: max(0, width - used))
  }

  /// Lines of at most `width` columns, broken at blanks if possible.
  func wrapped(to width: Int?) -> [String] {
    let lines = split(separator: "\n", omittingEmptySubsequences: false)
    guard let width else { return lines.map(String.init) }
    return lines.flatMap { $0.wrappedLine(to: max(width, 8)) }
  }
}

extension Substring {
  fileprivate func wrappedLine(to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    var used = 0
    for word in split(separator: " ", omittingEmptySubsequences: false) {
      let columns = String(word).columns
      if !line.isEmpty, used + 1 + columns <= width {
        line += " " + word
        used += 1 + columns
        continue
      }
      if !line.isEmpty { lines.append(line) }
      (line, used) = ("", 0)
      for character in word {
        if used + character.columns > width {
          lines.append(line)
          (line, used) = ("", 0)
        }
        line.append(character)
        used += character.columns
      }
    }
    return lines + [line]
  }
}
