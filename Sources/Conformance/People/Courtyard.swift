import MadangAPI

/// What most rules start from: A owns a workspace and has invited B; C is in none.
struct Courtyard: Sendable {
  let a: Person
  let b: Person
  let c: Person
  let workspace: Workspace
}

extension Trial {
  func courtyard() async throws -> Courtyard {
    async let (b, c) = (person("Joon"), person("Sora"))
    let a = try await person("Mina")
    let workspace = try await a.workspace()
    let guest = try await b
    try await a.invite(guest, to: workspace)
    return Courtyard(a: a, b: guest, c: try await c, workspace: workspace)
  }

  /// A new account alone in a channel of its own.
  func personInChannel() async throws -> (person: Person, room: Room) {
    let person = try await person()
    return (person, try await person.channel(in: try await person.workspace()))
  }

  /// An id of the edition's form that nothing has.
  var unknownID: String { isOctober ? "00000000-0000-4000-8000-000000000000" : "999999999" }
  var unknownIDValue: JSON { isOctober ? .text(unknownID) : .number(unknownID) }
}

extension Courtyard {
  /// A channel of A that B has joined as well.
  func sharedChannel(_ name: String = "ios") async throws -> Room {
    let room = try await a.channel(name, in: workspace)
    _ = try await b.history(of: room)
    return room
  }

  /// One channel and one direct message of A and B.
  func rooms() async throws -> [Room] {
    [try await sharedChannel(), try await a.directMessage(with: b, in: workspace)]
  }
}
