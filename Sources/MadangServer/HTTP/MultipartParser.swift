import Foundation
import SocketIOProtocol

/// Reads `multipart/form-data` piece by piece: bytes in, events out, no I/O. Source: RFC 7578, RFC 2046 section 5.1.
///
/// Memory is bounded by a delimiter and the headers of one part; the bytes of parts pass through.
package struct MultipartParser: Sendable {
  package enum Event: Equatable {
    case partBegins(name: String, filename: String?)
    case bytes([UInt8])
    case partEnds
  }

  package struct Malformed: Error {
    let reason: String
  }

  private enum State {
    case preamble, afterDelimiter, headers, body, finished
  }

  private let delimiter: [UInt8]
  private let maxHeaderSize: Int
  private let maxParts: Int
  private var state = State.preamble
  private var parts = 0
  /// Starts with a line break, so that the first delimiter looks like all others.
  private var buffer: [UInt8] = Array("\r\n".utf8)
  /// How many bytes of `buffer` were already searched in this state. They are not searched again, even if the body arrives
  /// in very small pieces.
  private var searched = 0

  package init(boundary: some Sequence<UInt8>, maxHeaderSize: Int = 8192, maxParts: Int = 64) {
    delimiter = Array("\r\n--".utf8) + boundary
    self.maxHeaderSize = maxHeaderSize
    self.maxParts = maxParts
  }

  /// Whether the closing delimiter has been read. A body that ends earlier was cut off.
  var isFinished: Bool { state == .finished }

  package mutating func receive(_ bytes: some Sequence<UInt8>) throws(Malformed) -> [Event] {
    guard state != .finished else { return [] }
    buffer.append(contentsOf: bytes)
    var events: [Event] = []
    while try advance(&events) {}
    return events
  }

  /// Takes one step; false when more bytes are needed.
  private mutating func advance(_ events: inout [Event]) throws(Malformed) -> Bool {
    switch state {
    case .finished:
      buffer = []
      return false
    case .preamble:
      guard let found = index(of: delimiter) else {
        drop(max(0, buffer.count - delimiter.count))
        return false
      }
      drop(found + delimiter.count)
      state = .afterDelimiter
      return true
    case .afterDelimiter:
      // Blanks may follow a delimiter. Then comes a line end, or `--`, which closes the body.
      let padding = searched + buffer[searched...].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.count
      searched = padding
      guard padding <= maxHeaderSize else { throw Malformed(reason: "a delimiter line is too long") }
      guard buffer.count >= padding + 2 else { return false }
      let mark = Array(buffer[padding..<padding + 2])
      // The line end stays in the buffer, so that the headers end with a blank line even if a part has none.
      drop(padding)
      if mark.elementsEqual("--".utf8) {
        state = .finished
      } else if mark.elementsEqual("\r\n".utf8) {
        state = .headers
        parts += 1
        guard parts <= maxParts else { throw Malformed(reason: "more than \(maxParts) parts") }
      } else {
        throw Malformed(reason: "a delimiter is followed by neither a line end nor '--'")
      }
      return true
    case .headers:
      guard let end = index(of: Array("\r\n\r\n".utf8)) else {
        guard buffer.count <= maxHeaderSize else { throw Malformed(reason: "the headers of a part are too long") }
        return false
      }
      guard end <= maxHeaderSize else { throw Malformed(reason: "the headers of a part are too long") }
      let headers = String(decoding: buffer[..<end], as: UTF8.self)
      guard headers.isCheapToCompare else { throw Malformed(reason: "a letter with too many marks") }
      drop(end + 4)
      let disposition = headers.components(separatedBy: "\r\n").first {
        $0.utf8.prefix(20).map { $0 | 0x20 }.elementsEqual("content-disposition:".utf8)
      }
      guard let disposition, let name = parameter("name", of: disposition) else {
        throw Malformed(reason: "a part has no name")
      }
      events.append(.partBegins(name: name, filename: parameter("filename", of: disposition)))
      state = .body
      return true
    case .body:
      return takeBody(&events)
    }
  }

  private mutating func takeBody(_ events: inout [Event]) -> Bool {
    if let found = index(of: delimiter) {
      if found > 0 { events.append(.bytes(Array(buffer[..<found]))) }
      events.append(.partEnds)
      drop(found + delimiter.count)
      state = .afterDelimiter
      return true
    }
    // The buffer may end with the beginning of a delimiter.
    let safe = buffer.count - delimiter.count
    if safe > 0 {
      events.append(.bytes(Array(buffer[..<safe])))
      drop(safe)
    }
    return false
  }

  private mutating func drop(_ count: Int) {
    buffer.removeFirst(count)
    searched = max(0, searched - count)
  }

  /// The index of the first `needle` in the buffer. `needle` must begin with a carriage return.
  private mutating func index(of needle: [UInt8]) -> Int? {
    let found = buffer.withUnsafeBytes { hay -> Int? in
      needle.withUnsafeBytes { needle in
        guard let base = hay.baseAddress, let pattern = needle.baseAddress else { return nil }
        var start = searched
        while start + needle.count <= hay.count {
          guard let found = memchr(base + start, 0x0D, hay.count - needle.count - start + 1) else { return nil }
          start = base.distance(to: UnsafeRawPointer(found))
          if memcmp(base + start, pattern, needle.count) == 0 { return start }
          start += 1
        }
        return nil
      }
    }
    if found == nil { searched = max(searched, buffer.count - needle.count + 1) }
    return found
  }
}

/// A parameter of a header line, quoted or not: `; name="value"`.
package func parameter(_ name: String, of header: String) -> String? {
  var rest = header.drop { $0 != ";" }
  while rest.first == ";" {
    rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
    let key = rest.prefix { $0 != "=" && $0 != ";" }
    rest = rest.dropFirst(key.count)
    var value = ""
    if rest.first == "=" {
      rest = rest.dropFirst()
      if rest.first == "\"" {
        rest = rest.dropFirst()
        while let character = rest.popFirst(), character != "\"" {
          if character == "\\", let escaped = rest.first, escaped == "\"" || escaped == "\\" {
            value.append(escaped)
            rest.removeFirst()
          } else {
            value.append(character)
          }
        }
        rest = rest.drop { $0 != ";" }
      } else {
        let token = rest.prefix { $0 != ";" }
        value = token.trimmingCharacters(in: .whitespaces)
        rest = rest.dropFirst(token.count)
      }
    }
    if key.trimmingCharacters(in: .whitespaces).lowercased() == name { return value }
  }
  return nil
}
