import MadangCore
import MadangDevelopment
import Testing

@Suite("Seeds")
struct SeedTests {
  @Test("the seeds that come with the program are right", arguments: Seed.Shipped.allCases)
  func shipped(_ shipped: Seed.Shipped) throws {
    let seed = try Seed(shipped)
    #expect(seed.name == shipped.rawValue)
    _ = try seed.planting(at: seed.start)
  }

  @Test("the crowded seed has 200 people, 50 channels and 100,000 chats")
  func crowded() throws {
    let planting = try Seed(.crowded).planting(at: Seed.defaultStart)
    #expect(planting.people.count == 200)
    #expect(planting.workspaces[0].channels.count == 50)
    #expect(planting.workspaces[0].channels.reduce(0) { $0 + $1.chats.count } == 100_000)
  }

  @Test(
    "what is wrong is told with its line and the cure",
    arguments: [
      ("people:\n  - {email: mina}", 2, "email: not an e-mail address"),
      ("people:\n  - {email: a@b.co}\n  - {email: A@b.co}", 3, "somebody before has A@b.co"),
      (
        "people:\n  - email: a@b.co\n    nick: Mina", 3,
        "a person has no field 'nick'; there are count, email, password"
      ),
      ("people:\n  - {email: a@b.co, password: short}", 2, "password: 8 to 128 characters"),
      ("people:\n  - {email: a@b.co, coins: -1}", 2, "coins: a whole number from 0"),
      (
        "people:\n  - {email: a@b.co, picture: {color: red}}", 2, "color: of the picture that is made, like \"#ff8800\""
      ),
      ("people:\n  - {count: 2, email: a@b.co}", 2, "with count it must hold {n}"),
      ("people: []\nworkspaces:\n  - {name: W, owner: mina}", 3, "'mina' is nobody of this seed"),
      (
        "people:\n  - {email: a@b.co}\n  - {email: a@c.co}\nworkspaces:\n  - {name: W, owner: a}", 5,
        "several people are called 'a'"
      ),
      (
        "people:\n  - {email: a@b.co}\nworkspaces:\n  - {name: W, owner: a, created: yesterday}", 4,
        "a distance from the world's time like"
      ),
      (
        "people:\n  - {email: a@b.co}\nworkspaces:\n  - name: W\n    owner: a\n    chats:\n      - {text: x, at: -1h}\n      - {text: y, at: -2h}",
        8, "a chat is later than the one before it"
      ),
      ("people:\n\t- x", 2, "neither YAML nor JSON"),
      ("[1, 2]", 1, "a seed has fields: name, description, now, people, workspaces"),
      ("{\"people\": [\n{\"email\": \"a@b.co\",\n\"email2\": 1}]}", 3, "no field 'email2'"),
    ])
  func problems(_ text: String, _ line: Int, _ words: String) {
    let error = #expect(throws: SeedError.self) { try Seed(text) }
    #expect(error?.line == line)
    #expect(error?.message.contains(words) ?? false, "\(String(describing: error))")
  }

  @Test("names for parts that stand for very many end in an error, not in all memory")
  func manyParts() {
    let lists = (0..<12).map {
      "  l\($0): &l\($0) [\(Array(repeating: $0 == 0 ? "x" : "*l\($0 - 1)", count: 10).joined(separator: ", "))]"
    }
    #expect(throws: SeedError.self) { try Seed("people:\n" + lists.joined(separator: "\n")) }
  }

  @Test(
    "distances of time", arguments: [("-2h", -7_200_000), ("45s", 45_000), ("0", 0), ("+1d", 86_400_000), ("5ms", 5)])
  func distances(_ text: String, _ milliseconds: Int64) { #expect(SeedTime.distance(text) == milliseconds) }

  @Test(
    "what is no distance is none",
    arguments: ["", "h", "2", "2 h", "--2h", "2h3m", "9223372036854775807w", "٢h", "1e3s", "2x"])
  func noDistances(_ text: String) { #expect(SeedTime.distance(text) == nil) }
}
