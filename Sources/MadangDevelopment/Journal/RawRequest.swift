import HTTPTypes
import MadangServer
import NIOCore

/// A request as it is kept: not yet read, its texts in one piece.
struct RawRequest: Sendable {
  let operation: EditionOperation?
  let fault: AppliedFault?
  let isPolling: Bool
  /// Nil if the client got no answer.
  let status: Int?
  /// The contract's code in the answer of a refusal.
  let code: String?
  /// Of the request's body, as far as it was read.
  let bodySize: Int
  /// Of the answer's body, as far as it was handed to the connection.
  let answerSize: Int
  let nanoseconds: UInt64
  private let packed: PackedTexts

  /// In bytes.
  var size: Int { packed.size }

  init(_ request: FinishedRequest, _ known: ExchangeNotes.Known, on sheets: Sheets) {
    operation = known.operation
    fault = known.fault
    isPolling = request.notes.isOfSocket
    status = request.status
    bodySize = known.body.size
    answerSize = request.answerSize
    nanoseconds = request.end - request.notes.begun
    code = Self.code(status, answerSize, request.answer)
    packed = PackedTexts(on: sheets) { writer in
      writer.add(request.notes.head.method.rawValue)
      writer.add(request.notes.head.path ?? "")
      writer.add(known.account?.email)
      writer.add(request.notes.head.headerFields)
      writer.add(known.body.parts.isEmpty ? known.body.kept : [])
      writer.add(known.body.parts)
      writer.add(ofAnswer: request.answerHeaders, beginsAsJSON: request.beginsAsJSON)
      writer.add(request.answer)
    }
  }

  /// How the body of a refusal begins; it has no other key.
  private static let refusal = Array(#"{"errorCode":""#.utf8)

  private static func code(_ status: Int?, _ size: Int, _ answer: ByteBuffer) -> String? {
    let body = answer.readableBytesView
    guard status == 400 || status == 500, size < 200, body.starts(with: refusal) else { return nil }
    return String(decoding: body.dropFirst(refusal.count).prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
  }
}

extension RawRequest {
  /// What is kept in one piece.
  struct Texts {
    let method: String
    /// Path and query.
    let target: String
    let account: String?
    let headers: [(name: String, value: String)]
    /// The beginning; empty if there are parts.
    let body: [UInt8]
    let parts: [ExchangeNotes.Body.Part]
    let answerHeaders: [(name: String, value: String)]
    /// The beginning; empty if it is no text.
    let answer: [UInt8]
  }

  var texts: Texts {
    var reader = packed.reader
    return Texts(
      method: reader.text() ?? "", target: reader.text() ?? "", account: reader.text(), headers: reader.fields(),
      body: reader.next() ?? [], parts: reader.parts(), answerHeaders: reader.fields(), answer: reader.next() ?? [])
  }
}

extension PackedTexts.Writer {
  fileprivate mutating func add(_ text: String?) {
    if let text { add(text) } else { addAbsent() }
  }

  /// The same, but for the fields that nearly all answers begin with. An empty text, as no name is, stands for them.
  fileprivate mutating func add(ofAnswer fields: HTTPFields, beginsAsJSON: Bool) {
    guard beginsAsJSON else { return add(fields) }
    assert(fields.starts(with: HTTPFields.json))
    add("")
    add(fields.dropFirst(HTTPFields.json.count))
  }

  /// Ends with an absent text, as no name is.
  fileprivate mutating func add(_ fields: some Sequence<HTTPField>) {
    for field in fields {
      add(field.name.rawName)
      // What is short costs less to keep than to look up. All are masked when they are told.
      field.withUnsafeBytesOfValue { value in
        if value.count > 64, Secrets.isHeader(field.name.canonicalName) { add(Secrets.mask) } else { add(value) }
      }
    }
    addAbsent()
  }

  fileprivate mutating func add(_ parts: [ExchangeNotes.Body.Part]) {
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

  fileprivate mutating func parts() -> [ExchangeNotes.Body.Part] {
    var parts: [ExchangeNotes.Body.Part] = []
    while let name = text() {
      parts.append(
        ExchangeNotes.Body.Part(name: name, fileName: text(), size: text().flatMap { Int($0) } ?? 0, text: next()))
    }
    return parts
  }
}
