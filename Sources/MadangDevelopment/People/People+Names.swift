import MadangCore

/// People and places by their names. All throw ``WorldError`` for a name that nothing has, with the names that there are.
extension People {
  /// The person with an e-mail, or with the text before its `@`.
  package func person(_ name: String) async throws -> Person {
    try await server().answering { try await person(name, $0) }
  }

  func person(_ name: String, _ madang: Madang) async throws -> Person {
    let found = try await madang.people(named: name)
    switch found.count {
    case 1: return found[0]
    case 0:
      let shown = BadCall.shortened(name)
      let short = name.contains("@") ? "" : ", or '\(shown)@...'"
      let known = try await madang.peopleWithWorkspaces(after: 0, limit: Self.listed + 1).map(\.person.email)
      throw WorldError(
        "there is no person with the e-mail '\(shown)'\(short); "
          + (Self.list(known).map { "there are \($0)" } ?? "GET /_dev/people lists all"))
    default: throw WorldError("several people are called '\(name)'; write the whole e-mail")
    }
  }

  /// Replaces the text before an `@` by the whole e-mail; text with `@` or `*` is kept. Throws ``WorldError``.
  ///
  /// - Parameter field: The field's name, for errors.
  package func spellOut(_ account: inout String?, of field: String = "account") async throws {
    guard let name = account, !name.contains(where: { "@*".contains($0) }) else { return }
    account = try await server().answering { madang in
      do { return try await person(name, madang).email } catch let error as WorldError {
        throw WorldError("\(field): \(error.description)")
      }
    }
  }

  func workspace(_ name: String, _ madang: Madang) async throws -> Workspace {
    if let workspace = try await madang.workspace(named: name) { return workspace }
    let known = Self.list(try await madang.workspaceNames(limit: Self.listed + 1)).map { "there are \($0)" }
    throw WorldError(
      "there is no workspace '\(BadCall.shortened(name))'; \(known ?? "a place is written as in Weekend/ios")")
  }

  /// The channel of a place; if it names none, the one that each workspace begins with.
  func channel(_ place: Place, _ madang: Madang) async throws -> Channel {
    let workspace = try await workspace(place.workspace, madang)
    let name = place.channel ?? madang.settings.workspaces.channelName
    if let channel = try await madang.channel(named: name, in: workspace.id.number) { return channel }
    let known = Self.list(try await madang.channelNames(in: workspace.id.number, limit: Self.listed + 1))
    throw WorldError(
      "there is no channel '\(BadCall.shortened("\(place)"))'" + (known.map { "; \(workspace.name) has \($0)" } ?? ""))
  }

  /// How many names an error lists at most.
  private static let listed = 10

  /// Nil if there are none, or too many to list.
  private static func list(_ names: [String]) -> String? {
    guard (1...listed).contains(names.count) else { return nil }
    return names.map(BadCall.shortened).joined(separator: ", ")
  }
}
