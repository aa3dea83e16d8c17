import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// A call under `/_dev`, for who tests.
struct DevelopmentCall: Sendable {
  let method: HTTPRequest.Method
  /// What follows `/_dev`.
  let path: [String]
  let request: Request

  /// The largest body of a call; a seed may be long.
  private static let maxBody = Seed.maxSize + 65_536

  /// The fields of the body; none if it is empty. Throws ``WorldError``.
  func body<Fields: Decodable>(_ type: Fields.Type = Fields.self) async throws -> Fields {
    var buffer = try await request.body.collect(upTo: Self.maxBody)
    if buffer.readableBytes == 0 { buffer = ByteBuffer(string: "{}") }
    do {
      return try JSONDecoder().decode(type, from: Data(buffer.readableBytesView))
    } catch let error as DecodingError {
      throw WorldError("the body does not fit this call: \(error.words)")
    }
  }
}

extension DecodingError {
  /// The cause, for people.
  fileprivate var words: String {
    switch self {
    case .keyNotFound(let key, _): "\(key.stringValue) is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      (context.codingPath.map(\.stringValue) + [context.debugDescription]).joined(separator: ": ")
    @unknown default: "it cannot be read"
    }
  }
}

extension Response {
  static func development(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let bytes = try encoder.encode(value)
    return Response(
      status: status, headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
      body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}

/// What a call answers that has nothing to say.
struct Done: Encodable {}
