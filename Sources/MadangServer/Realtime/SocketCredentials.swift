import Foundation
import HTTPTypes
import MadangAPI
import SocketIOProtocol
import SocketIOServer

/// The key and token of a connect: from the handshake's headers, its query, or the connect payload.
struct SocketCredentials {
  let key: String?
  let token: String?

  private struct Payload: Decodable {
    let key: String?
    let token: String?
    let authorization: String?

    enum CodingKeys: String, CodingKey {
      case key = "SesacKey"
      case token
      case authorization = "Authorization"
    }
  }

  init(_ request: ConnectRequest) {
    let payload = request.auth.isEmpty ? nil : try? JSONDecoder().decode(Payload.self, from: Data(request.auth))
    let handshake = request.handshake
    let keys = [handshake.headers[.apiKey], handshake.query[HeaderName.apiKey], payload?.key]
    key = keys.lazy.compactMap { $0?.trimmingWhitespace() }.first { !$0.isEmpty }
    let tokens = [
      handshake.headers[.authorization], handshake.query[HeaderName.authorization], payload?.token,
      payload?.authorization,
    ]
    token = tokens.lazy.compactMap { $0.flatMap(rawToken) }.first
  }
}
