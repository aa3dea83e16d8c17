import Storage

/// Codes for the time when an authenticator app is lost: 50 random bits each, stored like passwords, because they are short.
enum RecoveryCode {
  static let count = 10
  private static let length = 10
  /// Without letters and digits that look alike.
  private static let alphabet = Array("abcdefghijkmnpqrstuvwxyz23456789".utf8)

  static func make(_ ids: IDSource) -> String {
    String(decoding: ids.bytes(length).map { alphabet[Int($0) % alphabet.count] }, as: UTF8.self)
  }

  /// As people see it.
  static func shown(_ code: String) -> String { "\(code.prefix(5))-\(code.dropFirst(5))" }

  static func hasForm(_ text: String) -> Bool {
    text.utf8.count == length && text.utf8.allSatisfy(alphabet.contains)
  }
}

extension Madang {
  /// Recovery codes, and their hashes, which share a salt: one computation compares a typed code with all of them.
  /// - Parameter turn: Names the caller. Callers take turns at the hashing threads.
  func makeRecoveryCodes(turn: String) async throws -> (shown: [String], hashes: [String]) {
    let codes = (0..<RecoveryCode.count).map { _ in RecoveryCode.make(ids) }
    var hashes = [try await hash(password: codes[0], turn: turn)]
    for code in codes.dropFirst() { hashes.append(try await hash(code, like: hashes[0], turn: turn)) }
    return (codes.map(RecoveryCode.shown), hashes)
  }

  /// The hash of a text with the salt and the cost of a stored one. Without a stored one it costs as much.
  func hash(_ text: String, like stored: String?, turn: String) async throws -> String {
    guard let model = stored.flatMap(PasswordHash.init(stored:)) else {
      return try await hash(password: text, turn: turn)
    }
    return try await hashing.run(turn: turn) { try model.hash(of: text) }
  }
}
