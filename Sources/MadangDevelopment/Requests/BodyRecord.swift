import MadangServer
import NIOCore

/// The recorded part of a request's body.
struct BodyRecord: Sendable {
  /// How many bytes are kept of a body, and of each text part of a multipart body.
  static let limit = 16 * 1024
  /// The longest first line that can be a boundary.
  private static let maxBoundary = 300

  struct Part: Sendable {
    let name: String
    /// Nil if it is not a file.
    let fileName: String?
    fileprivate(set) var size = 0
    /// The first bytes, unless it is a file.
    fileprivate(set) var text: [UInt8]?
  }

  private(set) var size = 0
  /// The first bytes.
  private(set) var kept: [UInt8] = []
  /// Of a multipart body, as far as it could be read.
  private(set) var parts: [Part] = []
  /// Reads parts, once the body is known to be multipart.
  private var parser: MultipartParser?
  private var partUnderWay: Part?
  private var mayBeMultipart = true
  /// How many spaces the body begins with.
  private var blanks = 0

  init(contentType: String?) {
    guard let contentType, contentType.lowercased().hasPrefix("multipart/"),
      let boundary = parameter("boundary", of: contentType), !boundary.isEmpty, boundary.utf8.count < Self.maxBoundary
    else { return }
    parser = MultipartParser(boundary: boundary.utf8)
  }

  mutating func add(_ bytes: ByteBuffer) {
    let (room, view) = (Self.limit - size, bytes.readableBytesView)
    size += view.count
    if room > 0 { kept += view.prefix(room) }
    if parser != nil { return read(view) }
    // Clients may leave out the content type.
    guard mayBeMultipart, size <= Self.limit else { return }
    let start = kept.dropFirst(blanks).prefix { $0 == 0x20 || (0x09...0x0D).contains($0) }.endIndex
    blanks = start
    let line = kept[start...].prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
    mayBeMultipart = line.count < Self.maxBoundary && (line.count < 2 || line.isMultipart)
    guard mayBeMultipart, line.count > 2, line.endIndex < kept.endIndex else { return }
    parser = MultipartParser(boundary: line.dropFirst(2))
    read(kept)
  }

  private mutating func read(_ bytes: some Sequence<UInt8>) {
    let events: [MultipartParser.Event]
    do { events = try parser?.receive(bytes) ?? [] } catch {
      // A failed parser would keep all later bytes. The parts before the error are recorded.
      (parser, partUnderWay, mayBeMultipart) = (nil, nil, false)
      return
    }
    for event in events {
      switch event {
      case .partBegins(let name, let fileName):
        let isFile = !(fileName ?? "").isEmpty
        partUnderWay = Part(name: name, fileName: isFile ? fileName : nil, text: isFile ? nil : [])
      case .bytes(let bytes):
        partUnderWay?.size += bytes.count
        let room = Self.limit - (partUnderWay?.text?.count ?? Self.limit)
        partUnderWay?.text?.append(contentsOf: bytes.prefix(room))
      case .partEnds:
        if let partUnderWay { parts.append(partUnderWay) }
        partUnderWay = nil
      }
    }
  }
}
