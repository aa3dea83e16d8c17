import NIOCore

/// A decoder that reads what comes from the network, and what it may cost.
struct Decoder: Sendable {
  enum Body: Sendable {
    case plain(@Sendable (Input) throws -> Void)
    /// What can only be called where it may wait.
    case waiting(@Sendable (Input) async throws -> Void)
  }

  let name: String
  /// The part of the corpus to start from.
  let corpus: String
  let limits: Limits
  let body: Body

  /// - Parameter read: Reads an input. What it throws is an answer like any other.
  init(_ name: String, corpus: String, _ limits: Limits, _ read: @escaping @Sendable (Input) throws -> Void) {
    self.name = name
    self.corpus = corpus
    self.limits = limits
    body = .plain(read)
  }

  /// The same for what can only be called where it may wait.
  init(
    _ name: String, corpus: String, _ limits: Limits, waiting read: @escaping @Sendable (Input) async throws -> Void
  ) {
    self.name = name
    self.corpus = corpus
    self.limits = limits
    body = .waiting(read)
  }
}

/// What a decoder may cost. Work is counted in steps: edges between basic blocks, and 16 bytes that are allocated, copied,
/// compared or searched.
struct Limits: Sendable {
  /// Work for any input, however short.
  var work: UInt64 = 6000
  /// Work for each byte.
  var workPerByte: UInt64
  /// Work for each piece a stream is cut into.
  var workPerPiece: UInt64 = 0
  /// Bytes held at once for any input.
  var memory: Int64 = 32 << 10
  /// Bytes held at once for each byte of the input; of a decoder that lets go of what it has read, for each byte of the
  /// largest piece.
  var memoryPerByte: Int64
  var holdsWhole = true
  /// Whether a longer input of a family is read to its end if a shorter one is. Not where lengths stand in front; there only the
  /// work for each byte is looked at, not how it grows.
  var isSteady = true
  /// Nanoseconds of processor time, and the same for each byte: far more than any input takes, for what is done in the
  /// standard library, where steps are not counted. Normalising text takes the square of the marks on a letter.
  var processor: UInt64 = 200_000_000
  var processorPerByte: UInt64 = 5_000

  func work(_ input: Input) -> UInt64 {
    work + workPerByte * UInt64(input.bytes.count) + workPerPiece * UInt64(input.pieceCount)
  }

  func memory(_ input: Input) -> Int64 {
    memory + memoryPerByte * Int64(holdsWhole ? input.bytes.count : min(input.bytes.count, input.cut.largest))
  }
}

/// Where a stream is cut: a first piece, then pieces of one length.
struct Cut: Sendable {
  var first: Int
  var rest: Int

  static let none = Cut(first: .max, rest: .max)

  var largest: Int { max(first, rest) }
}

/// Bytes for a decoder.
struct Input: Sendable {
  var bytes: [UInt8]
  var cut = Cut.none

  var pieceCount: Int {
    bytes.count <= cut.first ? 1 : 1 + (bytes.count - cut.first + cut.rest - 1) / cut.rest
  }

  var pieces: Pieces { Pieces(bytes[...], cut) }
}

/// The pieces of an input, each made when it is wanted.
struct Pieces: Sequence, IteratorProtocol, AsyncSequence, AsyncIteratorProtocol, Sendable {
  private var rest: ArraySlice<UInt8>
  private let cut: Cut
  private var isFirst = true

  init(_ bytes: ArraySlice<UInt8>, _ cut: Cut) {
    rest = bytes
    self.cut = cut
  }

  mutating func next() -> ByteBuffer? {
    guard !rest.isEmpty else { return nil }
    let piece = rest.prefix(isFirst ? cut.first : cut.rest)
    isFirst = false
    rest = rest.dropFirst(piece.count)
    return ByteBuffer(bytes: piece)
  }

  func makeAsyncIterator() -> Pieces { self }
}
