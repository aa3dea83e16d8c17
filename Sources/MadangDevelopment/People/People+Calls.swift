import Foundation
import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangServer
import NIOCore
import NIOEmbedded

extension People {
  /// Makes a call of the API as a person. Throws ``WorldError``, and ``Refused`` if the server refuses it.
  /// - Parameter name: Nil for a call that needs no account.
  func perform(_ call: PersonCall, as name: String?) async throws {
    let lease = try server()
    let request: Request
    do {
      request = try await lease.answering { madang in try await self.request(for: call, madang) }
    } catch let failure as Failure {
      throw Refused(code: MadangServer.code(of: failure), message: "\(call.words): \(failure.message)")
    }
    var email: String?
    if let name { email = try await person(name).email }
    // A script has no connection, which a server expects.
    let channel = NIOAsyncTestingChannel()
    try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 0)).get()
    let response: Response
    let collected = Collected()
    do {
      response = try await answer(request, as: email, call.edition, over: channel)
      try await response.body.write(CollectingWriter(collected: collected))
      try await channel.close()
    } catch {
      try? await channel.close()
      throw (error as? BadCall).map { WorldError($0.error) } ?? error
    }
    guard response.status != .ok else { return }
    let code = RefusalBody.code(response.status.code, collected.bytes.count, collected.bytes)
    let message = "\(call.words): \(response.headers[.explanation] ?? "status \(response.status.code)")"
    guard let code = code.flatMap(ErrorCode.init) else { throw WorldError(message) }
    throw Refused(code: code, message: message)
  }

  /// The request, in which names have become ids.
  private func request(for call: PersonCall, _ madang: Madang) async throws -> Request {
    var path = ""
    for part in call.path {
      switch part {
      case .text(let text): path += text
      case .workspace(let name): path += call.edition.text(try await workspace(name, madang).id)
      case .person(let name): path += call.edition.text(try await person(name, madang).id)
      case .channel(let place):
        let workspace = try await workspace(place.workspace, madang)
        let name = place.channel ?? madang.settings.workspaces.channelName
        guard let channel = try await madang.channel(named: name, in: workspace.id.number) else {
          throw WorldError("\(call.words): there is no channel '\(place)'")
        }
        path += call.edition == .january2024 ? percentEncoded(channel.name) : channel.id.uuid
      }
    }
    var head = HTTPRequest(
      method: .init(rawValue: call.method) ?? .get, scheme: "http", authority: "127.0.0.1", path: path)
    guard !call.body.isEmpty || !call.pictures.isEmpty else {
      return Request(head: head, body: RequestBody(buffer: .init()))
    }
    var fields: [(String, String?)] = []
    for (name, value) in call.body {
      switch value {
      case .text(let text): fields.append((name, text))
      case .null: fields.append((name, nil))
      case .person(let person): fields.append((name, call.edition.text(try await self.person(person, madang).id)))
      }
    }
    let body: [UInt8]
    if call.pictures.isEmpty {
      head.headerFields[.contentType] = "application/json"
      body = Array(
        try DevelopmentJSON.encode(
          JSONValue.object(
            Dictionary(fields.map { ($0, $1.map(JSONValue.text) ?? .null) }, uniquingKeysWith: { first, _ in first }))))
    } else {
      let boundary = "call-\(UInt64.random(in: .min ... .max))"
      head.headerFields[.contentType] = "multipart/form-data; boundary=\(boundary)"
      body = Self.multipart(fields, call.pictures, boundary)
    }
    head.headerFields[.contentLength] = "\(body.count)"
    return Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body)))
  }

  /// Text fields and generated pictures. A field that is null is left out.
  private static func multipart(_ fields: [(String, String?)], _ pictures: [String], _ boundary: String) -> [UInt8] {
    let line: [UInt8] = [0x0D, 0x0A]
    let texts = fields.flatMap { name, text in
      text.map { text in
        Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(text)".utf8) + line
      } ?? []
    }
    let files = pictures.enumerated().flatMap { number, name in
      let head =
        "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"\(number + 1).png\"\r\n"
        + "Content-Type: image/png\r\n\r\n"
      return Array(head.utf8) + PlainPicture.numbered(number) + line
    }
    return texts + files + Array("--\(boundary)--\r\n".utf8)
  }
}

extension EditionName {
  /// An id as text.
  fileprivate func text(_ id: ObjectID) -> String {
    switch self {
    case .january2024: String(id.number)
    case .october2024: id.uuid
    }
  }
}

/// The beginning of an answer.
private final class Collected {
  /// In bytes: more than any refusal has.
  private static let limit = 4096
  private(set) var bytes: [UInt8] = []

  func add(_ buffer: ByteBuffer) { bytes += buffer.readableBytesView.prefix(max(0, Self.limit - bytes.count)) }
}

private struct CollectingWriter: ResponseBodyWriter {
  let collected: Collected

  mutating func write(_ buffer: ByteBuffer) async throws { collected.add(buffer) }
  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
