import HTTPTypes
import MadangServer
import NIOCore

/// A finished request.
struct RawRequest: Sendable {
  /// The index of its operation in `Contract.listed`.
  let operation: Int?
  let isPolling: Bool
  let method: String
  /// Path and query.
  let target: String
  let account: String?
  let fault: AppliedFault?
  let headers: HTTPFields
  /// Bytes of the request's body that were read.
  let bodySize: Int
  /// The first bytes; empty if there are parts.
  let body: [UInt8]
  let parts: [BodyRecord.Part]
  /// Nil if the client got no answer.
  let status: Int?
  let answerHeaders: HTTPFields
  /// Bytes of the answer's body that were written to the connection.
  let answerSize: Int
  /// The first bytes; empty if it is not text.
  let answer: [UInt8]
  let nanoseconds: UInt64

  init(_ request: FinishedRequest, _ operation: Int?, _ known: Exchange.Known) {
    let exchange = request.exchange
    (self.operation, isPolling, method) = (operation, exchange.isOfSocket, exchange.head.method.rawValue)
    (target, headers) = (exchange.head.path ?? "", exchange.head.headerFields)
    (account, fault) = (known.account?.email, known.fault)
    (bodySize, parts) = (known.body.size, known.body.parts)
    body = parts.isEmpty ? known.body.kept : []
    (status, answerHeaders) = (request.status, request.answerHeaders)
    (answerSize, answer) = (request.answerSize, request.answer)
    nanoseconds = request.end - exchange.begun
  }

  /// Its approximate size in bytes.
  var size: Int {
    let texts = parts.reduce(0) {
      $0 + $1.name.utf8.count + ($1.fileName?.utf8.count ?? 0) + ($1.text?.count ?? 0) + 64
    }
    return target.utf8.count + headers.size + body.count + texts + answerHeaders.size + answer.count
  }
}
