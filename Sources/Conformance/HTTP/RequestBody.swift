import MadangAPI

/// What a request carries.
enum RequestBody: Sendable {
  case none
  case json(JSON)
  /// Fields as a form.
  case form([(String, String)])
  case multipart([Part])
  case bytes([UInt8], type: String?)

  static func raw(_ text: String, type: String?) -> RequestBody { .bytes(Array(text.utf8), type: type) }

  private static let boundary = "Boundary-7A"

  var type: String? {
    switch self {
    case .none: nil
    case .json: "application/json"
    case .form: "application/x-www-form-urlencoded"
    case .multipart: "multipart/form-data; boundary=\(Self.boundary)"
    case .bytes(_, let type): type
    }
  }

  var bytes: [UInt8]? {
    switch self {
    case .none: nil
    case .json(let json): Array(json.text.utf8)
    case .form(let fields):
      Array(fields.map { "\(percentEncoded($0))=\(percentEncoded($1))" }.joined(separator: "&").utf8)
    case .multipart(let parts): Self.multipart(parts, boundary: Self.boundary)
    case .bytes(let bytes, _): bytes
    }
  }

  /// Whether a file comes under another name than apps usually give it.
  var hasUnusualPartName: Bool {
    guard case .multipart(let parts) = self else { return false }
    return parts.contains { $0.file != nil && !$0.bytes.isEmpty && !["files", "image"].contains($0.name) }
  }

  static func multipart(_ parts: [Part], boundary: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for part in parts { bytes += Array("--\(boundary)\r\n\(part.head)\r\n\r\n".utf8) + part.bytes + Array("\r\n".utf8) }
    return bytes + Array("--\(boundary)--\r\n".utf8)
  }

  struct Part: Sendable {
    let name: String
    /// The name and the type of a file.
    let file: (name: String, type: String)?
    /// What follows the name in the head of a text.
    let extra: String
    let bytes: [UInt8]

    var head: String {
      "Content-Disposition: form-data; name=\"\(name)\"\(extra)"
        + (file.map { "; filename=\"\($0.name)\"\r\nContent-Type: \($0.type)" } ?? "")
    }

    /// - Parameter extra: What follows the name in the part's head.
    static func text(_ name: String, _ text: String, extra: String = "") -> Part {
      Part(name: name, file: nil, extra: extra, bytes: Array(text.utf8))
    }

    static func file(
      _ name: String, _ bytes: [UInt8] = Sample.png, filename: String = "a b:c.jpg", type: String = "image/jpg"
    ) -> Part {
      Part(name: name, file: (filename, type), extra: "", bytes: bytes)
    }
  }
}
