import HTTPTypes
import MadangServer

/// A request whose answer is about to be with its client, or that gets none.
struct FinishedRequest: Sendable {
  let exchange: Exchange
  /// Nil if the client got no answer.
  var status: Int?
  var answerHeaders: HTTPFields = [:]
  /// The first bytes of the answer's body, if it is text.
  var answer: [UInt8] = []
  /// Of the answer's body, as far as it was handed to the connection.
  var answerSize = 0
  /// Uptime in nanoseconds.
  var end: UInt64

  /// The contract's code in the answer of a refusal.
  var code: String? { RefusalBody.code(status, answerSize, answer) }
}

/// The answer of a refusal.
enum RefusalBody {
  /// How it begins (`ErrorCode.body`); it has no other key.
  private static let start = Array(#"{"errorCode":""#.utf8)
  /// In bytes. An answer that has more is none.
  private static let limit = 200

  /// The contract's code in an answer of so many bytes; nil if it is no refusal.
  static func code(_ status: Int?, _ size: Int, _ body: some Collection<UInt8>) -> String? {
    guard status == 400 || status == 500, size <= limit, body.starts(with: start) else { return nil }
    return String(decoding: body.dropFirst(start.count).prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
  }
}
