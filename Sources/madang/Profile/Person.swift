import MadangAPI
import MadangClient

/// The person who runs a command: their client, profile and output.
struct Person {
  let client: MadangClient
  let profile: ProfileFile
  /// The id of the workspace chosen by `workspace use`.
  let workspaceInUse: String?
  let output: Output

  /// Stores a new session in the profile. Workspace and read marks are kept if the server is the same.
  func remember(_ login: Edition2024_10.Login) throws {
    let configuration = client.configuration
    try profile.update { profile in
      if profile?.server != configuration.server {
        profile = Profile(server: configuration.server, key: configuration.apiKey)
      }
      profile?.key = configuration.apiKey
      profile?.email = login.email
      profile?.tokens = login.token
    }
  }

  /// Records that the chats up to these were shown.
  func markRead(_ chats: some Sequence<Chat>) throws {
    var newest: [String: String] = [:]
    for chat in chats { newest[chat.roomID] = max(chat.createdAt, newest[chat.roomID] ?? "") }
    guard !newest.isEmpty else { return }
    try profile.update { $0?.read.merge(newest, uniquingKeysWith: max) }
  }
}
