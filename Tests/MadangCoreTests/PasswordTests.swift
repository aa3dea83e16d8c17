import Foundation
import MadangCore
import Storage
import Support
import Testing

@testable import MadangCore

@Suite("Passwords")
struct PasswordTests {
  static let cheap = PasswordHash.Method.argon2id(PasswordCost(memory: 8, passes: 1))
  static let old = PasswordHash.Method.scrypt(logRounds: 4, blockSize: 8, parallelism: 1)

  @Test("a stored password matches only itself, and each hash has its own salt", arguments: [cheap, old])
  func matching(_ method: PasswordHash.Method) throws {
    let ids = IDSource()
    let first = try PasswordHash(of: "Passw0rd!", salt: ids.bytes(16), method: method)
    let second = try PasswordHash(of: "Passw0rd!", salt: ids.bytes(16), method: method)
    #expect(first.stored != second.stored)
    let read = try #require(PasswordHash(stored: first.stored))
    #expect(read.method == method)
    #expect(try read.matches("Passw0rd!"))
    #expect(try !read.matches("Passw0rd"))
  }

  @Test("hashes are read in the format of Argon2's reference program")
  func reference() throws {
    // echo -n password | argon2 somesalt -id -t 2 -k 65536 -p 1 -e
    let stored =
      "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
    let hash = try #require(PasswordHash(stored: stored))
    #expect(try hash.matches("password"))
    #expect(try !hash.matches("Password"))
    #expect(hash.stored == stored)
  }

  @Test(
    "text that is not a hash is rejected",
    arguments: [
      "plain", "", "$", "$$$$", "$argon2id$v=19$m=8,t=1$c2FsdA$aGFzaA", "$argon2id$v=16$m=8,t=1,p=1$c2FsdA$aGFzaA",
      "$scrypt$ln=4,r=8,p=1$!$!", "$bcrypt$a,b,c$c2FsdA$aGFzaA",
    ])
  func junk(_ text: String) { #expect(PasswordHash(stored: text) == nil) }

  @Test("while passwords have two costs, unknown addresses have each cost in the same share, and always the same cost")
  func decoys() throws {
    let costs = PasswordCosts()
    #expect(costs.decoy(for: "mina@example.com", key: [1]) == nil)
    let examples = try [Self.old, Self.cheap].map {
      try PasswordHash(of: "x", salt: Array(repeating: 7, count: 16), method: $0).stored
    }
    costs.note([(examples[0], 250), (examples[1], 750)])
    let decoys = (0..<1000).map { costs.decoy(for: "a\($0)@example.com", key: [1]) }
    #expect(decoys == (0..<1000).map { costs.decoy(for: "a\($0)@example.com", key: [1]) })
    #expect((200...300).contains(decoys.count { $0 == Self.old }))
    // An address with the higher cost keeps it until fewer passwords have it.
    costs.note([(examples[0], 100), (examples[1], 900)])
    for (index, decoy) in decoys.enumerated() where costs.decoy(for: "a\(index)@example.com", key: [1]) == Self.old {
      #expect(decoy == Self.old)
    }
  }
}
