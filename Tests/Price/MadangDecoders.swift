import Foundation
import Hummingbird
import JWTKit
import MadangAPI
import MadangOperations
import NIOCore
import SocketIOProtocol
import Storage

@testable import MadangCore
@testable import MadangServer

extension Decoder {
  /// What the chat server reads of requests.
  static func ofMadang() async throws -> [Decoder] {
    let tokens = await AccessTokens(secret: Array("price".utf8), maxKnown: 100)
    let store = try await FileStore.scratch()
    return [
      Decoder("request-targets", corpus: "targets", Limits(workPerByte: 100, memoryPerByte: 200)) { input in
        _ = RequestTarget(String(decoding: input.bytes, as: UTF8.self))["cursor_date"]
      },
      Decoder("cursors", corpus: "cursors", Limits(workPerByte: 40, memoryPerByte: 16)) { input in
        guard let label = try Cursor.label(String(decoding: input.bytes, as: UTF8.self), zoneless: 0) else { return }
        _ = WireDate.string(label, offset: 9 * 3_600_000)
      },
      Decoder("namespaces", corpus: "namespaces", Limits(workPerByte: 40, memoryPerByte: 16)) { input in
        _ = RoomNamespace(name: String(decoding: input.bytes, as: UTF8.self))
      },
      Decoder(
        "multipart", corpus: "multipart",
        Limits(workPerByte: 60, workPerPiece: 120, memory: 80 << 10, memoryPerByte: 8, holdsWhole: false)
      ) { input in
        var parser = MultipartParser(boundary: "b".utf8)
        for piece in input.pieces { _ = try parser.receive(piece.readableBytesView) }
      },
      Decoder(
        "bodies", corpus: "bodies", Limits(work: 20_000, workPerByte: 250, workPerPiece: 500, memoryPerByte: 200),
        waiting: { input in
          let body = BodyReader(
            input.request, store: store, limits: .init(), maxFileSize: 1 << 20, ledger: Ledger([:]),
            payer: KeyHash(""))
          body.takesFiles = { true }
          _ = try? await body.fields()
          await body.finish()
        }),
      Decoder("documents", corpus: "bodies", Limits(workPerByte: 400, memoryPerByte: 200)) { input in
        var sieve = TextSieve()
        for piece in input.pieces { sieve.add(Array(piece.readableBytesView)) }
        let name = String(decoding: input.bytes, as: UTF8.self)
        _ = MediaType(
          head: Array(input.bytes.prefix(MediaType.headLength)), isText: sieve.isText,
          fileExtension: DocumentName.fileExtension(of: name))
        _ = DocumentName(ofFile: name).isMeant(by: name)
      },
      Decoder("texts", corpus: "headers", Limits(workPerByte: 400, memoryPerByte: 200)) { input in
        let text = String(decoding: input.bytes, as: UTF8.self)
        _ = try? TextRules.email(text + "@example.com")
        _ = try? TextRules.newPassword(text)
        _ = try? TextRules.name(text)
        _ = try? TextRules.description(text)
        _ = try? TextRules.content(text, maxLength: 10_000)
      },
      Decoder(
        "tokens", corpus: "tokens", Limits(work: 20_000, workPerByte: 40, memory: 64 << 10, memoryPerByte: 100),
        waiting: { input in _ = await tokens.claims(of: String(decoding: input.bytes, as: UTF8.self)) }),
    ]
  }
}

extension FileStore {
  /// For files of bodies; none of them stays.
  fileprivate static func scratch() async throws -> FileStore {
    let root = FileManager.default.temporaryDirectory.appending(path: "madang-price")
    let store = FileStore(
      root: root, workers: WorkerPool(name: "files", threads: 1, queueLimit: 16), ids: IDSource(), clock: Clock())
    try await store.prepare()
    return store
  }
}

extension Input {
  /// A POST whose body arrives as the input is cut. The line in front of it is its content type, if it is one.
  fileprivate var request: Request {
    var body = bytes[...]
    var headers: HTTPFields = [:]
    if let end = body.firstIndex(of: 0x0a), body[..<end].contains(UInt8(ascii: "/")) {
      let type = String(decoding: body[..<end], as: UTF8.self)
      // A connection refuses the heads of other requests.
      if type.isCheapToCompare { headers[.contentType] = type }
      body = body[(end + 1)...]
    }
    return Request(
      head: .init(method: .post, scheme: nil, authority: nil, path: "/", headerFields: headers),
      body: RequestBody(asyncSequence: Pieces(body, cut)))
  }
}
