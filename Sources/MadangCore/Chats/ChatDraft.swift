package struct ChatDraft: Sendable {
  package var content: String
  package var files: [StagedFile]

  package init(content: String, files: [StagedFile] = []) {
    self.content = content
    self.files = files
  }
}

package struct Unread: Sendable {
  package let room: Room
  package let count: Int
}
