import SocketIOProtocol
import Testing

@Suite("A returning client's claim")
struct RecoveryClaimTests {
  @Test(
    "a claim is decoded from the auth payload",
    arguments: [
      (#"{"pid":"a","offset":"1"}"#, RecoveryClaim(pid: "a", offset: "1")),
      (#"{"token":"x","pid":"a"}"#, RecoveryClaim(pid: "a", offset: nil)),
      (#"{"pid":"a","offset":7}"#, RecoveryClaim(pid: "a", offset: nil)),
      (#"{"pid":"","offset":"1"}"#, nil), (#"{"pid":5}"#, nil), ("{}", nil), ("", nil), ("[1]", nil),
    ])
  func reads(auth: String, claim: RecoveryClaim?) {
    #expect(RecoveryClaim(auth: Array(auth.utf8)) == claim)
  }

  @Test(
    "a claim is put in front of the application's payload",
    arguments: [
      ("", #"{"pid":"a","offset":"1"}"#), ("{}", #"{"pid":"a","offset":"1"}"#), (" { } ", #"{"pid":"a","offset":"1"}"#),
      (#"{"token":"x"}"#, #"{"pid":"a","offset":"1","token":"x"}"#),
    ])
  func adds(auth: String, expected: String) {
    let added = RecoveryClaim(pid: "a", offset: "1").added(to: Array(auth.utf8))
    #expect(String(decoding: added, as: UTF8.self) == expected)
  }

  @Test("an offset encodes a number, and no other text is an offset", arguments: [0, 1, 35, 36, UInt64.max])
  func offsets(number: UInt64) {
    #expect(RecoveryClaim.number(offset: RecoveryClaim.offset(number)) == number)
    for other in ["", "01", "A", "-1", "hello world", "+1"] { #expect(RecoveryClaim.number(offset: other) == nil) }
  }
}
