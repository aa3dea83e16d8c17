import ArgumentParser
import MadangAPI
import MadangClient

struct WorkspaceShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a workspace with its channels and members.",
    usage: "madang workspace show [options]")

  @OptionGroup var options: WorkspaceOptions

  func run() async throws {
    try await options.withWorkspace { person, workspace in
      let detail = try await person.client.workspace(workspace.workspaceID)
      try person.output.object(
        detail,
        [
          ("name", detail.name), ("id", detail.workspaceID), ("description", detail.description),
          ("owner", detail.workspaceMembers.nickname(of: detail.ownerID)),
          ("since", LocalTime(detail.createdAt).day),
          ("channels", detail.channels.map { "#" + $0.name }.joined(separator: " ")),
          ("members", detail.workspaceMembers.map { "@" + $0.nickname }.joined(separator: " ")),
        ])
    }
  }
}

extension [Edition2024_10.Member] {
  /// The nickname of a member in the list; the id if it is not in the list.
  func nickname(of id: String) -> String { first { $0.userID == id }.map { "@" + $0.nickname } ?? id }
}
