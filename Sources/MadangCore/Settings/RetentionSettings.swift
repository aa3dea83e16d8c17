public struct RetentionSettings: Sendable {
  public var chatDays = setting(
    "retention.chats.days", 0, .integer(0...36_500),
    "days chats are kept in a workspace without days of its own; 0 for ever",
    .live)
  public var fileDays = setting(
    "retention.files.days", 0, .integer(0...36_500),
    "days files of chats are kept in a workspace without days of its own; 0 for ever", .live)
  public var expiredFilesText = setting(
    "retention.files.text", "보관 기간이 지난 파일입니다.", .text, "text of a chat that had only files, once they are deleted",
    .live)
  public var removedChatText = setting(
    "moderation.text", "삭제된 메시지입니다.", .text, "text shown instead of a chat that was removed", .live)

  public init() {}
}
