import Hummingbird
import Logging
import MadangAPI
import MadangCore
import NIOCore
import SocketIOServer

/// The elements of a list as JSON, a page at a time: those of this page, with commas between, and how to get the next page.
struct JSONPages: Sendable {
  let json: [UInt8]
  /// Bytes that are kept until the last page.
  let keptBytes: Int
  /// Nil after the last page.
  let next: (@Sendable () async throws -> JSONPages)?
}

extension JSONPages {
  /// - Parameter form: An element as it travels.
  init<Element: Sendable, Object: Encodable & SendableMetatype>(
    _ listing: Listing<Element>, _ madang: Madang, _ dates: WireDates,
    _ form: @escaping @Sendable (Element, WireDates) -> Object
  ) throws {
    json = Array(try WireEncoder.encode(listing.elements.map { form($0, dates) }).dropFirst().dropLast())
    keptBytes = listing.keptBytes
    let read: @Sendable () async throws -> JSONPages = {
      try JSONPages(try await listing.next(in: madang) ?? .empty, madang, dates, form)
    }
    next = listing.isLast ? nil : read
  }

  /// - Parameters:
  ///   - chats: The page of the history that was read last.
  ///   - end: Nil for the history's own.
  init(_ chats: [Chat], of history: History, _ edition: Edition, upTo end: HistoryEnd? = nil) {
    var end = end
    json = edition.encode(end?.take(chats) ?? chats)
    keptBytes = 0
    let read: @Sendable () async throws -> JSONPages = { [end] in
      var history = history
      let chats = try await history.next() ?? []
      return JSONPages(chats, of: history, edition, upTo: end)
    }
    next = history.isFinished || end?.isReached ?? false ? nil : read
  }
}

extension Call {
  /// Answers a list as one array.
  func list<Element: Sendable, Object: Encodable & SendableMetatype>(
    _ listing: Listing<Element>, _ form: @escaping @Sendable (Element, WireDates) -> Object
  ) async throws -> Response {
    try await answer(.array, with: [pages(listing, form)])
  }

  /// The pages of a list.
  func pages<Element: Sendable, Object: Encodable & SendableMetatype>(
    _ listing: Listing<Element>, _ form: @escaping @Sendable (Element, WireDates) -> Object
  ) throws -> JSONPages {
    try JSONPages(listing, madang, dates, form)
  }

  /// Answers with lists in an envelope. What fits a page is sent whole. Longer answers are written page by page as the client reads them, so
  /// that memory does not grow with their length; addresses take turns at reading the pages. Bytes under way are counted for the account and
  /// the address that asked. Throws `E98` if they have too many.
  func answer(_ envelope: JSONEnvelope, with lists: [JSONPages]) async throws -> Response {
    var writing = ListWriting(envelope, lists, turns: service.limits.listTurns, turn: client.networkHash) {
      [connection] in
      await connection.hasClientLeft
    }
    let first = try await writing.next(atLeast: service.madang.setting(\.listPage).bytes)
    guard !writing.isFinished else {
      let response = Response.json(first)
      // What is smaller costs no more than the connection itself.
      guard first.count > Self.uncountedBytes else { return response }
      return response.holding(try places.take(first.count))
    }
    let expected = max(first.count, service.madang.setting(\.listPage).bytes)
    let places = try places
    let place = try places.take(expected + writing.keptBytes)
    let body = ResponseBody { [writing, failureLog = service.reports.failures] writer in
      var (writing, counted, taken) = (writing, expected, [place])
      defer { withExtendedLifetime(taken) {} }
      try await writer.write(ByteBuffer(bytes: first))
      while !writing.isFinished {
        let page: [UInt8]
        do { page = try await writing.next(atLeast: 1) } catch {
          if !(error is CancellationError) { failureLog.write("a list broke off", error) }
          throw error
        }
        // A page may be longer than the first: paths of documents are, and what JSON has to escape.
        if page.count > counted {
          taken.append(try places.take(page.count - counted))
          counted = page.count
        }
        try await writer.write(ByteBuffer(bytes: page))
      }
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: .json, body: body)
  }

  /// Bytes of an answer that are not counted.
  private static let uncountedBytes = 16_384

