/// How an administrator names a workspace.
public struct WorkspaceName: Sendable, ExpressibleByStringLiteral {
  package let text: String
  /// Nil if the text may also be an id or a name.
  let number: Int64?

  /// - Parameter text: The workspace's number, id or name.
  public init(_ text: String) { (self.text, number) = (text, nil) }

  public init(stringLiteral text: String) { self.init(text) }

  package init(number: Int64) { (text, self.number) = ("\(number)", number) }
}

/// A workspace as an administrator sees it.
package struct WorkspaceRecord: Sendable {
  package let workspace: Workspace
  package let ownerEmail: String
  package let members: Int
  package let channels: Int
  package let chats: Int
  package let retention: RetentionDays
  /// Since when it is on legal hold, in milliseconds since 1970; nil if it is not.
  package let heldAt: Int64?
  /// When the owner deleted the workspace; nil if it exists.
  package let deletedAt: Int64?
}

/// Retention in days. 0 keeps forever; nil means the value in the settings.
package struct RetentionDays: Sendable {
  package let chats: Int?
  package let files: Int?

  /// The longest retention: a century.
  package static let limit = 36_500

  package init(chats: Int?, files: Int?) { (self.chats, self.files) = (chats, files) }
}
