import HTTPTypes
import MadangServer

/// A request whose answer is about to reach its client, or that gets no answer.
struct FinishedRequest: Sendable {
  let exchange: Exchange
  /// Nil if the client got no answer.
  var status: Int?
  var answerHeaders: HTTPFields = [:]
  /// The first bytes of the answer's body, if it is text.
  var answer: [UInt8] = []
  /// Size of the answer's body, as far as it was written to the connection.
  var answerSize = 0
  /// Uptime in nanoseconds.
  var end: UInt64

  /// The contract's code in the answer of a refusal.
  var code: String? { RefusalBody.code(status, answerSize, answer) }
}

/// The answer of a refusal.
enum RefusalBody {
  /// Its first bytes (`ErrorCode.body`); it has no other key.
  private static let start = Array(#"{"errorCode":""#.utf8)
  /// The largest refusal, in bytes.
  private static let limit = 200

  /// The contract's code in an answer of this size; nil if it is not a refusal.
  static func code(_ status: Int?, _ size: Int, _ body: some Collection<UInt8>) -> String? {
    guard status == 400 || status == 500, size <= limit, body.starts(with: start) else { return nil }
    return String(decoding: body.dropFirst(start.count).prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
  }
}
