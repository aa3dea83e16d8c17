import Foundation
import MadangCore
import NIOHTTP1

// Calls about objects. Keys are those of the bucket.

extension S3Client {
  /// The most bytes of a file that are sent in one call; larger files are sent in parts. Each part is retried separately.
  static let partSize = 8 << 20

  func put(_ bytes: [UInt8], type: String, as key: String) async throws {
    try await send(Call(method: .PUT, key: key, headers: [("content-type", type)], body: .bytes(bytes)))
  }

  func put(_ part: FilePart, type: String, as key: String) async throws {
    try await send(Call(method: .PUT, key: key, headers: [("content-type", type)], body: .file(part)))
  }

  /// The bytes of a small object; nil if there is none.
  func get(_ key: String) async throws -> [UInt8]? {
    do { return try await send(Call(method: .GET, key: key)).body } catch let error as S3Error where error.isMissing {
      return nil
    }
  }

  /// Begins a multipart upload. Returns its id.
  func beginParts(_ key: String, type: String) async throws -> String {
    let answer = try await send(
      Call(method: .POST, key: key, query: [("uploads", "")], headers: [("content-type", type)]))
    guard let id = try element(answer, "POST")["UploadId"], !id.isEmpty else { throw unusable("POST", "no UploadId") }
    return id
  }

  /// Sends a part, the first being 1. Returns its tag.
  func put(_ part: FilePart, number: Int, of key: String, id: String) async throws -> String {
    let answer = try await send(
      Call(
        method: .PUT, key: key, query: [("partNumber", "\(number)"), ("uploadId", id)], body: .file(part)))
    guard let tag = answer.headers.first(name: "etag") else { throw unusable("PUT", "no ETag") }
    return tag
  }

  /// Creates the object from its parts. Also succeeds if that was done before and the answer was lost.
  func endParts(_ key: String, id: String, tags: [String], size: Int) async throws {
    let parts = tags.enumerated().map { index, tag in
      let escaped = tag.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
      return "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(escaped)</ETag></Part>"
    }
    let text = "<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>"
    do {
      // A successful status may carry an error, because S3 answers before it has finished.
      try await sendChecked(
        Call(
          method: .POST, key: key, query: [("uploadId", id)], headers: [("content-type", "application/xml")],
          body: .bytes(Array(text.utf8))))
    } catch let error as S3Error where error.code == "NoSuchUpload" {
      guard try await self.size(of: key) == size else { throw error }
    }
  }

  /// Aborts a multipart upload, which would cost storage otherwise.
  func dropParts(_ key: String, id: String) async throws {
    try await send(Call(method: .DELETE, key: key, query: [("uploadId", id)]))
  }

  func size(of key: String) async throws -> Int? {
    try await send(Call(method: .HEAD, key: key)).headers.first(name: "content-length").flatMap(Int.init)
  }

  /// Copies an object of at most 5 GiB within the bucket.
  func copy(_ key: String, to target: String) async throws {
    let source = "/\(bucket)/\(key)".percentEncoded(keeping: UInt8(ascii: "/"))
    try await sendChecked(Call(method: .PUT, key: target, headers: [("x-amz-copy-source", source)]))
  }

  /// Removes an object. Succeeds if there is none.
  func delete(_ key: String) async throws {
    do { try await send(Call(method: .DELETE, key: key)) } catch let error as S3Error where error.isMissing {}
  }

  struct Listing: Sendable {
    var objects: [(key: String, changed: Date)]
    /// The token for the next page; nil after the last.
    var next: String?
  }

  /// A page of the objects whose keys begin with `prefix`, in order of their keys.
  /// - Parameter isDeep: Whether to list keys with further slashes.
  func list(_ prefix: String, isDeep: Bool, after token: String?, limit: Int) async throws -> Listing {
    var query = [
      ("list-type", "2"), ("prefix", prefix), ("max-keys", "\(min(max(limit, 1), 1000))"), ("encoding-type", "url"),
    ]
    if !isDeep { query.append(("delimiter", "/")) }
    if let token { query.append(("continuation-token", token)) }
    let list = try element(try await send(Call(method: .GET, query: query)), "GET")
    guard list.name == "ListBucketResult" else { throw unusable("GET", "no ListBucketResult") }
    var listing = Listing(objects: [], next: nil)
    for object in list.children where object.name == "Contents" {
      // Some servers write spaces as plus signs.
      guard let key = object["Key"]?.replacing("+", with: "%20").removingPercentEncoding,
        let changed = object["LastModified"].flatMap(Date.init(rfc3339:))
      else { throw unusable("GET", "an object without Key or LastModified") }
      listing.objects.append((key, changed))
    }
    if list["IsTruncated"] == "true" {
      guard let next = list["NextContinuationToken"], next != token else {
        throw unusable("GET", "no new NextContinuationToken")
      }
      listing.next = next
    }
    return listing
  }

  /// Makes a call, and treats an `Error` body as a failure.
  private func sendChecked(_ call: Call) async throws {
    try await send(call) { answer in
      let element = try element(answer, call.method.rawValue)
      if element.name == "Error" { throw S3Error(refusing: call.method, status: 500, element, reason: "") }
    }
  }

  private func element(_ answer: Answer, _ call: String) throws -> Element {
    do { return try ElementScanner.read(answer.body) } catch { throw unusable(call, error.reason) }
  }

  private func unusable(_ call: String, _ reason: String) -> S3Error { S3Error(call: call, cause: .unusable(reason)) }
}
