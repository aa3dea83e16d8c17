import Foundation
import Hummingbird
import MadangAPI
import MadangCore
import SocketIOProtocol

/// What only a server in development mode has: stand-ins for other people's servers, and calls under `/_dev` that need
/// no key.
struct Development: Sendable {
  let payments: DevelopmentPayments
  let pushes = DevelopmentPushes()
  private let tokens: [SocialProvider: DevelopmentSocialTokens]
  private let instruments: Instruments?

  init(clock: MadangCore.Clock, ids: IDSource, instruments: Instruments?) {
    self.instruments = instruments
    payments = DevelopmentPayments(clock: clock, ids: ids)
    tokens = Dictionary(
      uniqueKeysWithValues: SocialProvider.allCases.map { ($0, DevelopmentSocialTokens($0, ids: ids)) })
  }

  func socialTokens(_ provider: SocialProvider) -> DevelopmentSocialTokens? { tokens[provider] }

  /// The answer to a call under `/_dev`; nil if there is none of that path.
  func respond(_ method: HTTPRequest.Method, _ path: ArraySlice<String>, _ target: RequestTarget, _ request: Request)
    async throws -> Response?
  {
    do {
      if let answer = try await instruments?.develop(method, path, request) { return answer }
      switch (method, path.joined(separator: "/")) {
      case (.post, "payments"):
        return .json(try WireEncoder.encode(try payments.record(try await Self.body(of: request))))
      case (.post, "social-tokens"):
        let call: DevelopmentSocialTokens.NewToken = try await Self.body(of: request)
        guard let tokens = SocialProvider(rawValue: call.provider).flatMap(socialTokens) else {
          throw BadCall("provider: apple or kakao")
        }
        return .json(try WireEncoder.encode(tokens.issue(call)))
      case (.get, "pushes"):
        return .json(pushes.list(after: target["after"].flatMap(Int.init) ?? 0))
      default: return nil
      }
    } catch let error as BadCall {
      return .json(try WireEncoder.encode(error), status: .badRequest)
    }
  }

  private static func body<Value: Decodable>(of request: Request) async throws -> Value {
    do {
      let body = try await request.body.collect(upTo: 64 * 1024)
      return try ForeignJSON.decode(Value.self, from: Array(body.readableBytesView))
    } catch {
      throw BadCall("the body is no JSON object with the fields of this call")
    }
  }
}

/// A development call that cannot be done, with the reason.
package struct BadCall: Error, Encodable, Equatable {
  package let error: String

  package init(_ error: String) { self.error = error }
}

/// The latest values by key; the oldest are forgotten beyond a limit.
struct RecentValues<Value: Sendable>: Sendable {
  private var values: [String: Value] = [:]
  private var order: [String] = []
  private let limit: Int

  init(limit: Int = 10_000) { self.limit = limit }

  subscript(_ key: String) -> Value? { values[key] }

  mutating func set(_ key: String, _ value: Value) {
    if values.updateValue(value, forKey: key) == nil { order.append(key) }
    // Half at a time, so that forgetting is seldom.
    guard order.count > limit else { return }
    for key in order.prefix(limit / 2) { values[key] = nil }
    order.removeFirst(limit / 2)
  }
}
