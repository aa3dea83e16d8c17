import Foundation
import MadangAPI
import MadangCore

/// Turns the text of a seed into data at a moment.
struct SeedReader {
  static let fields = ["name", "description", "now", "people", "workspaces", "scripts"]

  /// The largest `count`.
  static let maxCount = 1_000_000
  /// The largest number of all objects of a seed.
  static let maxRows = 2_000_000
  /// The most bytes of all texts and files of a seed: a short text with a `count` may expand to very many.
  static let maxBytes = 256 << 20
  static let defaultPassword = "Passw0rd!"
  static let placeholder = "{n}"

  /// The world's time.
  let start: Int64
  var planting = Planting()
  /// Indexes of people, by e-mail and by the text before its `@`; nil for an ambiguous name.
  var places: [String: Int?] = [:]
  var chats = 0
  /// The number of people, memberships, channels, chats and files so far.
  private var rows = 0
  /// Bytes of texts and files so far; shared ones count for each use.
  private var bytes = 0
  /// All people of the seed.
  private(set) var everybody = SeedCircle([])

  private let isCancelled: () -> Bool

  /// - Parameter isCancelled: Asked before each object.
  init(start: Int64, isCancelled: @escaping () -> Bool = { false }) {
    (self.start, self.isCancelled) = (start, isCancelled)
  }

  mutating func read(_ root: YAMLNode) throws(SeedError) -> Planting {
    let seed = try YAMLFields(root, "a seed", Self.fields)
    for person in try seed.list("people") { try read(person: person) }
    everybody = SeedCircle(Array(planting.people.indices))
    for workspace in try seed.list("workspaces") { planting.workspaces.append(try read(workspace: workspace)) }
    return planting
  }

  /// The scripts of a seed whose people and places were already read.
  func readScripts(_ root: YAMLNode) throws(SeedError) -> [Script] {
    guard let scripts = try YAMLFields(root, "a seed", Self.fields).node("scripts") else { return [] }
    let main = Settings().workspaces.channelName
    let channels = Dictionary(
      planting.workspaces.map { ($0.name, Set($0.channels.map(\.name) + [main])) },
      uniquingKeysWith: { first, _ in first })
    var reader = ScriptReader { (place, line, field) throws(SeedError) in
      guard let channels = channels[place.workspace] else {
        throw SeedError(line, "\(field): no workspace of this seed is called '\(BadCall.shortened(place.workspace))'")
      }
      guard place.channel.map(channels.contains) ?? true else {
        throw SeedError(
          line,
          "\(field): '\(BadCall.shortened(place.workspace))' has no channel '\(BadCall.shortened(place.channel ?? ""))'"
        )
      }
    }
    let read = try reader.read(all: scripts)
    for mention in read.flatMap(\.mentions) { _ = try person(mention.person, mention.field, at: mention.line) }
    return read
  }

  /// Counts objects before they are made. Throws ``SeedError`` if there are too many.
  mutating func count(_ made: Int, at line: Int) throws(SeedError) {
    guard !isCancelled() else { throw SeedError.cancelled }
    rows += made
    guard rows <= Self.maxRows else {
      throw SeedError(line, "a seed makes at most \(Self.maxRows) people, members, channels, chats and files together")
    }
  }

  /// Counts bytes of texts and files.
  mutating func count(bytes made: Int, at line: Int) throws(SeedError) {
    bytes += made
    guard bytes <= Self.maxBytes else {
      throw SeedError(
        line, "a seed makes at most \(Self.maxBytes) bytes of texts and files together; make fewer, or shorter ones")
    }
  }

  // MARK: People

