import MadangAPI

/// What a page knows of its session and of the server.
struct SessionDescription: Encodable {
  struct Server: Encodable {
    let name: String
    /// Null: pages have colours of their own.
    let colour: String?
    /// Who may sign up here.
    let signup: String
    /// Whether links are mailed.
    let mail: Bool
    let edition: String
    let coins: Coins
    let limits: Limits
  }

  struct Coins: Encodable {
    let workspace: Int
  }

  struct Limits: Encodable {
    let files: Int
    let fileSize: Int
    /// Characters of a chat.
    let content: Int
  }

  /// Null before the sign-in.
  let account: Edition2024_10.Me?
  /// What a new account waits for before it can sign in; null for nothing.
  let waits: String?
  let proof: String
  /// The server's clock.
  let now: String
  let server: Server
}
