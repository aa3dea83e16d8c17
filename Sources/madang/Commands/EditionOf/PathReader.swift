/// Finds the paths in a source's tokens: in single texts, in texts joined by `+`, and in lists of segments.
struct PathReader {
  struct Found {
    let path: WrittenPath
    /// The text that holds the path; empty for a list of segments.
    let text: [UInt8]
    let line: Int
    /// The HTTP method, if the path is the first argument of a call or annotation with its name, such as `@GET("…")`.
    let method: String?
    let isList: Bool
  }

  /// How far the ends of an expression are looked for.
  private static let farthest = 200
  private static let methods: Set = ["GET", "POST", "PUT", "DELETE", "PATCH"]

  private let tokens: [SourceToken]
  /// Segments with which paths begin. A constant with such a name, as in `Endpoint.workspaces.rawValue`, stands for one.
  private let roots: Set<String>

  init(_ tokens: [SourceToken], roots: Set<String>) { (self.tokens, self.roots) = (tokens, roots) }

  func all() -> [Found] {
    var found: [Found] = []
    var index = 0
    while index < tokens.count {
      if tokens[index].text != nil {
        let (text, expression) = joined(at: index)
        if let path = WrittenPath(text), !path.segments.isEmpty {
          let method = method(before: expression.lowerBound)
          found.append(Found(path: path, text: text, line: tokens[index].line, method: method, isList: false))
        }
        index = expression.upperBound
      } else if let (path, end) = list(at: index) {
        found.append(Found(path: path, text: [], line: tokens[index].line, method: nil, isList: true))
        index = end
      } else {
        index += 1
      }
    }
    return found
  }

  private func method(before index: Int) -> String? {
    guard index >= 2, tokens[index - 1].isMark("("), let word = tokens[index - 2].word?.uppercased() else { return nil }
    return Self.methods.contains(word) ? word : nil
  }

  // MARK: Joined texts

  /// The text that begins here with all that is joined to it, and the tokens of the whole expression.
  private func joined(at first: Int) -> (text: [UInt8], expression: Range<Int>) {
    var text = tokens[first].text ?? []
    var (start, end) = (first, first + 1)
    if first > 0, tokens[first - 1].isMark("+") {
      start = chainStart(before: first - 1)
      text = meaning(of: tokens[start..<(first - 1)]) + text
    }
    while end + 1 < tokens.count, tokens[end].isMark("+"), end - first < Self.farthest {
      if let more = tokens[end + 1].text {
        text += more
        end += 2
      } else {
        let after = chainEnd(from: end + 1)
        guard after > end + 1 else { break }
        text += meaning(of: tokens[(end + 1)..<after])
        end = after
      }
    }
    return (text, start..<end)
  }

  /// The segment that a constant is named after, otherwise a hole; with slashes, because the constant may end in one.
  private func meaning(of chain: ArraySlice<SourceToken>) -> [UInt8] {
    let segment = chain.lazy.compactMap(\.word).first { roots.contains($0) }
    let slash = [UInt8(ascii: "/")]
    return slash + (segment.map { Array($0.utf8) } ?? [SourceLexer.hole]) + slash
  }

  private func isOfChain(_ token: SourceToken) -> Bool {
    token.word != nil || ".!?".unicodeScalars.contains(where: token.isMark)
  }

  /// The index of a constant's first token, such as that of `a.b` in `a.b + "/c"`.
  private func chainStart(before plus: Int) -> Int {
    var start = plus
    while start > 0, plus - start < Self.farthest, isOfChain(tokens[start - 1]) { start -= 1 }
    return start
  }

  /// The index after a value such as `a.b?.c(d)[e]`.
  private func chainEnd(from start: Int) -> Int {
    var index = start
    while index < tokens.count, index - start < Self.farthest {
      if isOfChain(tokens[index]) {
        index += 1
      } else if tokens[index].isMark("(") || tokens[index].isMark("["), let end = balancedEnd(from: index) {
        index = end
      } else {
        break
      }
    }
    return index
  }

  private func balancedEnd(from start: Int) -> Int? {
    var open = 0
    for index in start..<min(tokens.count, start + Self.farthest) {
      if tokens[index].isMark("(") || tokens[index].isMark("[") { open += 1 }
      if tokens[index].isMark(")") || tokens[index].isMark("]") { open -= 1 }
      if open == 0 { return index + 1 }
    }
    return nil
  }

  // MARK: Lists of segments

  /// The path of a list such as `["workspaces", id, "members"]`, and the index after it; nil if none begins here.
  private func list(at open: Int) -> (path: WrittenPath, end: Int)? {
    guard tokens[open].isMark("[") || tokens[open].isMark("("), let first = tokens[safe: open + 1]?.text,
      let following = tokens[safe: open + 2],
      let root = WrittenPath(first), root.segments.count == 1, let name = root.segments[0].literal,
      roots.contains(name), following.isMark(",") || following.isMark("]")
    else { return nil }
    var segments = root.segments
    var index = open + 2
    while let token = tokens[safe: index], token.isMark(","), index - open < Self.farthest {
      index += 1
      if let text = tokens[safe: index]?.text, let path = WrittenPath(text), path.segments.count == 1 {
        segments += path.segments
        index += 1
      } else {
        let end = chainEnd(from: index)
        guard end > index else { break }
        segments.append(.hole)
        index = end
      }
    }
    let isClosed = tokens[safe: index].map { $0.isMark("]") || $0.isMark(")") } ?? false
    guard isClosed else { return nil }
    return (WrittenPath(segments), index + 1)
  }
}

extension Array {
  fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
