import Foundation
import MadangTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A client of Socket.IO that polls, and does not connect again by itself.
struct PollingClient {
  private let world: MadangWorld
  private let token: String
  /// The id of its session.
  let session: String
  /// In milliseconds, as the server demands it.
  let pingInterval: Int

  /// Opens a session.
  /// - Parameter email: Whose sockets it opens; nil for a client that joins no room.
  init(of world: MadangWorld, as email: String? = nil) async throws {
    struct Login: Decodable {
      struct Token: Decodable { let accessToken: String }
      let token: Token
    }
    struct Handshake: Decodable {
      let sid: String
      let pingInterval: Int
    }
    self.world = world
    if let email {
      let body = #"{"email":"\#(email)","password":"Passw0rd!"}"#
      let answer = try await Self.send("POST", "\(world.url)/v1/users/login", body)
      token = try JSONDecoder().decode(Login.self, from: Data(answer.text.utf8)).token.accessToken
    } else {
      token = ""
    }
    let opened = try await Self.send("GET", "\(world.url)/socket.io/?EIO=4&transport=polling", token: token)
    let handshake = try JSONDecoder().decode(Handshake.self, from: Data(opened.text.dropFirst().utf8))
    (session, pingInterval) = (handshake.sid, handshake.pingInterval)
  }

  func join(_ namespace: String) async throws {
    _ = try await Self.send("POST", address, "40\(namespace),", token: token)
    #expect(try await poll().text.hasPrefix("40\(namespace),"))
  }

  func poll() async throws -> (status: Int, text: String) { try await Self.send("GET", address, token: token) }

  private var address: String { "\(world.url)/socket.io/?EIO=4&transport=polling&sid=\(session)" }

  private static func send(
    _ method: String, _ address: String, _ body: String? = nil, token: String = ""
  ) async throws -> (status: Int, text: String) {
    var request = URLRequest(url: try #require(URL(string: address)))
    (request.httpMethod, request.httpBody) = (method, body.map { Data($0.utf8) })
    request.setValue(MadangWorld.apiKey, forHTTPHeaderField: "SesacKey")
    if !token.isEmpty { request.setValue(token, forHTTPHeaderField: "Authorization") }
    if body?.hasPrefix("{") == true { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
    // Cookies of one server would travel to the others, which have the same host.
    request.httpShouldHandleCookies = false
    let (data, response) = try await URLSession.shared.data(for: request)
    return (try #require(response as? HTTPURLResponse).statusCode, String(decoding: data, as: UTF8.self))
  }
}
