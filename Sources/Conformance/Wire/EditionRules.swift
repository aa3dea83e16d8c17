import MadangAPI
import NIOHTTP1

/// Both editions show one set of data (wire contract, Shared data).
enum EditionRules {
  static let all: [Rule] = [
    Rule(
      "editions.one-account", .sharedData, "An account signs in through either edition and finds its workspaces.",
      needs: [.bothEditions]
    ) { trial in
      let person = try await trial.person()
      let name = Trial.newName()
      _ = try await person.workspace(name)
      let other = try await trial.other.signIn(person)
      let workspaces = try await other.list("workspaces")
      try expectEqual("workspaces in the other edition", try workspaces.texts("name"), [name])
    },
    Rule(
      "editions.own-forms", .editionsSideBySide,
      "Each edition keeps its own forms of ids and keys for the same object.",
      needs: [.bothEditions]
    ) { trial in
      let person = try await trial.person()
      _ = try await person.workspace()
      let other = try await trial.other.signIn(person)
      try await other.call(.GET, "workspaces").hasShape(other.trial.shapes.workspaces)
      try await other.call(.GET, other.profilePath).hasShape(other.trial.shapes.profile)
    },
    Rule(
      "editions.chats", .sharedData, "A chat posted through one edition is in the history of the other, in its form.",
      needs: [.bothEditions]
    ) { trial in
      let person = try await trial.person()
      let workspace = try await person.workspace()
      _ = try await person.say("hi 각", in: try await person.channel(in: workspace))
      let other = try await trial.other.signIn(person)
      guard let found = try await other.list("workspaces").first else {
        throw Violation(expected: "the workspace", seen: "none")
      }
      let channels = "workspaces/\(try found.id("workspace_id"))/channels"
      guard let channel = try await other.list(channels).first else {
        throw Violation(expected: "a channel", seen: "none")
      }
      let path = "\(channels)/\(try channel.id(other.trial.isOctober ? "channel_id" : "name"))/chats"
      try await other.call(.GET, path).hasShape(.list(other.trial.shapes.channelChat))
    },
    .refusal(
      .unknownPath, "editions.own-profile", .editionsSideBySide,
      "The profile path of the other edition does not answer a profile.",
      in: [.october2024]
    ) {
      try await $0.person().call(.PUT, "users/my", .json(["nickname": "x"]))
    },
    .refusal(
      .unknownPath, "editions.own-paths", .editionsSideBySide, "Paths of 2024-10 are unknown in 2024-01.",
      in: [.january2024]
    ) {
      let person = try await $0.person()
      return try await person.call(.GET, (try await person.workspace()).path + "/my-channels")
    },
  ]
}
