import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// The bytes of an object, as fast as they are read: a window is requested from the bucket, and the next one when it has
/// been read. So a client that does not read its file moves one window only. If the connection breaks, the download
/// continues where it was, because an object's bytes never change.
struct BucketPieces: AsyncSequence, Sendable {
  typealias Failure = any Error

  /// The bytes of one window.
  static let windowSize = 1 << 20

  private struct Window: Sendable {
    let body: HTTPClientResponse.Body
    /// The end of the requested range.
    let end: Int
  }

  private let key: String
  private let range: ClosedRange<Int>
  private let client: S3Client
  private let first: Window

  /// Requests the bytes. Throws ``S3Error`` if the object or the server is missing.
  init(of key: String, range: ClosedRange<Int>, client: S3Client) async throws {
    (self.key, self.range, self.client) = (key, range, client)
    first = try await Self.window(of: key, from: range.lowerBound, in: range, client)
  }

  private static func window(
    of key: String, from start: Int, in range: ClosedRange<Int>, _ client: S3Client
  ) async throws -> Window {
    let last = Swift.min(start + windowSize - 1, range.upperBound)
    let response = try await client.open(
      .init(method: .GET, key: key, headers: [("range", "bytes=\(start)-\(last)")]))
    // A proxy may ignore Range, and clients would cache its answer as the file.
    guard response.status == .partialContent,
      response.headers.first(name: "content-range")?.hasPrefix("bytes \(start)-\(last)/") ?? false
    else { throw S3Error(call: "GET", cause: .unusable("it does not send the requested range")) }
    return Window(body: response.body, end: last + 1)
  }

  /// It can be read once.
  func makeAsyncIterator() -> Iterator { Iterator(self) }

  struct Iterator: AsyncIteratorProtocol {
    private let pieces: BucketPieces
    private var body: HTTPClientResponse.Body.AsyncIterator
    /// The end of the present window.
    private var end: Int
    private var position: Int
    /// The time since the last byte.
    private var failures = 0

    fileprivate init(_ pieces: BucketPieces) {
      self.pieces = pieces
      (body, end) = (pieces.first.body.makeAsyncIterator(), pieces.first.end)
      position = pieces.range.lowerBound
    }

    mutating func next() async throws -> [UInt8]? {
      while position <= pieces.range.upperBound {
        guard position < end else {
          try await ask()
          continue
        }
        let problem: S3Error
        do {
          if let buffer = try await body.next() {
            let piece = Array(buffer.readableBytesView.prefix(end - position))
            position += piece.count
            failures = 0
            // Reads to the end, so that the connection can be used again.
            if position == end { _ = try? await body.next() }
            return piece
          }
          problem = S3Error(call: "GET", cause: .unusable("the object is shorter than it was"))
        } catch {
          try Task.checkCancellation()
          problem = S3Error(call: "GET", cause: .connection(error))
        }
        failures += 1
        guard problem.isPassing, failures < pieces.client.patience.attempts else { throw problem }
        try await ask()
      }
      return nil
    }

    /// Requests the next window.
    private mutating func ask() async throws {
      let window = try await BucketPieces.window(of: pieces.key, from: position, in: pieces.range, pieces.client)
      (body, end) = (window.body.makeAsyncIterator(), window.end)
    }
  }
}
