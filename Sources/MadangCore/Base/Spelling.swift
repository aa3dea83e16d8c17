/// Suggests the correct form of a mistyped name.
package enum Spelling {
  /// The most similar name; nil if none is similar.
  package static func nearest(to text: String, among known: some Sequence<String>) -> String? {
    let nearest = known.map { (name: $0, distance: distance(text, $0)) }.min { $0.distance < $1.distance }
    // For a short text, every name is within three letters.
    return nearest.flatMap { $0.distance <= 3 && $0.distance < text.utf8.count ? $0.name : nil }
  }

  /// The longest text that is compared with names, in bytes.
  private static let longest = 100

  /// `; did you mean X?`, with the most similar name; empty if none is similar, or for a long text.
  package static func guess(_ text: String, among known: some Sequence<String>) -> String {
    guard text.utf8.count <= longest else { return "" }
    return nearest(to: text, among: known).map { "; did you mean \($0)?" } ?? ""
  }

  /// How many letters must be changed, inserted or removed (Levenshtein).
  private static func distance(_ first: String, _ second: String) -> Int {
    var row = Array(0...second.utf8.count)
    for (index, letter) in first.utf8.enumerated() {
      var corner = row[0]
      row[0] = index + 1
      for (column, other) in second.utf8.enumerated() {
        let cost = letter == other ? corner : 1 + min(corner, row[column], row[column + 1])
        (corner, row[column + 1]) = (row[column + 1], cost)
      }
    }
    return row[second.utf8.count]
  }
}
