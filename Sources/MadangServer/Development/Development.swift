import Foundation
import Hummingbird
import MadangAPI
import MadangCore
import NIOCore

/// The parts that only a server in development mode has: stand-ins for providers, and calls under `/_dev` without a key.
struct Development: Sendable {
  let payments: DevelopmentPayments
  let pushes: DevelopmentPushes
  let mails = DevelopmentMails()
  let sessions = DevelopmentSessions()
  private let tokens: [SocialProvider: DevelopmentSocialTokens]
  private let observer: (@Sendable (Occurrence) -> Void)?

  /// - Parameter observe: Receives events at the stand-ins. Must not block.
  init(clock: MadangCore.Clock, ids: IDSource, observe: (@Sendable (Occurrence) -> Void)?) {
    observer = observe
    payments = DevelopmentPayments(clock: clock, ids: ids)
    pushes = DevelopmentPushes(observe)
    tokens = Dictionary(
      uniqueKeysWithValues: SocialProvider.allCases.map { ($0, DevelopmentSocialTokens($0, ids: ids)) })
  }

  func observe(_ occurrence: Occurrence) { observer?(occurrence) }

  func socialTokens(_ provider: SocialProvider) -> DevelopmentSocialTokens? { tokens[provider] }

  /// The answer to a call under `/_dev`; nil if it has no such path.
  func respond(
    _ method: HTTPRequest.Method, _ path: ArraySlice<String>, _ target: RequestTarget, _ request: Request
  ) async throws -> Response? {
    do {
      switch (method, path.joined(separator: "/")) {
      case (.post, "payments"):
        try BadCall.refuse(target.keys, besides: [])
        return .json(try WireEncoder.encode(record(try await Self.body(of: request))))
      case (.post, "social-tokens"):
        try BadCall.refuse(target.keys, besides: [])
        return .json(try WireEncoder.encode(issue(try await Self.body(of: request))))
      case (.get, "pushes"):
        try BadCall.refuse(target.keys, besides: ["after"])
        guard let after = Int(target["after"] ?? "0"), after >= 0 else {
          throw BadCall("after: the id of a notification, a whole number from 0")
        }
        return .json(pushes.list(after: after))
      case (.get, "mails"):
        try BadCall.refuse(target.keys, besides: ["after", "to"])
        guard let after = Int(target["after"] ?? "0"), after >= 0 else {
          throw BadCall("after: the id of a mail, a whole number from 0")
        }
        return .json(try WireEncoder.encode(mails.list(after: after, to: target["to"])))
      default:
        let call = "\(method.rawValue) /_dev/\(path.joined(separator: "/"))"
        let error = BadCall(
          "there is no development call \(call) here; GET /_dev/openapi.json lists them. Worlds are created at the server; reset and "
            + "snapshots are calls of a world; payments, social-tokens, pushes and mails are at its own port")
        return .json(try WireEncoder.encode(error), status: .notFound)
      }
    } catch let error as BadCall {
      return .json(try WireEncoder.encode(error), status: .badRequest)
    }
  }

  /// A person has paid.
  func record(_ new: DevelopmentPayments.NewPayment) throws(BadCall) -> DevelopmentPayments.Recorded {
    let payment = try payments.record(new)
    observe(
      .payment(
        .init(event: .recorded, id: payment.id, merchantID: payment.merchantID, amount: payment.amount)))
    return DevelopmentPayments.Recorded(impUID: payment.id)
  }

  /// A person has signed in at Apple or Kakao.
  func issue(_ new: DevelopmentSocialTokens.NewToken) throws(BadCall) -> DevelopmentSocialTokens.Issued {
    guard let tokens = SocialProvider(rawValue: new.provider).flatMap(socialTokens) else {
      throw BadCall("provider: apple or kakao")
    }
    return try tokens.issue(new)
  }

  /// The largest body of a call, in bytes.
  private static let maxBody = 64 * 1024

  private static func body<Fields: CallFields>(of request: Request) async throws -> Fields {
    guard let body = try? await request.body.collect(upTo: maxBody) else {
      throw BadCall("the body may have \(maxBody) bytes at most")
    }
    return try CallBody.fields(of: Array(body.readableBytesView))
  }
}

/// The latest values by key; the oldest are removed beyond a limit.
package struct RecentValues<Value: Sendable>: Sendable {
  private var values: [String: Value] = [:]
  private var order: [String] = []
  private let limit: Int

  package init(limit: Int = 10_000) { self.limit = limit }

  package subscript(_ key: String) -> Value? { values[key] }

  package mutating func set(_ key: String, _ value: Value) {
    if values.updateValue(value, forKey: key) == nil { order.append(key) }
    // Half at a time, so that this is rare.
    guard order.count > limit else { return }
    for key in order.prefix(limit / 2) { values[key] = nil }
    order.removeFirst(limit / 2)
  }
}
