import Foundation
import MadangAPI
import MadangClient
import MadangOperations
import MadangServer
import NIOCore
import Support
import Testing

extension RoomScene {
  /// Signs up a person at a server, reached by `url`, and makes a channel for them.
  static func run(
    _ server: TestServer, through url: String? = nil,
    _ adjust: (inout MadangClient.Configuration) -> Void = { _ in }, _ body: (RoomScene) async throws -> Void
  ) async throws {
    try await run(through: url ?? server.url, in: server.folder, adjust, body)
  }

  /// Runs `body` with a scene on a faulty network, and with another device of the same person on a reliable one. The room's pages have ten
  /// chats.
  /// - Parameter readTimeout: How long an answer may pause. Shorten it only for tests that wait for it: on a busy
  ///   machine answers are late.
  static func onFaultyNetwork(
    _ engine: TestEngine, readTimeout: Duration = .seconds(60),
    _ body:
      @escaping @Sendable (_ network: FaultyNetwork, _ scene: Self, _ elsewhere: MadangClient) async throws ->
      Void
  ) async throws {
    try await World.run(engine, settings: World.settings(\.callLimits.requests, 0)) { world in
      let port = try #require(URL(string: world.url)?.port)
      try await FaultyNetwork.run(to: port) { network in
        try await RoomScene.run(through: network.url, in: world.data, { adjust(&$0, readTimeout) }) { scene in
          let elsewhere = MadangClient(configuration: .init(server: world.url, apiKey: DevelopmentKey.october2024))
          do {
            try await elsewhere.signIn(email: scene.email, password: RoomScene.password)
            try await body(network, scene, elsewhere)
          } catch {
            try? await elsewhere.close()
            throw error
          }
          try await elsewhere.close()
        }
      }
    }
  }

  private static func adjust(_ configuration: inout MadangClient.Configuration, _ readTimeout: Duration) {
    configuration.readTimeout = readTimeout
    configuration.historyPage = 10
    configuration.roomPage = 10
  }
}
