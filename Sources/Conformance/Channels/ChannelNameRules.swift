import MadangAPI
import NIOHTTP1

/// Channels by name in paths (wire contract, Paths).
enum ChannelNameRules {
  private static func found(
    _ id: String, _ sentence: String, name: String, as segment: String
  ) -> Rule {
    Rule(id, .paths, sentence, in: [.january2024]) { trial in
      let person = try await trial.person()
      let workspace = try await person.workspace()
      _ = try await person.channel(name, in: workspace)
      try await person.call(.GET, "\(workspace.channels)/\(segment)").hasShape(trial.shapes.channelDetail)
    }
  }

  static let all: [Rule] = [
    found(
      "channels.names.encoded", "A name in a path is percent-encoded UTF-8.", name: "잡담 1", as: percentEncoded("잡담 1")),
    found(
      "channels.names.twice-encoded", "A name that was encoded twice is found.", name: "잡담",
      as: percentEncoded(percentEncoded("잡담"))),
    found(
      "channels.names.decomposed", "A name in NFD is found.", name: "각",
      as: percentEncoded("\u{1100}\u{1161}\u{11A8}")),
    found("channels.names.blanks", "Blanks around a name are trimmed.", name: "ios", as: "%20ios%20"),
    found("channels.names.percent", "A name may hold a percent sign.", name: "100%", as: "100%25"),
    .shape(
      "channels.names.my-alias", .channelEndpoints, "GET /channels/my/{name} is the channel's detail.",
      in: [.january2024], \.channelDetail
    ) {
      let person = try await $0.person()
      let workspace = try await person.workspace()
      _ = try await person.channel("잡담", in: workspace)
      return try await person.call(.GET, "\(workspace.channels)/my/\(percentEncoded("잡담"))")
    },
    Rule(
      "channels.names.renamed", .paths, "After a rename only the new name works, and old chats show it.",
      in: [.january2024]
    ) { trial in
      let person = try await trial.person()
      let room = try await person.channel("old", in: try await person.workspace())
      _ = try await person.say("hi", in: room)
      _ = try await person.put(room.path, ["name": "new"])
      try await person.call(.GET, room.path).isRefused(.notFound)
      let chats = try await person.list("\(room.workspace.channels)/new/chats")
      try expectEqual("channelName", try chats.texts("channelName"), ["new"])
    },
  ]
}
