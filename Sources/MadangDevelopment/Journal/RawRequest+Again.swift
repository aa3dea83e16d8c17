import HTTPTypes
import Hummingbird
import MadangServer
import NIOCore

extension Journal {
  /// The recorded request with this number. Throws ``BadCall``.
  func request(numbered number: Int) throws(BadCall) -> RawRequest {
    let entry = entries(after: number - 1).entries.first
    guard let entry, entry.number == number else {
      throw BadCall("journal/\(number): the journal has no such entry, or has dropped it")
    }
    guard case .request(let request) = entry.content else {
      throw BadCall("journal/\(number): is a \(entry.content.kind.rawValue); only a request can be sent again")
    }
    return request
  }
}

extension RawRequest {
  /// Fields that describe the connection or the original form of the body.
  private static let dropped: [HTTPField.Name] = [.contentLength, .transferEncoding, .connection, .expect, .te]

  /// The request as it was received, credentials included, for the same server. Throws ``BadCall`` if not all of it was kept.
  func again(authority: String?) throws(BadCall) -> Request {
    guard !isPolling else { throw BadCall("a request of a socket cannot be sent again; it belongs to its session") }
    var head = HTTPRequest(
      method: .init(rawValue: method) ?? .get, scheme: "http", authority: authority, path: target, headerFields: headers
    )
    for name in Self.dropped { head.headerFields[name] = nil }
    var bytes = body
    if !parts.isEmpty {
      guard parts.allSatisfy(\.isWhole) else {
        throw BadCall("it had files or long texts, which the journal does not keep")
      }
      var multipart = MultipartBody()
      for part in parts { multipart.add(part.name, part.text ?? []) }
      head.headerFields[.contentType] = multipart.contentType
      bytes = multipart.bytes
    } else if body.count < bodySize {
      throw BadCall("its body had \(bodySize) bytes, of which the journal kept \(body.count)")
    }
    if !bytes.isEmpty { head.headerFields[.contentLength] = "\(bytes.count)" }
    return Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: bytes)))
  }
}

extension BodyRecord.Part {
  /// Whether all of it was kept, and its name can be written as it is.
  fileprivate var isWhole: Bool {
    text?.count == size && !name.utf8.contains { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
  }
}
