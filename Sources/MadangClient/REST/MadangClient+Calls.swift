import AsyncHTTPClient
import MadangAPI

extension MadangClient {
  /// Makes a call with the credentials that the endpoint requires: with the session's token, renewed once if it has expired.
  func answer<Response: Decodable>(to call: Call<Response>) async throws -> Response {
    switch call.endpoint.route.access {
    case .publicKey, .refreshToken: try await http.answer(to: call, token: nil)
    case .expiredToken: try await http.answer(to: call, token: session.current().accessToken)
    case .token: try await authorised { try await http.answer(to: call, token: $0) }
    }
  }

  /// Runs `body` with the access token, and again with a new one if the server reports the first as expired.
  func authorised<Result>(_ body: (_ token: String) async throws -> Result) async throws -> Result {
    let token = try await session.current().accessToken
    do {
      return try await body(token)
    } catch let error as MadangError where error.code == .tokenExpired {
      let renewed = try await session.renewed(after: token).accessToken
      do {
        return try await body(renewed)
      } catch let error as MadangError where error.code == .badToken {
        try await session.refused(access: renewed)
        throw error
      }
    } catch let error as MadangError where error.code == .badToken {
      try await session.refused(access: token)
      throw error
    }
  }
}
