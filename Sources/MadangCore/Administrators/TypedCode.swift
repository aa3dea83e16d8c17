/// The code of a sign-in, as it was typed: digits of an authenticator app, or a recovery code. Its form decides what is computed, whether or
/// not name and password are right.
enum TypedCode: Sendable {
  case digits(Int)
  case recovery(String)
  case neither

  init(_ text: String) {
    guard text.utf8.count <= 64 else {
      self = .neither
      return
    }
    let text = text.lowercased().filter { !$0.isWhitespace && $0 != "-" }
    let isDigits = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    if text.utf8.count == 6, isDigits, let digits = Int(text) {
      self = .digits(digits)
    } else {
      self = RecoveryCode.hasForm(text) ? .recovery(text) : .neither
    }
  }

  /// Of a sign-in with it.
  var refusal: AdministratorRefusal { if case .recovery = self { .recovery } else { .credentials } }

  var digits: Int? { if case .digits(let digits) = self { digits } else { nil } }
}