  private mutating func read(person node: YAMLNode) throws(SeedError) {
    let person = try YAMLFields(
      node, "a person",
      ["count", "email", "password", "nickname", "phone", "picture", "coins", "joined", "devices"])
    let count = try person.number("count", in: 1...Self.maxCount)
    guard let email = try person.shortText("email") else {
      throw SeedError(
        person.line, "email: is missing; each person needs one, with count it contains \(Self.placeholder)")
    }
    guard count == nil || email.contains(Self.placeholder) else {
      throw SeedError(
        person.line("email"), "email: with count it must contain \(Self.placeholder), which becomes the person's number"
      )
    }
    let password = try person.text("password", as: .password) ?? Self.defaultPassword
    let nickname = try person.text("nickname")
    let phone = try person.text("phone", as: .phone) ?? ""
    let picture = try blob(person, "picture")
    let coins = try person.number("coins", in: 0...1_000_000_000)
    let joined = try person.moment("joined", from: start) ?? start - 30 * 86_400_000
    let devices = try read(devices: person)
    let (emails, nicknames) = (SeedTemplate(email, count), nickname.map { SeedTemplate($0, count) })
    for number in 1...(count ?? 1) {
      let email = emails.text(number)
      let local = String(email.prefix { $0 != "@" })
      let nickname = nicknames?.text(number) ?? local.capitalized
      try check(email, as: .email, at: person.line("email"))
      try check(nickname, as: .nickname, at: person.line("nickname"))
      var made = Planting.Person(email: email, password: password, nickname: nickname, createdAt: joined)
      (made.phone, made.picture, made.coins, made.devices) = (phone, picture, coins, devices)
      try self.count(picture == nil ? 1 : 2, at: person.line)
      try self.count(bytes: made.size, at: person.line)
      let place = planting.people.count
      guard places.updateValue(place, forKey: email.lowercased()) == nil else {
        throw SeedError(person.line("email"), "email: an earlier person already has \(BadCall.shortened(email))")
      }
      places[local.lowercased()] = places[local.lowercased()] == nil ? .some(place) : .some(nil)
      planting.people.append(made)
    }
  }

  private func read(devices person: YAMLFields) throws(SeedError) -> [Planting.Device] {
    var devices: [Planting.Device] = []
    for node in try person.list("devices") {
      let device = try YAMLFields(node, "a device", ["token", "edition"])
      guard let token = try device.text("token", as: .deviceToken) else {
        throw SeedError(device.line, "token: is missing; each device needs one")
      }
      let edition = try device.text("edition") ?? EditionName.october2024.rawValue
      guard EditionName(rawValue: edition) != nil else {
        throw SeedError(
          device.line("edition"), "edition: \(EditionName.allCases.map(\.rawValue).joined(separator: " or "))")
      }
      devices.append(Planting.Device(token: token, edition: edition))
    }
    return devices
  }

  /// The index of a person, by e-mail or by the text before its `@`.
  func person(_ node: YAMLNode, _ field: String) throws(SeedError) -> Int {
    try person(try node.shortText(field), field, at: node.line)
  }

  private func person(_ name: String, _ field: String, at line: Int) throws(SeedError) -> Int {
    switch places[name.lowercased()] {
    case .some(.some(let place)): return place
    case .some(.none):
      throw SeedError(line, "\(field): several people are called '\(BadCall.shortened(name))'; write the whole e-mail")
    case .none:
      throw SeedError(
        line,
        "\(field): '\(BadCall.shortened(name))' is not a person of this seed; write an e-mail, or its part before the @"
      )
    }
  }

  func members(
    _ fields: YAMLFields, besides owner: Int, of circle: SeedCircle, since: Int64
  ) throws(SeedError) -> [Planting.Member] {
    guard let node = fields.node("members") else { return [] }
    if case .text("everybody") = node.value {
      return circle.people.filter { $0 != owner }.map { Planting.Member(person: $0, joinedAt: since) }
    }
    var (members, seen) = ([Planting.Member](), Set<Int>())
    for node in try fields.list("members") {
      var member: Planting.Member
      if case .fields = node.value {
        let fields = try YAMLFields(node, "a member", ["who", "joined", "left"])
        guard let who = fields.node("who") else { throw SeedError(fields.line, "who: the member") }
        member = Planting.Member(
          person: try person(who, "who"), joinedAt: try fields.moment("joined", from: start) ?? since)
        member.hasLeft = try fields.flag("left")
      } else {
        member = Planting.Member(person: try person(node, "members"), joinedAt: since)
      }
      guard circle.contains(member.person) else {
        throw SeedError(node.line, "members: this person is not a member of the workspace; add them to its members")
      }
      if member.person == owner {
        guard !member.hasLeft else { throw SeedError(node.line, "left: the owner cannot leave; name another owner") }
        // An entry for the owner matters only if it has a date.
        guard member.joinedAt != since else { continue }
      }
      if seen.insert(member.person).inserted { members.append(member) }
    }
    return members
  }

  func check(_ text: String, as kind: Planting.Text, at line: Int) throws(SeedError) {
    if let problem = Planting.problem(with: text, as: kind) { throw SeedError(line, problem) }
  }

  func blob(_ fields: YAMLFields, _ name: String) throws(SeedError) -> Planting.Blob? {
    guard let node = fields.node(name) else { return nil }
    return try SeedFile.blob(node)
  }
}

extension Planting.Person {
  /// Bytes of texts and files.
  fileprivate var size: Int {
    let texts = [email, password, nickname, phone] + devices.map(\.token)
    return texts.reduce(picture?.bytes.count ?? 0) { $0 + $1.utf8.count }
  }
}
