import HTTPTypes
import MadangServer
import NIOCore

/// A request whose answer is about to be with its client, or that gets none.
struct FinishedRequest: Sendable {
  let notes: ExchangeNotes
  /// What was found out of the request by then.
  var known: ExchangeNotes.Known
  /// Nil if the client got no answer.
  var status: Int?
  var answerHeaders: HTTPFields = [:]
  /// The beginning of the answer's body, if it is text.
  var answer = ByteBuffer()
  /// Of the answer's body, as far as it was handed to the connection.
  var answerSize = 0
  /// Uptime in nanoseconds.
  var end: UInt64
}
