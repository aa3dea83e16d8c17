/// How Socket.IO packets are encoded as Engine.IO messages. A client and its server must use the same parser.
public enum SocketParser: Sendable {
  /// `socket.io-parser`, which every client has: a text with JSON, and a binary message for each attachment.
  case json
  /// `socket.io-msgpack-parser` 3: each packet is one binary message with a MessagePack map that contains the attachments. Applications see
  /// the same as with ``json``: arguments are JSON texts with placeholders for binary values.
  ///
  /// Values without a JSON equivalent arrive in the form of the reference's `JSON.stringify`: a timestamp as an ISO 8601 text in UTC with
  /// milliseconds, numbers that are not finite and undefined values as null. An extension of another type arrives as an array of the type's
  /// number and the bytes, as notepack.io reads it. A map that looks like a placeholder counts as one if its packet has binary values.
  case msgpack
}
