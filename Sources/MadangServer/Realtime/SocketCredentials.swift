import HTTPTypes
import MadangAPI
import MadangCore
import SocketIOProtocol
import SocketIOServer

/// The key and token of a connect: from the handshake's headers, its query, or the connect payload.
struct SocketCredentials {
  let key: String?
  let token: String?

  init(_ request: ConnectRequest) { self.init(request.handshake, request.auth) }

  /// - Parameter auth: The connect payload.
  init(_ handshake: Handshake, _ auth: [UInt8]) {
    let members = JSONScanner.members(ofObject: auth) ?? []
    func payload(_ name: String) -> String? {
      members.last { $0.key == name }.flatMap { JSONText.string(auth[$0.value]) }
    }
    let keys = [handshake.headers[.apiKey], handshake.query[HeaderName.apiKey], payload(HeaderName.apiKey)]
    key = keys.lazy.compactMap { $0?.trimmingWhitespace() }.first { !$0.isEmpty }
    let tokens = [
      handshake.headers[.authorization], handshake.query[HeaderName.authorization], payload("token"),
      payload(HeaderName.authorization),
    ]
    token = tokens.lazy.compactMap { $0.flatMap(rawToken) }.first
  }
}
