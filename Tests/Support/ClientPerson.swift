import MadangAPI
import MadangClient
import Testing

extension MadangClient {
  /// Runs `body` as a new person with an account, and closes the client afterwards in any case.
  package static func withPerson(
    _ nickname: String, by client: MadangClient, _ body: (MadangClient) async throws -> Void
  ) async throws {
    do {
      try await client.signUp(email: "\(nickname.lowercased())@example.com", password: "Passw0rd!", nickname: nickname)
      try await body(client)
    } catch {
      try? await client.close()
      throw error
    }
    try await client.close()
  }

  /// The default channel of a new workspace that this person owns.
  package func newRoom(_ workspace: String = "Builders") async throws -> RoomAddress {
    let workspace = try await createWorkspace(name: workspace).workspaceID
    let channel = try #require(try await myChannels(in: workspace).first)
    return .channel(id: channel.channelID, workspace: workspace)
  }
}
