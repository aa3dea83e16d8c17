import SocketIOProtocol

/// JSONP long-polling by script tags and forms, for browsers without cross-origin requests: answers are function calls, and POST bodies are
/// form fields.
struct JSONP {
  /// The client's number for the function. Only digits, because it becomes part of a script.
  private let index: String

  /// `nil` unless the query asks for it with `j=<number>`.
  init?(_ query: QueryString) {
    guard let index = query["j"] else { return nil }
    self.index = index.filter { $0.isASCII && $0.isNumber }
  }

  /// The script that passes a payload to the page.
  func script(_ payload: [UInt8]) -> [UInt8] {
    var script = Array("___eio[\(index)](".utf8)
    var rest = JSONText.quotedBytes(String(decoding: payload, as: UTF8.self))[...]
    // U+2028 and U+2029 end a line in old JavaScript, even within a string.
    let lineEnd: [UInt8] = [0xe2, 0x80]
    while let start = rest.firstRange(of: lineEnd)?.lowerBound {
      script += rest[..<start]
      let tail = rest[start...].prefix(3)
      switch tail.last {
      case 0xa8: script += Array(#"\u2028"#.utf8)
      case 0xa9: script += Array(#"\u2029"#.utf8)
      default: script += tail
      }
      rest = rest[tail.endIndex...]
    }
    return script + rest + Array(");".utf8)
  }

  /// The payload in a POST's form: the field `d`. The client writes each `\n` as `\\n`, because forms change line ends. Empty if there is
  /// no such field.
  static func payload(inForm body: [UInt8]) -> [UInt8] {
    let field = Array((QueryString(String(decoding: body, as: UTF8.self)[...])["d"] ?? "").utf8)
    var payload: [UInt8] = []
    payload.reserveCapacity(field.count)
    var index = 0
    while index < field.count {
      if field[index...].starts(with: #"\\n"#.utf8) {
        payload += Array(#"\n"#.utf8)
        index += 3
      } else if field[index...].starts(with: #"\n"#.utf8) {
        payload.append(UInt8(ascii: "\n"))
        index += 2
      } else {
        payload.append(field[index])
        index += 1
      }
    }
    return payload
  }
}
