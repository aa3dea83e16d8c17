import AsyncHTTPClient
import Foundation
import Logging
import MadangAPI
import MadangDevelopment
import NIOCore
import NIOHTTP1
import Support
import Testing

/// Worlds for one test, gone afterwards.
enum Scene {
  static let logger: Logger = {
    var logger = Logger(label: "test")
    logger.logLevel = .error
    return logger
  }()

  static func run(_ body: (Worlds) async throws -> Void) async throws {
    let worlds = try Worlds(logger: logger)
    do {
      try await body(worlds)
    } catch {
      await worlds.removeAll()
      throw error
    }
    await worlds.removeAll()
  }

  static func plan(_ seed: Seed.Shipped, number: UInt64? = nil) throws -> WorldPlan {
    var plan = WorldPlan(seed: try Seed(seed))
    plan.number = number
    return plan
  }
}

/// Calls a world as clients do.
struct Caller {
  let url: String
  var token: String?

  struct Answer {
    let status: Int
    let headers: HTTPHeaders
    let body: String

    var object: [String: Any] {
      get throws { try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any] ?? [:] }
    }
    var list: [[String: Any]] {
      get throws { try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [[String: Any]] ?? [] }
    }
  }

  func call(
    _ method: HTTPMethod, _ path: String, _ body: String? = nil, type: String = "application/json"
  ) async throws -> Answer {
    var request = HTTPClientRequest(url: url + (path.hasPrefix("/") ? path : "/v1/" + path))
    request.method = method
    request.headers.add(name: HeaderName.apiKey, value: DevelopmentKey.october2024)
    if let token { request.headers.add(name: HeaderName.authorization, value: token) }
    if let body {
      request.headers.add(name: "Content-Type", value: type)
      request.body = .bytes(ByteBuffer(string: body))
    }
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(120))
    let buffer = try await response.body.collect(upTo: 1 << 28)
    let answer = Answer(status: Int(response.status.code), headers: response.headers, body: String(buffer: buffer))
    if path.hasPrefix("/_dev") {
      let problems = DevelopmentDescription.shared.problems(
        of: answer.body, answer.status, answer.headers.first(name: "Content-Type"), to: method, path)
      for problem in problems {
        Issue.record("\(method) \(path): \(problem)\n\(answer.status) \(answer.body.prefix(2000))")
      }
    }
    return answer
  }

  func signedIn(_ email: String) async throws -> Caller {
    let answer = try await call(.POST, "users/login", #"{"email":"\#(email)","password":"Passw0rd!"}"#)
    let token = try answer.object["token"] as? [String: Any]
    return Caller(url: url, token: token?["accessToken"] as? String)
  }
}

/// Waits for a condition that no event announces.
func until(_ condition: @Sendable () async -> Bool) async {
  while await !condition(), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(2)) }
}

extension Caller {
  /// The path of the chats of a channel of this name.
  func chats(of name: String) async throws -> String {
    for workspace in try await call(.GET, "workspaces").list {
      let path = "workspaces/\(workspace["workspace_id"] as? String ?? "")/channels"
      for channel in try await call(.GET, path).list where channel["name"] as? String == name {
        return "\(path)/\(channel["channel_id"] as? String ?? "")/chats"
      }
    }
    throw WorldError("there is no channel \(name)")
  }
}
