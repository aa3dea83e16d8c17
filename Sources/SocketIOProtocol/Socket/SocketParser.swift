/// How the packets of Socket.IO become messages of Engine.IO, and back. A client and its server must have the same one.
public enum SocketParser: Sendable {
  /// `socket.io-parser`, which every client has: a text with JSON, and a binary message for each attachment.
  case json
  /// `socket.io-msgpack-parser` 3: each packet is one binary message that holds a map of MessagePack, attachments in their
  /// places. Applications see the same as with ``json``: arguments are JSON texts with placeholders for what is binary.
  ///
  /// What JSON has no word for arrives as the reference's `JSON.stringify` would write it: a timestamp as an ISO 8601 text in
  /// UTC with milliseconds, numbers that are not finite and what is undefined as null. An extension of another type arrives
  /// as an array of the type's number and the bytes, as notepack.io reads it. A map that looks like a placeholder counts as
  /// one if its packet has binary values.
  case msgpack
}
