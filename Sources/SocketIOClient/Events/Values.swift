public import SocketIOProtocol

extension SocketIOClient {
  /// The first arguments of the events with this name, decoded: one value, or a tuple of several. It behaves as ``events(_:in:)``, and
  /// fails with `DecodingError` at an event with too few arguments or other types.
  public func events<First: Decodable, each Rest: Decodable>(
    _ name: String, as first: First.Type, _ rest: repeat (each Rest).Type,
    in namespace: String = SocketPacket.mainNamespace
  ) -> Values<First, repeat each Rest> {
    Values(events: events(name, in: namespace))
  }

  /// Waits for the next event with this name, and returns its first arguments, decoded. It behaves as ``once(_:in:)``.
  /// - Throws: Also `DecodingError` if there are too few arguments or they have other types.
  public nonisolated func once<First: Decodable & Sendable, each Rest: Decodable & Sendable>(
    _ name: String, as first: First.Type, _ rest: repeat (each Rest).Type,
    in namespace: String = SocketPacket.mainNamespace
  ) async throws -> sending (First, repeat each Rest) {
    try await once(name, in: namespace).arguments.decodeFirst(first, repeat each rest)
  }

  /// Decoded events. For one reader.
  public struct Values<First: Decodable, each Rest: Decodable>: AsyncSequence, Sendable {
    public typealias Element = (First, repeat each Rest)
    let events: Events

    public func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator()) }

    public struct Iterator: AsyncIteratorProtocol {
      var events: Events.AsyncIterator

      public mutating func next() async throws -> Element? {
        try await events.next(isolation: #isolation)?.arguments.decodeFirst(First.self, repeat (each Rest).self)
      }
    }
  }
}
