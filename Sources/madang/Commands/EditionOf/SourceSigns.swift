import MadangAPI

/// Where something is in the sources.
struct SourcePlace: Encodable, Hashable {
  /// Relative to the folder that was read.
  let file: String
  let line: Int

  var text: String { "\(file):\(line)" }
}

/// Something that is in the sources, at its first place.
struct SourceSign: Encodable {
  let text: String
  let file: String
  let line: Int
  private(set) var times = 1

  init(_ text: String, _ place: SourcePlace) { (self.text, file, line) = (text, place.file, place.line) }

  mutating func repeated() { times += 1 }

  var place: SourcePlace { SourcePlace(file: file, line: line) }
}

/// Signs in the order in which they were found, each once.
struct SourceSigns {
  /// More different signs are not kept.
  private static let most = 500

  private(set) var all: [SourceSign] = []
  private var indices: [String: Int] = [:]

  mutating func add(_ text: String, _ place: SourcePlace) {
    if let index = indices[text] {
      all[index].repeated()
    } else if all.count < Self.most {
      indices[text] = all.count
      all.append(SourceSign(text, place))
    }
  }
}
