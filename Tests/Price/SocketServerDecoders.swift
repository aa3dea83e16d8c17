import HTTPTypes
import NIOCore
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
    // An inflater takes some 60 KiB. A frame of 18 bytes becomes 1000, each of which is looked at.
    Decoder(
      "websocket-deflate", corpus: "websocket-deflate",
      Limits(
        work: 20_000, workPerByte: 300, workPerPiece: 300, memory: 160 << 10, memoryPerByte: 6, holdsWhole: false)
    ) { input in
      guard let inflater = Inflater() else { return }
      var parser = WebSocketParser(maxMessageSize: 1000, inflater: inflater)
      for piece in input.pieces {
        parser.append(piece)
        while let event = parser.next() {
          if case .failure = event { return }
        }
      }
    },
    Decoder("client-hellos", corpus: "client-hellos", Limits(workPerByte: 100, workPerPiece: 300, memoryPerByte: 24)) {
      input in
      var reader = ClientHelloReader()
      for piece in input.pieces where reader.read(piece) != .incomplete { return }
    },
    // What stands behind the header is for another decoder.
    Decoder(
      "proxy-headers", corpus: "proxy-headers",
      Limits(work: 12_000, workPerByte: 60, workPerPiece: 4000, memory: 32 << 10, memoryPerByte: 8)
    ) { input in
      var waiting = ByteBuffer()
      for piece in input.pieces {
        waiting.writeImmutableBuffer(piece)
        if let header = try ProxyHeader.take(from: &waiting) {
          var fields: HTTPFields = [:]
          return header.note(in: &fields)
        }
      }
    },
    Decoder("extensions", corpus: "extensions", Limits(workPerByte: 100, memoryPerByte: 120)) { input in
      let offers = WebSocketExtensionOffer.read(String(decoding: input.bytes, as: UTF8.self))
      _ = offers.flatMap(DeflateAgreement.init)?.field(windowBits: 15)
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
