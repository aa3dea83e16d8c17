import DequeModule
import NIOCore
import NIOHTTPTypes

/// Parts of requests that have arrived and were not taken.
struct WaitingParts {
  /// Reading stops while this many parts wait. One read may add many parts beyond it. The same value as in `NIOAsyncChannel`.
  private static let maxWaiting = 10
  /// Reading resumes when only this many wait.
  private static let fewWaiting = 2

  private var parts = Deque<HTTPRequestPart>()
  private var requests = 0
  private let maxRequests: Int

  init(maxRequests: Int) { self.maxRequests = maxRequests }

  var isEmpty: Bool { parts.isEmpty }
  var areMany: Bool { parts.count >= Self.maxWaiting }
  var areFew: Bool { parts.count <= Self.fewWaiting }

  /// False for the head of a request beyond the limit: one read may contain thousands of short requests, each of which takes many times its
  /// length in memory.
  mutating func append(_ part: HTTPRequestPart) -> Bool {
    if case .head = part {
      guard requests < maxRequests else { return false }
      requests += 1
    }
    parts.append(part)
    return true
  }

  mutating func popFirst() -> HTTPRequestPart? {
    let part = parts.popFirst()
    if case .head = part { requests -= 1 }
    return part
  }

  /// The body of the request whose head was taken last, if it has arrived completely.
  mutating func takeWholeBody() -> ByteBuffer? {
    guard let last = parts.firstIndex(where: \.isEnd) else { return nil }
    var body = ByteBuffer()
    for case .body(var bytes) in parts.prefix(last) {
      if body.readableBytes == 0 { body = bytes } else { body.writeBuffer(&bytes) }
    }
    parts.removeFirst(last + 1)
    return body
  }

  mutating func removeAll() { (parts, requests) = ([], 0) }
}

extension HTTPRequestPart {
  fileprivate var isEnd: Bool { if case .end = self { true } else { false } }
}
