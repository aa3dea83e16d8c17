import Testing

@testable import MadangCore

@Suite("The second step of a sign-in")
struct SecondStepTests {
  static let example = SecondStep(secret: Array("12345678901234567890".utf8))

  @Test(
    "codes are those of RFC 6238, appendix B",
    arguments: [
      (59, 287_082), (1_111_111_109, 81804), (1_111_111_111, 50471), (1_234_567_890, 5924), (2_000_000_000, 279_037),
      (20_000_000_000, 353_130),
    ] as [(Int64, Int)])
  func codes(_ seconds: Int64, _ digits: Int) {
    #expect(Self.example.digits(in: SecondStep.number(at: seconds * 1000)) == digits)
  }

  @Test("a code counts in its own 30 seconds and in those beside them")
  func neighbours() {
    let (now, step): (Int64, Int64) = (1_234_567_890_000, 41_152_263)
    for other in step - 3...step + 3 {
      let found = Self.example.number(of: Self.example.digits(in: other), at: now)
      #expect(found == (abs(other - step) <= 1 ? other : nil))
    }
    #expect(Self.example.number(of: nil, at: now) == nil)
  }

  @Test("the secret is shown in Base32 as RFC 4648 has it")
  func base32() {
    #expect(Self.example.base32 == "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
    for (text, shown) in [
      ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("foobar", "MZXW6YTBOI"),
    ] {
      #expect(SecondStep(secret: Array(text.utf8)).base32 == shown)
    }
  }

  @Test("a sealed secret is read with its key only, and a plain one without a key")
  func seal() throws {
    let (key, other) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
    let sealed = try Self.example.stored(key: key)
    #expect(SecondStep(stored: sealed, key: key) == Self.example)
    #expect(SecondStep(stored: sealed, key: other) == nil && SecondStep(stored: sealed, key: []) == nil)
    #expect(try sealed != Self.example.stored(key: key), "each seal has a nonce of its own")
    let plain = try Self.example.stored(key: [])
    #expect(SecondStep(stored: plain, key: []) == Self.example && SecondStep(stored: plain, key: key) == Self.example)
    #expect(StoredSecret.isUnsealed(plain, key: key))
    #expect(!StoredSecret.isUnsealed(plain, key: []) && !StoredSecret.isUnsealed(sealed, key: key))
    for junk in ["", "plain", "sealed AAAA", "sealed \(plain.dropFirst(6))", "other \(plain.dropFirst(6))", "plain !"] {
      #expect(SecondStep(stored: junk, key: key) == nil, "\(junk)")
    }
  }

  @Test("a typed code is six digits or a recovery code, with blanks and hyphens where people put them")
  func typed() {
    for text in ["012345", " 012 345 ", "012-345"] { #expect(TypedCode(text).digits == 12345, "\(text)") }
    for text in ["abcde-fghij", "ABCDEFGHIJ", "abcde fghij", "2345678999"] {
      guard case .recovery(let code) = TypedCode(text) else {
        Issue.record("\(text) is no recovery code")
        continue
      }
      #expect(RecoveryCode.hasForm(code))
    }
    for text in [
      "", "12345", "1234567", "１２３４５６", "+12345", "abcdefghi0", "abcde-fghijk", String(repeating: "1", count: 65),
    ] {
      guard case .neither = TypedCode(text) else {
        Issue.record("\(text) is a code")
        continue
      }
    }
    #expect(RecoveryCode.hasForm(RecoveryCode.make(IDSource())))
  }
}
