import HTTPTypes
import MadangServer
import NIOCore

/// A request whose answer is about to be with its client, or that gets none.
struct FinishedRequest: Sendable {
  let notes: ExchangeNotes
  /// Nil if the client got no answer.
  var status: Int?
  let answerHeaders: HTTPFields
  /// True only if the answer's header fields begin with `HTTPFields.json`.
  var beginsAsJSON = false
  /// The beginning of the answer's body, if it is text.
  var answer = ByteBuffer()
  /// Of the answer's body, as far as it was handed to the connection.
  var answerSize = 0
  /// Uptime in nanoseconds.
  var end: UInt64
}
