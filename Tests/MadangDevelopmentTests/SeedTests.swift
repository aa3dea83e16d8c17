import MadangCore
import MadangDevelopment
import Testing

@Suite("Seeds")
struct SeedTests {
  @Test("the built-in seeds are valid", arguments: Seed.Shipped.allCases)
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
    "a mistake in a seed is reported with its line and the cure",
    arguments: [
      ("people:\n  - {email: mina}", 2, "email: not an e-mail address"),
      ("people:\n  - {email: a@b.co}\n  - {email: A@b.co}", 3, "an earlier person already has A@b.co"),
      (
        "people:\n  - email: a@b.co\n    nick: Mina", 3,
        "a person has no field 'nick'; it has count, email, password"
      ),
      ("people:\n  - {email: a@b.co, password: short}", 2, "password: 8 to 128 characters"),
      ("people:\n  - {email: a@b.co, coins: -1}", 2, "coins: a whole number from 0"),
      (
        "people:\n  - {email: a@b.co, picture: {color: red}}", 2, "color: of the picture that is made, like \"#ff8800\""
      ),
      ("people:\n  - {count: 2, email: a@b.co}", 2, "with count it must contain {n}"),
      ("people: []\nworkspaces:\n  - {name: W, owner: mina}", 3, "'mina' is not a person of this seed"),
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
        8, "a chat must be later than the one before it"
      ),
      ("people:\n\t- x", 2, "a tab before the text; YAML allows only spaces there"),
      ("people:\n  - {email: a@b.co\n  x\n", 4, "neither YAML nor JSON"),
      ("{\n\t\"people\": [],\n\t\"name\": \"\\q\"\n}", 3, "neither YAML nor JSON"),
      ("people: mina", 1, "people: a list, as [...] or with - before each part"),
      ("people:\n  - mina@b.co", 2, "a person must be written with its fields, {field: value}; it has count, email"),
      (
        "[1, 2]", 1,
        "a seed must be written with its fields, {field: value}; it has name, description, now, people, workspaces"
      ),
      ("{\"people\": [\n{\"email\": \"a@b.co\",\n\"email2\": 1}]}", 3, "no field 'email2'"),
    ])
  func problems(_ text: String, _ line: Int, _ words: String) {
    let error = #expect(throws: SeedError.self) { try Seed(text) }
    #expect(error?.line == line)
    #expect(error?.message.contains(words) ?? false, "\(String(describing: error))")
  }

  @Test("YAML aliases that expand to very many parts are an error and do not fill the memory")
  func manyParts() {
    let lists = (0..<12).map {
      "  l\($0): &l\($0) [\(Array(repeating: $0 == 0 ? "x" : "*l\($0 - 1)", count: 10).joined(separator: ", "))]"
    }
    #expect(throws: SeedError.self) { try Seed("people:\n" + lists.joined(separator: "\n")) }
  }

  @Test(
    "distances of time are read",
    arguments: [("-2h", -7_200_000), ("45s", 45_000), ("0", 0), ("+1d", 86_400_000), ("5ms", 5)])
  func distances(_ text: String, _ milliseconds: Int64) { #expect(TimeText.distance(text) == milliseconds) }

  @Test(
    "malformed distances of time are refused",
    arguments: ["", "h", "2", "2 h", "--2h", "2h3m", "9223372036854775807w", "٢h", "1e3s", "2x"])
  func noDistances(_ text: String) { #expect(TimeText.distance(text) == nil) }

  @Test("generated pictures have valid PNG checksums")
  func picture() throws {
    let text = "people: [{email: a@b.co, picture: {color: \"#ff8800\", width: 2, height: 1}}]"
    let picture = try #require(try Seed(text).planting(at: Seed.defaultStart).people[0].picture).bytes
    #expect(picture[12..<16].elementsEqual("IHDR".utf8) && Array(picture[29..<33]) == [0xCE, 0xEC, 0xED, 0xC9])
    #expect(picture.suffix(8).elementsEqual(Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]))
  }

  @Test("a placeholder becomes the number in texts with count, and stays in a single text")
  func placeholders() throws {
    let planting = try Seed(
      """
      people: [{count: 2, email: "p{n}@b.co", nickname: "{n}"}]
      workspaces: [{name: W, owner: p1, chats: [{count: 2, every: 1s, text: "{n} of {n}{n}"}, {at: 1d, text: "{n}"}]}]
      """
    ).planting(at: Seed.defaultStart)
    #expect(planting.people.map(\.nickname) == ["1", "2"])
    #expect(planting.workspaces[0].defaultChats.map(\.content) == ["1 of 11", "2 of 22", "{n}"])
  }
}
