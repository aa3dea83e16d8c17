import HTTPTypes
import MadangServer
import NIOCore

/// A request as it is kept: not yet read, and in one piece.
struct RawRequest: Sendable {
  struct Numbers: BitwiseCopyable {
    /// Of its operation in `Contract.listed`.
    let operation: Int?
    let isPolling: Bool
    /// Nil if the client got no answer.
    let status: Int?
    /// Of the request's body, as far as it was read.
    let bodySize: Int
    /// Of the answer's body, as far as it was handed to the connection.
    let answerSize: Int
    let nanoseconds: UInt64
  }

  private let packed: PackedTexts

  /// In bytes.
  var size: Int { packed.size }

  init(
    _ request: FinishedRequest, _ operation: Int?, _ known: borrowing Exchange.Known,
    on sheets: inout Sheets
  ) {
    let exchange = request.exchange
    let numbers = Numbers(
      operation: operation, isPolling: exchange.isOfSocket, status: request.status, bodySize: known.body.size,
      answerSize: request.answerSize, nanoseconds: request.end - exchange.begun)
    packed = PackedTexts(on: &sheets) { writer in
      withUnsafeBytes(of: numbers) { writer.add($0) }
      writer.add(exchange.head.method.rawValue)
      writer.add(exchange.head.path ?? "")
      writer.add(known.account?.email)
      writer.add(known.fault)
      writer.add(exchange.head.headerFields)
      writer.add(known.body.parts.isEmpty ? known.body.kept : [])
      writer.add(known.body.parts)
      writer.add(ofAnswer: request.answerHeaders, beginsAsJSON: request.beginsAsJSON)
      if let answer = request.answer { writer.add(answer, atMost: Journal.maxText) } else { writer.addAbsent() }
    }
  }
}

extension RawRequest {
  /// What is kept.
  struct Content {
    let numbers: Numbers
    let method: String
    /// Path and query.
    let target: String
    let account: String?
    let fault: AppliedFault?
    let headers: [(name: String, value: String)]
    /// The beginning; empty if there are parts.
    let body: [UInt8]
    let parts: [Exchange.Body.Part]
    let answerHeaders: [(name: String, value: String)]
    /// The beginning; empty if it is no text.
    let answer: [UInt8]
  }

  var content: Content {
    var reader = packed.reader
    return Content(
      numbers: (reader.next() ?? []).withUnsafeBytes { $0.loadUnaligned(as: Numbers.self) },
      method: reader.text() ?? "", target: reader.text() ?? "", account: reader.text(), fault: reader.fault(),
      headers: reader.fields(), body: reader.next() ?? [], parts: reader.parts(), answerHeaders: reader.fields(),
      answer: reader.next() ?? [])
  }
}

extension PackedTexts.Writer {
  fileprivate mutating func add(_ text: String?) {
    if let text { add(text) } else { addAbsent() }
  }

  /// The same, but for the fields that nearly all answers begin with. An empty text, as no name is, stands for them.
  fileprivate mutating func add(ofAnswer fields: HTTPFields, beginsAsJSON: Bool) {
    guard beginsAsJSON else { return add(fields) }
    assert(fields.starts(with: HTTPFields.json) && HTTPFields.json.count == HTTPFields.jsonCount)
    add("")
    add(fields, from: HTTPFields.jsonCount)
  }

  /// Ends with an absent text, as no name is.
  fileprivate mutating func add(_ fields: HTTPFields, from first: Int = 0) {
    for index in min(first, fields.count)..<fields.count {
      let field = fields[index]
      add(field.name.rawName)
      // Secrets, too: to keep one costs less than to look for it. They are masked when they are told.
      field.withUnsafeBytesOfValue { add(UnsafeRawBufferPointer($0)) }
    }
    addAbsent()
  }

  fileprivate mutating func add(_ fault: AppliedFault?) {
    add(fault?.kind)
    if let fault { add(String(fault.rule)) }
  }

  fileprivate mutating func add(_ parts: [Exchange.Body.Part]) {
    for part in parts {
      add(part.name)
      add(part.fileName)
      add(String(part.size))
      if let text = part.text { add(text) } else { addAbsent() }
    }
    addAbsent()
  }
}

extension PackedTexts.Reader {
  fileprivate mutating func fault() -> AppliedFault? {
    text().map { AppliedFault(rule: text().flatMap { Int($0) } ?? 0, kind: $0) }
  }

  fileprivate mutating func fields() -> [(name: String, value: String)] {
    var fields: [(String, String)] = []
    while let name = text() {
      if name.isEmpty {
        fields += HTTPFields.json.map { ($0.name.rawName, $0.value) }
      } else {
        fields.append((name, text() ?? ""))
      }
    }
    return fields
  }

  fileprivate mutating func parts() -> [Exchange.Body.Part] {
    var parts: [Exchange.Body.Part] = []
    while let name = text() {
      parts.append(
        Exchange.Body.Part(name: name, fileName: text(), size: text().flatMap { Int($0) } ?? 0, text: next()))
    }
    return parts
  }
}
