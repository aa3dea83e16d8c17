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
    public let id: String
    public let content: String?
    public let createdAt: String

    private enum CodingKeys: String, CodingKey {
      case id = "chat_id"
      case content, createdAt
    }
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

  /// The first packet of a Socket.IO connection. Its times are in milliseconds.
  private struct Opened: Decodable {
    let sid: String
    let pingInterval: Int
    let pingTimeout: Int
  }

  private struct Event: Decodable {
    let chat: Chat

    init(from decoder: any Decoder) throws {
      var arguments = try decoder.unkeyedContainer()
      _ = try arguments.decode(String.self)
      chat = try arguments.decode(Chat.self)
    }
  }

  private let server: String
  private let key: String
  private var tokens: Login.Tokens?

  public init(server: String, key: String) { (self.server, self.key) = (server, key) }

  public func signIn(email: String, password: String, deviceToken: String = "") async throws {
    let body = try JSONEncoder().encode(["email": email, "password": password, "deviceToken": deviceToken])
    tokens = try await call(Login.self, .POST, "users/login", body).token
  }

  /// Signs out on this device; others stay signed in.
  public func signOut() async throws {
    _ = try await answer(.GET, "v1/users/logout", headers(Self.json), nil, within: .seconds(10))
    tokens = nil
  }

  public func workspaces() async throws -> [Place] { try await authorised([Place].self, .GET, "workspaces") }

  public func channels(of workspace: Place) async throws -> [Place] {
    try await authorised([Place].self, .GET, "workspaces/\(workspace.id)/channels")
  }

  /// The chats after a date, oldest first.
  public func chats(in channel: Place, of workspace: Place, after date: String = "") async throws -> [Chat] {
    let path = "workspaces/\(workspace.id)/channels/\(channel.id)/chats?cursor_date=\(date)"
    return try await authorised([Chat].self, .GET, path)
  }

  public func unread(in channel: Place, of workspace: Place, after date: String) async throws -> Int {
    let path = "workspaces/\(workspace.id)/channels/\(channel.id)/unreads?after=\(date)"
    return try await authorised(Unread.self, .GET, path).count
  }

  /// Posts a chat once: where the answer did not come, it looks whether the chat is there before it posts again.
  /// - Parameter pictures: Up to five pictures in PNG.
  public func post(
    _ text: String, pictures: [Data] = [], in channel: Place, of workspace: Place
  ) async throws {
    let (body, type) =
      pictures.isEmpty ? (try JSONEncoder().encode(["content": text]), Self.json) : Self.form(text, pictures)
    let known = try await chats(in: channel, of: workspace).last?.createdAt ?? ""
    let path = "workspaces/\(workspace.id)/channels/\(channel.id)/chats"
    for _ in 0..<3 {
      do {
        _ = try await authorised(Chat.self, .POST, path, body, type)
        return
      } catch Failure.unclear {
        let newer = try await chats(in: channel, of: workspace, after: known)
        if newer.contains(where: { $0.content == text }) { return }
      }
    }
    throw Failure.unclear
  }

  private static let json = "application/json"

  /// A chat with pictures, as multipart/form-data.
  private static func form(_ text: String, _ pictures: [Data]) -> (body: Data, type: String) {
    let mark = UUID().uuidString
    var body = Data("--\(mark)\r\nContent-Disposition: form-data; name=\"content\"\r\n\r\n\(text)\r\n".utf8)
    for (number, picture) in pictures.enumerated() {
      let head = "Content-Disposition: form-data; name=\"files\"; filename=\"\(number).png\"\r\nContent-Type: image/png"
      body += Data("--\(mark)\r\n\(head)\r\n\r\n".utf8) + picture + Data("\r\n".utf8)
    }
    return (body + Data("--\(mark)--\r\n".utf8), "multipart/form-data; boundary=\(mark)")
  }

  // MARK: Live chats

  /// Each chat of a channel once: the history, then new ones as they come. It connects again whenever a connection ends, and reads what
  /// it missed. A connection without a packet for `patience` counts as dead; without it, the server says how long.
  public nonisolated func live(in channel: Place, of workspace: Place, patience: Duration? = nil) -> AsyncStream<Chat> {
    AsyncStream { stream in
      let task = Task {
        await self.listen(to: channel, of: workspace, patience) { stream.yield($0) }
        stream.finish()
      }
      stream.onTermination = { _ in task.cancel() }
    }
  }

  private func listen(
    to channel: Place, of workspace: Place, _ patience: Duration?, show: @Sendable (Chat) -> Void
  ) async {
    var known: Set<String> = []
    var newest = ""
    while !Task.isCancelled {
      // A lost connection is no error here.
      try? await connection(to: channel, of: workspace, after: newest, patience) { chat in
        newest = max(newest, chat.createdAt)
        if known.insert(chat.id).inserted { show(chat) }
      }
      try? await Task.sleep(for: .milliseconds(200))
    }
  }

  /// One Socket.IO connection by long-polling, until it ends or falls silent.
  private func connection(
    to channel: Place, of workspace: Place, after date: String, _ patience: Duration?, show: (Chat) -> Void
  ) async throws {
    let opened = try JSONDecoder().decode(Opened.self, from: try await packets(.GET).dropFirst())
    let session = "&sid=\(opened.sid)"
    let credentials = try JSONEncoder().encode(["SesacKey": key, "token": tokens?.accessToken ?? ""])
    _ = try await packets(.POST, session, Data("40/ws-channel-\(channel.id),".utf8) + credentials)
    // A server that is alive sends a ping within this time.
    let patience = patience ?? .milliseconds(opened.pingInterval + opened.pingTimeout)
    while !Task.isCancelled {
      for packet in try await packets(.GET, session, within: patience).split(separator: 0x1E) {
        let type = String(decoding: packet.prefix(3), as: UTF8.self)
        switch type {
        case "2": _ = try await packets(.POST, session, Data("3".utf8))
        case "40/": try await chats(in: channel, of: workspace, after: date).forEach(show)
        case "42/":
          let arguments = packet.drop { $0 != UInt8(ascii: ",") }.dropFirst()
          show(try JSONDecoder().decode(Event.self, from: arguments).chat)
        case "6": break
        default:
          // A refused or ended connection. An expired token is renewed by the next call.
          _ = try await workspaces()
          throw Failure.unclear
        }
      }
    }
  }

  private func packets(
    _ method: HTTPMethod, _ session: String = "", _ body: Data? = nil, within time: Duration = .seconds(10)
  ) async throws -> Data {
    try await answer(method, "socket.io/?EIO=4&transport=polling\(session)", [:], body, within: time).data
  }

  // MARK: Calls

  /// A call with the access token, which is renewed once if it has expired.
  private func authorised<Answer: Decodable>(
    _ type: Answer.Type, _ method: HTTPMethod, _ path: String, _ body: Data? = nil, _ contentType: String = json
  ) async throws -> Answer {
    do { return try await call(type, method, path, body, contentType) } catch Failure.refused("E05") {
      let renewed = try await call(Renewed.self, .GET, "auth/refresh", nil)
      tokens?.accessToken = renewed.accessToken
      return try await call(type, method, path, body, contentType)
    }
  }

  private func call<Answer: Decodable>(
    _ type: Answer.Type, _ method: HTTPMethod, _ path: String, _ body: Data?, _ contentType: String = json
  ) async throws -> Answer {
    let (status, data) = try await answer(method, "v1/\(path)", headers(contentType), body, within: .seconds(10))
    if status == .ok, let answer = try? JSONDecoder().decode(type, from: data) { return answer }
    guard status != .ok, let refusal = try? JSONDecoder().decode(Refusal.self, from: data) else {
      throw Failure.unclear
    }
    throw Failure.refused(refusal.errorCode)
  }

  private func headers(_ contentType: String) -> HTTPHeaders {
    var headers: HTTPHeaders = ["SesacKey": key, "Content-Type": contentType]
    if let tokens {
      headers.add(name: "Authorization", value: tokens.accessToken)
      headers.add(name: "RefreshToken", value: tokens.refreshToken)
    }
    return headers
  }

  private func answer(
    _ method: HTTPMethod, _ path: String, _ headers: HTTPHeaders, _ body: Data?, within time: Duration
  ) async throws -> (status: HTTPResponseStatus, data: Data) {
    var request = HTTPClientRequest(url: "\(server)/\(path)")
    request.method = method
    request.headers = headers
    if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
    guard let response = try? await HTTPClient.shared.execute(request, timeout: TimeAmount(time)),
      let content = try? await response.body.collect(upTo: 1 << 20)
    else { throw Failure.unclear }
    return (response.status, Data(content.readableBytesView))
  }
}
