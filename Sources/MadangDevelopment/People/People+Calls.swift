import Foundation
import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangServer
import NIOCore
import NIOEmbedded

extension People {
  /// In bytes: more than any refusal has.
  private static let largestRefusal = 4096

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
    let start: [UInt8]
    do {
      response = try await answer(request, as: email, call.edition, over: channel)
      start = try await response.body.read(keeping: Self.largestRefusal)
      try await channel.close()
    } catch {
      try? await channel.close()
      throw (error as? BadCall).map { WorldError($0.error) } ?? error
    }
    guard response.status != .ok else { return }
    let code = RefusalBody.code(response.status.code, start.count, start)
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
        let channel: MadangCore.Channel
        do { channel = try await self.channel(place, madang) } catch let error as WorldError {
          throw WorldError("\(call.words): \(error)")
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
      var multipart = MultipartBody()
      // A field that is null is left out.
      for case (let name, let text?) in fields { multipart.add(name, Array(text.utf8)) }
      for (number, name) in call.pictures.enumerated() {
        multipart.add(name, png: PlainPicture.numbered(number), fileName: "\(number + 1).png")
      }
      head.headerFields[.contentType] = multipart.contentType
      body = multipart.bytes
    }
    head.headerFields[.contentLength] = "\(body.count)"
    return Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body)))
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
