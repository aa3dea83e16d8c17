import HTTPTypes
import NIOCore
import SocketIOProtocol

/// The HTTP side of opening a WebSocket (RFC 6455 section 4).
enum WebSocketHandshake {
  /// Whether the request asks for a WebSocket.
  static func isWanted(by head: HTTPRequest) -> Bool {
    head.headerFields[.upgrade]?.lowercased() == "websocket"
  }

  private static func flaw(_ message: String) -> Refusal { Refusal(status: .badRequest, message: message) }

  /// The `Sec-WebSocket-Accept` value for a request.
  static func acceptKey(for request: EngineRequest) throws(Refusal) -> String {
    guard request.method == .get else { throw flaw("Invalid method") }
    guard let key = request.headers[.secWebSocketKey], Base64.decode(Array(key.utf8)[...])?.count == 16 else {
      throw flaw("Missing or invalid Sec-WebSocket-Key header")
    }
    guard request.headers[.secWebSocketVersion] == "13" else {
      throw flaw("Missing or invalid Sec-WebSocket-Version header")
    }
    let guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    var text: [UInt8] = []
    Base64.encode(MessageDigest.sha1(of: Array((key + guid).utf8)), into: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// The compression that a request offers and that is acceptable; `nil` if there is none.
  static func deflate(for request: EngineRequest) throws(Refusal) -> DeflateAgreement? {
    guard let field = request.headers[.secWebSocketExtensions] else { return nil }
    // A malformed field refuses the request (RFC 6455 section 9.1).
    guard let offers = WebSocketExtensionOffer.read(field) else {
      throw flaw("Invalid Sec-WebSocket-Extensions header")
    }
    return DeflateAgreement(offers)
  }

  /// The 101 answer.
  static func answer(acceptKey: String, headers: HTTPFields) -> ByteBuffer {
    var text = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    text += "Sec-WebSocket-Accept: \(acceptKey)\r\n"
    for field in headers { text += "\(field.name.rawName): \(field.value)\r\n" }
    return ByteBuffer(string: text + "\r\n")
  }

  /// An answer that refuses the request, after which the connection is closed.
  static func answer(_ refusal: Refusal) -> ByteBuffer {
    ByteBuffer(
      string: """
        HTTP/1.1 \(refusal.status.code) \(refusal.status.reasonPhrase)\r\nConnection: close\r\nContent-Type: text/html\r\n\
        Content-Length: \(refusal.message.utf8.count)\r\n\r\n\(refusal.message)
        """)
  }
}
