import Testing

@testable import MadangCore

@Suite("Common passwords")
struct CommonPasswordsTests {
  @Test(
    "words and runs of keys with a few digits and symbols around them are common",
    arguments: [
      "Passw0rd!", "P@ssw0rd123!", "Password1!", "Qwer1234!", "1234Qwer!", "Qwerty12#", "Admin@123", "Welcome1!",
      "Iloveyou1!",
      "1q2w3e4r!Q", "Dkssud12!", "Asdf1234!", "L3tm3in!1", "Zaq12wsx!", "!QAZ1qaz2wsx",
    ])
  func common(_ password: String) { #expect(CommonPasswords.contains(password)) }

  @Test(
    "other passwords are not common, even if they begin with a common word",
    arguments: [
      "0therPass!", "Th1rdPass!", "G4rden-path", "Password-of-my-cat1", "Qwer12345678901!", "N3w-word!", "각각각각Aa1!",
      "12345678!", "",
    ])
  func other(_ password: String) { #expect(!CommonPasswords.contains(password)) }
}
