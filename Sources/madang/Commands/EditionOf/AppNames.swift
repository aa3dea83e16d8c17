/// Names that apps and their libraries use.
enum AppNames {
  /// Types and packages of Socket.IO clients.
  static let socketIO: Set = ["SocketIO", "SocketIOClient", "SocketManager", "socket_io_client"]

  /// Settings and types that bind an app to one host or certificate.
  static let pins: Set = [
    "NSExceptionDomains", "NSPinnedDomains", "ServerTrustManager", "ServerTrustPolicyManager", "CertificatePinner",
    "PinnedCertificatesTrustEvaluator", "PublicKeysTrustEvaluator", "SecTrustEvaluateWithError",
    "networkSecurityConfig",
    "badCertificateCallback",
  ]

  /// Longer lines of configuration files are not read.
  static let longestLine = 4096

  /// Whether a name is that of a server's address, such as `baseURL` or `API_URL`.
  static func isAddress(_ name: String) -> Bool {
    guard name.utf8.count <= 40 else { return false }
    let letters = name.lowercased().filter { $0 != "_" }
    return ["baseurl", "serverurl", "apiurl", "baseuri", "apihost", "serverhost"].contains { letters.hasSuffix($0) }
  }

  /// Whether a name consists of several words, such as `owner_id` or `createdAt`.
  static func isCompound(_ name: String) -> Bool { name.contains { $0 == "_" || $0.isUppercase } }
}

/// What surrounds a name in a source.
enum NamesInTokens {
  private static let declarations: Set = ["let", "var", "val", "case"]
  private static let integers: Set = [
    "Int", "Int32", "Int64", "UInt", "int", "long", "Long", "Integer", "NSInteger", "NSUInteger", "number",
  ]
  private static let texts: Set = ["String", "string", "NSString", "UUID"]
  private static let longestChain = 12

  /// Whether a field is declared here, as in `let name: String`, `String name;` or `{ name: string }`.
  static func isDeclared(at index: Int, of tokens: [SourceToken]) -> Bool {
    if index > 0, let before = tokens[index - 1].word, declarations.contains(before) { return true }
    guard index + 1 < tokens.count else { return false }
    return ":;=?,".unicodeScalars.contains(where: tokens[index + 1].isMark)
  }

  /// Whether a declared field is an integer; nil if that cannot be seen.
  static func isNumeric(at index: Int, of tokens: [SourceToken]) -> Bool? {
    let after = tokens[min(index + 1, tokens.count)...].drop { $0.isMark("?") }
    guard after.first?.isMark(":") == true else { return isNumeric(index > 0 ? tokens[index - 1].word : nil) }
    return isNumeric(after.dropFirst().first?.word)
  }

  private static func isNumeric(_ type: String?) -> Bool? {
    type.flatMap { integers.contains($0) ? true : texts.contains($0) ? false : nil }
  }

  /// The property for a field, as in `case id = "user_id"` and `@SerialName("user_id") val id`.
  static func property(for text: Int, of tokens: [SourceToken]) -> String? {
    if text > 1, tokens[text - 1].isMark("=") { return tokens[text - 2].word }
    guard text + 3 < tokens.count, tokens[text + 1].isMark(")"), let keyword = tokens[text + 2].word else { return nil }
    return declarations.contains(keyword) ? tokens[text + 3].word : nil
  }

  /// Whether declared properties are integers, as in `let id, name: String`; others are left out.
  static func types(in tokens: [SourceToken]) -> [String: Bool] {
    var types: [String: Bool] = [:]
    for (index, token) in tokens.enumerated() where token.word.map({ declarations.contains($0) }) == true {
      var names: [String] = []
      var end = index + 1
      while end + 1 < tokens.count, names.count < longestChain, let name = tokens[end].word {
        names.append(name)
        guard tokens[end + 1].isMark(",") else { break }
        end += 2
      }
      guard end + 2 < tokens.count, tokens[end + 1].isMark(":") else { continue }
      for name in names { types[name] = types[name] ?? isNumeric(tokens[end + 2].word) }
    }
    return types
  }

  /// A constant's name with its type, such as `APIKey.baseURL`; a name alone only where it is given a value.
  static func constant(at index: Int, of tokens: [SourceToken]) -> String? {
    var words = [tokens[index].word ?? ""]
    var start = index
    while start > 1, words.count < longestChain, tokens[start - 1].isMark("."), let word = tokens[start - 2].word {
      words.insert(word, at: 0)
      start -= 2
    }
    let isGiven = index + 1 < tokens.count && tokens[index + 1].isMark("=")
    guard words.count > 1 || isGiven, !words[0].hasSuffix("Error") else { return nil }
    return words.joined(separator: ".")
  }
}
