import Storage

/// The owner of a sum of files: an account with all files that it sent, or a workspace with the files in its chats.
enum FileUsageOwner: Hashable {
  case account(Int64)
  case workspace(Int64)

  var scope: String {
    switch self {
    case .account: "account"
    case .workspace: "workspace"
    }
  }

  var number: Int64 {
    switch self {
    case .account(let number), .workspace(let number): number
    }
  }

  /// The sum is changed just before COMMIT.
  var sum: SharedRow { SharedRow(kind: "file usage of \(scope)", number: number) }
}
