import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Bytes of an object as they come, as fast as they are taken: the bucket is asked for a window of them, and for the next one
/// when those were taken. So who asks for a file and does not read it moves one window. If the connection breaks, it goes on
/// from where it was: an object's bytes never change.
struct BucketPieces: AsyncSequence, Sendable {
  typealias Failure = any Error

  /// How many bytes are asked for at once.
  static let windowSize = 1 << 20

  private struct Window: Sendable {
    let body: HTTPClientResponse.Body
    /// Where it ends.
    let end: Int
  }

  private let key: String
  private let range: ClosedRange<Int>
  private let client: S3Client
  private let first: Window

  /// Asks for the bytes. Throws ``S3Error`` if the object is not there, or the server is not.
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
    // Whoever is in between may answer something else, and clients would keep it as the file.
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
    /// Where what the bucket was asked for ends.
    private var end: Int
    private var position: Int
    /// Since a byte came.
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
            // Its end, so that the connection can be used again.
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

    /// Asks for what follows.
    private mutating func ask() async throws {
      let window = try await BucketPieces.window(of: pieces.key, from: position, in: pieces.range, pieces.client)
      (body, end) = (window.body.makeAsyncIterator(), window.end)
    }
  }
}
