import Foundation
import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangOperations
import NIOCore

extension Call {
  /// The file that the path parameters `folder` and `name` say.
  func downloadFile() async throws -> Response {
    try await download(
      try await madang.file(folder: parameters["folder"] ?? "", name: parameters["name"] ?? "", as: try principal))
  }

  /// A stored file. Its bytes never change, so clients may cache it for ever (wire contract, Downloads).
  private func download(_ file: StoredFile) async throws -> Response {
    var headers: HTTPFields = [
      .contentType: file.type.rawValue, .xContentTypeOptions: "nosniff", .acceptRanges: "bytes",
      .cacheControl: "private, max-age=31536000, immutable", .eTag: "\"\(file.sha256)\"",
    ]
    if !file.type.isImage { headers[.contentDisposition] = "attachment; filename*=UTF-8''\(file.shownName)" }
    if request.holds("\"\(file.sha256)\"") { return Response(status: .notModified, headers: headers) }
    // A part of another file, or of one that is known by a date only, is of no use (RFC 9110 section 13.1.5).
    let wantsPart = request.headers[.ifRange].map { $0 == "\"\(file.sha256)\"" } ?? true
    guard wantsPart, let range = byteRange(request.headers[.range], size: file.size) else {
      return Response(status: .ok, headers: headers, body: try await body(of: file, 0...max(0, file.size - 1)))
    }
    headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound)/\(file.size)"
    return Response(status: .partialContent, headers: headers, body: try await body(of: file, range))
  }

  /// Bytes that are read as fast as the client takes them. If they end early, so does the connection. Throws `E98` if too
  /// many downloads from a bucket are under way.
  private func body(of file: StoredFile, _ range: ClosedRange<Int>) async throws -> ResponseBody {
    // The listener leaves the body out, and nothing is read for it.
    if request.method == .head { return ResponseBody(contentLength: range.count) { try await $0.finish(nil) } }
    let place = service.settings.filesHome.isEmpty ? nil : try placeForDownload()
    switch try await madang.files.content(of: file, range: range) {
    case .file(let url):
      let source = ApplicationRequestContextSource(channel: connection, logger: service.logger)
      return try await FileIO().loadFile(path: url.path, range: range, context: BasicRequestContext(source: source))
    case .pieces(let pieces):
      return ResponseBody(contentLength: range.count) { writer in
        defer { withExtendedLifetime(place) {} }
        for try await piece in pieces { try await writer.write(ByteBuffer(bytes: piece)) }
        try await writer.finish(nil)
      }
    }
  }

  private func placeForDownload() throws -> Holding {
    guard let giveBack = service.limits.ledger.place(.downloads, for: client.networkHash) else {
      throw Refusal(.tooManyCalls, "too many downloads are under way to this address", retryAfter: 1)
    }
    return Holding(giveBack)
  }
}

/// The one satisfiable range a `Range` header asks for; nil means the whole file (RFC 9110 section 14.2 allows a
/// server to ignore the header).
func byteRange(_ header: String?, size: Int) -> ClosedRange<Int>? {
  guard let header, header.hasPrefix("bytes="), size > 0 else { return nil }
  let parts = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
  guard parts.count == 2 else { return nil }
  switch (Int(parts[0]), Int(parts[1])) {
  case (nil, let suffix?) where parts[0].isEmpty && suffix > 0: return max(0, size - suffix)...size - 1
  case (let first?, nil) where parts[1].isEmpty && first >= 0 && first < size: return first...size - 1
  case (let first?, let last?) where first >= 0 && first <= last && first < size: return first...min(last, size - 1)
  default: return nil
  }
}
