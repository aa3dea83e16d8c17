import MadangAPI
import MadangClient

/// Who runs a command: the client, what it remembers and where it prints.
struct Person {
  let client: MadangClient
  let profile: ProfileFile
  /// The id of the workspace chosen with `workspace use`.
  let workspaceInUse: String?
  let output: Output

  /// Makes the profile that of a new session. The workspace and read marks stay if the server does.
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

  /// Remembers that chats up to these have been shown.
  func markRead(_ chats: some Sequence<Chat>) throws {
    var newest: [String: String] = [:]
    for chat in chats { newest[chat.roomID] = max(chat.createdAt, newest[chat.roomID] ?? "") }
    guard !newest.isEmpty else { return }
    try profile.update { $0?.read.merge(newest, uniquingKeysWith: max) }
  }
}
