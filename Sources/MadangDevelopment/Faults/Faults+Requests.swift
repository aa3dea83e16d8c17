import HTTPTypes
import Hummingbird
import MadangAPI
import MadangServer
import NIOCore
import SocketIOServer

extension Faults {
  /// Lets the server answer a request, which may be changed.
  typealias Answering = (Request) async throws -> Response

  /// Answers a request with the fault that is due.
  func respond(_ exchange: Exchange, _ request: Request, _ answer: Answering) async throws -> Response {
    guard outage.isOver else {
      // The connection belongs to another server of the process, which is not down.
      try? await exchange.channel.close()
      return .lost
    }
    let response = try await disturbedIfDue(exchange, request, answer)
    // Only requests create accounts.
    if lacksAccounts, exchange.head.method == .post { await learnAccounts() }
    return response
  }

  private func disturbedIfDue(
    _ exchange: Exchange, _ request: Request, _ answer: Answering
  ) async throws -> Response {
    guard disturbsRequests else { return try await answer(request) }
    var (request, body) = (request, JSONValue?.none)
    if readsBodies { (request, body) = try await exchange.withBody(of: request) }
    guard let fault = await decide(exchange, body) else { return try await answer(request) }
    exchange.suffers(fault.label)
    do { return try await disturbed(by: fault, exchange, request, answer) } catch is CancellationError {
      // A reset replaced the database while the fault delayed the request.
      try? await exchange.channel.close()
      return .lost
    }
  }

  private func disturbed(
    by fault: Applied, _ exchange: Exchange, _ request: Request, _ answer: Answering
  ) async throws -> Response {
    let effect = fault.effect
    switch effect.kind {
    case .status: return try await instead(effect.answer, effect, request, answer)
    case .expiredToken:
      return try await instead(
        await exchange.lease.server.refusalOfExpiredToken(exchange.head), effect, request, answer)
    case .limited:
      return try await instead(.refusal(.tooManyCalls, retryAfter: effect.retryAfter ?? 1), effect, request, answer)
    case .latency:
      guard effect.after ?? false else {
        try await exchange.lease.pause(for: fault.duration)
        return try await answer(request)
      }
      let response = try await answer(request)
      try await exchange.lease.pause(for: fault.duration)
      return response
    case .answerLost:
      _ = try await answer(request)
      try? await exchange.channel.close()
      return .lost
    case .reset:
      if effect.after ?? false { _ = try await answer(request) }
      try? await exchange.channel.reset().get()
      return .lost
    case .restart:
      if effect.after ?? false { _ = try await answer(request) }
      await outage.restart(downFor: fault.duration)
      return .lost
    case .cut: return try await answer(request).cut(after: effect.bytes ?? 0, exchange.channel)
    case .malformedJSON: return try await answer(request).withoutLastByte
    case .drip: return try await answer(request).dripping(effect.bytes ?? 1, every: fault.duration, exchange)
    case .slowUpload: return try await answer(await request.slowed(to: effect.bytesPerSecond ?? 1, exchange))
    case .cutUpload:
      let response = try await answer(request.cut(after: effect.bytes ?? 0, exchange.channel))
      return exchange.channel.isActive ? response : .lost
    case .contentType:
      var response = try await answer(request)
      response.headers[.contentType] = effect.contentType
      return response
    case .refuseUpgrade, .refuseNamespace, .drop, .delay, .duplicate, .reorder, .truncate, .silence, .noPong, .close,
      .disconnectNamespace, .resetSocket:
      return try await answer(request)
    }
  }

  /// Answers instead of the server, or after it if the effect says so.
  private func instead(
    _ response: Response, _ effect: FaultEffect, _ request: Request, _ answer: Answering
  ) async throws -> Response {
    if effect.after ?? false {
      _ = try await answer(request)
    } else {
      await request.readToEnd()
    }
    return response
  }
}

extension FaultEffect {
  /// The body of the answer to a `status` effect.
  fileprivate var answer: Response {
    var response: Response
    let status = HTTPResponse.Status(code: status ?? 500)
    if let code = code.flatMap(ErrorCode.init(rawValue:)) {
      response = .refusal(code)
      response.status = status
    } else if let body {
      response = .json(Array(body.utf8), status: status)
    } else {
      response = Response(status: status)
    }
    if let contentType { response.headers[.contentType] = contentType }
    if let retryAfter { response.headers[.retryAfter] = String(retryAfter) }
    return response
  }
}

extension Request {
  /// Reads the rest of the request, up to the limit of bodies: some clients report a network error if the answer comes
  /// while they still send.
  fileprivate func readToEnd() async {
    var left = 64 << 20
    do {
      for try await chunk in body {
        left -= chunk.readableBytes
        if left < 0 { return }
      }
    } catch {
      // The client is gone.
    }
  }
}

extension Response {
  /// The answer on a connection that is already closed, which no client gets.
  fileprivate static var lost: Response { Response(status: .ok) }

  fileprivate static func refusal(_ code: ErrorCode, retryAfter: Int? = nil) -> Response {
    var response = Response.json(code.body, status: .init(code: code.status))
    if let retryAfter { response.headers[.retryAfter] = String(retryAfter) }
    return response
  }
}
