import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Bytes of an object as they come, as fast as they are taken. If the connection breaks, it goes on from where it was: an
/// object's bytes never change.
struct BucketPieces: AsyncSequence, Sendable {
  typealias Failure = any Error

  private let key: String
  private let range: ClosedRange<Int>
  private let client: S3Client
  private let first: HTTPClientResponse

  /// Asks for the bytes. Throws ``S3Error`` if the object is not there, or the server is not.
  init(of key: String, range: ClosedRange<Int>, client: S3Client) async throws {
    (self.key, self.range, self.client) = (key, range, client)
    first = try await Self.open(key, range, client)
  }

  private static func open(_ key: String, _ range: ClosedRange<Int>, _ client: S3Client) async throws
    -> HTTPClientResponse
  {
    let response = try await client.open(
      .init(method: .GET, key: key, headers: [("range", "bytes=\(range.lowerBound)-\(range.upperBound)")]))
    guard response.status == .partialContent || range.lowerBound == 0 else {
      throw S3Error(call: "GET", cause: .unusable("it does not send ranges"))
    }
    return response
  }

  /// It can be read once.
  func makeAsyncIterator() -> Iterator { Iterator(self) }

  struct Iterator: AsyncIteratorProtocol {
    private let pieces: BucketPieces
    private var body: HTTPClientResponse.Body.AsyncIterator
    private var position: Int
    /// Since a byte came.
    private var failures = 0

    fileprivate init(_ pieces: BucketPieces) {
      self.pieces = pieces
      body = pieces.first.body.makeAsyncIterator()
      position = pieces.range.lowerBound
    }

    mutating func next() async throws -> [UInt8]? {
      let end = pieces.range.upperBound + 1
      while position < end {
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
        body = try await BucketPieces.open(pieces.key, position...pieces.range.upperBound, pieces.client).body
          .makeAsyncIterator()
      }
      return nil
    }
  }
}
