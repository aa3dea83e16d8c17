public struct RetentionSettings: Sendable {
  public var chatDays = setting(
    "retention.chats.days", 0, .integer(0...36_500),
    "days chats are kept, where a workspace says nothing else; 0 for ever",
    .live)
  public var fileDays = setting(
    "retention.files.days", 0, .integer(0...36_500), "the same of the files of chats", .live)
  public var expiredFilesText = setting(
    "retention.files.text", "보관 기간이 지난 파일입니다.", .text, "what a chat without text says when its files are gone", .live)
  public var removedChatText = setting(
    "moderation.text", "삭제된 메시지입니다.", .text, "what stands in place of a chat that was taken away", .live)

  public init() {}
}
