import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// A small chat client, as apps have one: it knows nothing of Madang but the wire. An app for phones only would use `URLSession`.
public actor TinyChat {
  public struct Place: Decodable, Sendable {
    public let id: String
    public let name: String

    private enum CodingKeys: String, CodingKey {
      case workspace = "workspace_id"
      case channel = "channel_id"
      case name
    }

    public init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      // A channel's answer names its channel only; a workspace's its workspace.
      id = try fields.decodeIfPresent(String.self, forKey: .channel) ?? fields.decode(String.self, forKey: .workspace)
      name = try fields.decode(String.self, forKey: .name)
    }
  }

  public struct Chat: Decodable, Equatable, Sendable {
    public let content: String?
    public let createdAt: String
  }

  public enum Failure: Error, Equatable {
    /// The server's error code, such as `E03`.
    case refused(String)
    /// The server did not answer as it should; nobody knows whether it did what was asked.
    case unclear
  }

  private struct Login: Decodable {
    struct Tokens: Decodable {
      var accessToken: String
      let refreshToken: String
    }

    let token: Tokens
  }

  private struct Renewed: Decodable { let accessToken: String }
  private struct Refusal: Decodable { let errorCode: String }
  private struct Unread: Decodable { let count: Int }

  private let server: String
  private let key: String
  private var tokens: Login.Tokens?

  public init(server: String, key: String) { (self.server, self.key) = (server, key) }

  public func signIn(email: String, password: String) async throws {
    let body = try JSONEncoder().encode(["email": email, "password": password])
    tokens = try await call(Login.self, .POST, "users/login", body).token
  }

  public func workspaces() async throws -> [Place] { try await authorised([Place].self, .GET, "workspaces") }

  public func channels(of workspace: Place) async throws -> [Place] {
    try await authorised([Place].self, .GET, "workspaces/\(workspace.id)/channels")
  }

  public func chats(in channel: Place, of workspace: Place) async throws -> [Chat] {
    try await authorised([Chat].self, .GET, "workspaces/\(workspace.id)/channels/\(channel.id)/chats")
  }

  public func unread(in channel: Place, of workspace: Place, after date: String) async throws -> Int {
    let path = "workspaces/\(workspace.id)/channels/\(channel.id)/unreads?after=\(date)"
    return try await authorised(Unread.self, .GET, path).count
  }

  /// Posts a chat once: where the answer did not come, it looks whether the chat is there before it posts again.
  public func post(_ text: String, in channel: Place, of workspace: Place) async throws {
    let known = try await chats(in: channel, of: workspace).last?.createdAt ?? ""
    let path = "workspaces/\(workspace.id)/channels/\(channel.id)/chats"
    for _ in 0..<3 {
      do {
        _ = try await authorised(Chat.self, .POST, path, JSONEncoder().encode(["content": text]))
        return
      } catch Failure.unclear {
        let newer = try await chats(in: channel, of: workspace).filter { $0.createdAt > known }
        if newer.contains(where: { $0.content == text }) { return }
      }
    }
    throw Failure.unclear
  }

  // MARK: Calls

  /// A call with the access token, which is renewed once if it has expired.
  private func authorised<Answer: Decodable>(
    _ type: Answer.Type, _ method: HTTPMethod, _ path: String, _ body: Data? = nil
  ) async throws -> Answer {
    do { return try await call(type, method, path, body) } catch Failure.refused("E05") {
      let renewed = try await call(Renewed.self, .GET, "auth/refresh", nil)
      tokens?.accessToken = renewed.accessToken
      return try await call(type, method, path, body)
    }
  }

  private func call<Answer: Decodable>(
    _ type: Answer.Type, _ method: HTTPMethod, _ path: String, _ body: Data?
  ) async throws -> Answer {
    var request = HTTPClientRequest(url: "\(server)/v1/\(path)")
    request.method = method
    request.headers = ["SesacKey": key, "Content-Type": "application/json"]
    if let tokens {
      request.headers.add(name: "Authorization", value: tokens.accessToken)
      request.headers.add(name: "RefreshToken", value: tokens.refreshToken)
    }
    if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
    guard let response = try? await HTTPClient.shared.execute(request, timeout: .seconds(10)),
      let content = try? await response.body.collect(upTo: 1 << 20)
    else { throw Failure.unclear }
    let data = Data(content.readableBytesView)
    if response.status == .ok, let answer = try? JSONDecoder().decode(type, from: data) { return answer }
    guard response.status != .ok, let refusal = try? JSONDecoder().decode(Refusal.self, from: data) else {
      throw Failure.unclear
    }
    throw Failure.refused(refusal.errorCode)
  }
}