  private var places: AnswerPlaces {
    get throws {
      AnswerPlaces(
        ledger: service.limits.ledger, address: client.networkHash,
        account: try principal.caller.map { KeyHash("account \($0.id)") })
    }
  }
}

/// Where the bytes of one answer are counted: for the account and the address that asked.
private struct AnswerPlaces: Sendable {
  let ledger: Ledger
  let address: KeyHash
  let account: KeyHash?

  /// Throws `E98` if they have too many.
  func take(_ bytes: Int) throws(Refusal) -> Holding {
    guard let giveBack = ledger.place(.memory, bytes, for: address, and: account) else {
      throw Refusal(
        .tooManyCalls, "this account or address has too many answers that it does not read", retryAfter: 1)
    }
    return Holding(giveBack)
  }
}

/// An answer that is written by and by: an envelope, and where its lists are.
private struct ListWriting: Sendable {
  /// What is still to be written, the next piece last.
  private var rest: [Piece]
  private let turns: ListTurns
  private let turn: KeyHash
  private let hasClientLeft: @Sendable () async -> Bool
  /// Whether the present list has an element already.
  private var hasElement = false

  private enum Piece: Sendable {
    case text([UInt8])
    case page(JSONPages)
    case unread(@Sendable () async throws -> JSONPages)
  }

  /// Bytes that are kept until all is written.
  let keptBytes: Int

  init(
    _ envelope: JSONEnvelope, _ lists: [JSONPages], turns: ListTurns, turn: KeyHash,
    hasClientLeft: @escaping @Sendable () async -> Bool
  ) {
    precondition(envelope.pieces.count == lists.count + 1, "an envelope is made for its lists")
    var pieces: [Piece] = []
    for (text, list) in zip(envelope.pieces, lists) { pieces += [.text(text), .page(list)] }
    pieces += envelope.pieces.last.map { [.text($0)] } ?? []
    rest = pieces.reversed()
    keptBytes = lists.reduce(0) { $0 + $1.keptBytes }
    (self.turns, self.turn, self.hasClientLeft) = (turns, turn, hasClientLeft)
  }

  var isFinished: Bool { rest.isEmpty }

  /// The next bytes: that many or some more, or all that are left. Throws `CancellationError` instead of reading another page for a client
  /// that has left: a search that finds nothing reads all of them before its first byte.
  mutating func next(atLeast size: Int) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < size, let piece = rest.popLast() {
      switch piece {
      case .text(let text):
        bytes += text
        hasElement = false
      case .page(let page): add(page, to: &bytes)
      case .unread(let read):
        guard await !hasClientLeft() else { throw CancellationError() }
        add(try await turns.run(turn, read), to: &bytes)
      }
    }
    return bytes
  }

  private mutating func add(_ page: JSONPages, to bytes: inout [UInt8]) {
    if let next = page.next { rest.append(.unread(next)) }
    guard !page.json.isEmpty else { return }
    if hasElement { bytes.append(UInt8(ascii: ",")) }
    bytes += page.json
    hasElement = true
  }
}

/// The JSON around lists that are written page by page: the bytes before the first list, between lists and after the last one.
struct JSONEnvelope: Sendable {
  /// One more than there are lists.
  let pieces: [[UInt8]]

  static let array = JSONEnvelope(pieces: [[UInt8(ascii: "[")], [UInt8(ascii: "]")]])

  private init(pieces: [[UInt8]]) { self.pieces = pieces }

  /// An object whose last keys hold the lists, given empty.
  init(_ object: some Encodable, lists: Int = 1) throws {
    let json = try WireEncoder.encode(object)
    var (pieces, end, searched) = ([[UInt8]](), json.count, json.count)
    for _ in 0..<lists {
      // From the first list on there is no text but keys of ours, which have no bracket.
      guard let bracket = json[..<searched].lastIndex(of: UInt8(ascii: "[")), bracket + 1 < json.count,
        json[bracket + 1] == UInt8(ascii: "]")
      else { preconditionFailure("the lists are the object's last keys, and empty") }
      pieces.insert(Array(json[(bracket + 1)..<end]), at: 0)
      (end, searched) = (bracket + 1, bracket)
    }
    self.pieces = [Array(json[..<end])] + pieces
  }
}
