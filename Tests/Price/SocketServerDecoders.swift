import SocketIOProtocol

@testable import SocketIOServer

extension Decoder {
  /// What the Socket.IO server reads besides the protocols: frames, forms, header fields, and what other servers of its
  /// cluster tell.
  static let ofSocketServer: [Decoder] = [
    Decoder(
      "websocket-frames", corpus: "websocket-frames",
      Limits(workPerByte: 60, workPerPiece: 300, memory: 32 << 10, memoryPerByte: 6, holdsWhole: false)
    ) { input in
      var parser = WebSocketParser(maxMessageSize: 1000)
      for piece in input.pieces {
        parser.append(piece)
        while let event = parser.next() {
          if case .failure = event { return }
        }
      }
    },
    Decoder("jsonp", corpus: "forms", Limits(workPerByte: 300, memoryPerByte: 200)) { input in
      let payload = JSONP.payload(inForm: input.bytes)
      _ = JSONP(QueryString("j=0"))?.script(payload)
    },
    Decoder("headers", corpus: "headers", Limits(workPerByte: 300, memoryPerByte: 200)) { input in
      let text = String(decoding: input.bytes, as: UTF8.self)
      _ = ContentCoding(accepted: text)
      _ = LogText(text).text
    },
    Decoder("cluster", corpus: "cluster", Limits(workPerByte: 300, memoryPerByte: 200)) { input in
      _ = try ClusterMessage.decode(input.bytes)
    },
  ]
}
