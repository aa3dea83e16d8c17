import ArgumentParser
import MadangOperations

struct AdminAnnounceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "announce", abstract: "Announce something: post a chat in the default channel of each workspace.",
    discussion: """
      People receive it like any chat: in the channel's history, live, and by push. A running server posts it within some seconds, in one \
      channel after the other (announcements.rate), and continues after a restart.
      """,
    subcommands: [AdminAnnounceCreate.self, AdminAnnounceList.self, AdminAnnounceCancel.self],
    defaultSubcommand: AdminAnnounceCreate.self)
}

extension AnnouncementSummary {
  /// The state of the announcement, in words.
  var state: String {
    if cancelledAt != nil { return "cancelled" }
    return waiting == 0 ? "posted" : "\(channels - waiting) of \(channels)"
  }
}

extension Output {
  func show(_ announcement: AnnouncementSummary) throws {
    try object(
      announcement,
      [
        ("number", "\(announcement.number)"), ("text", announcement.content), ("from", announcement.from),
        ("channels", "\(announcement.channels)"), ("state", announcement.state),
      ])
  }
}
