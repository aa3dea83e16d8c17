extension Exchange {
  /// What is kept of a request's body.
  package struct Body: Sendable {
    /// Of a body, and of each text part of a multipart body, so many bytes are kept.
    package static let limit = 16 * 1024

    package struct Part: Sendable {
      package let name: String
      /// Nil if it is no file.
      package let fileName: String?
      package let size: Int
      /// Where it is no file: its beginning.
      package let text: [UInt8]?

      package init(name: String, fileName: String?, size: Int, text: [UInt8]?) {
        (self.name, self.fileName, self.size, self.text) = (name, fileName, size, text)
      }
    }

    /// As far as it was read.
    package private(set) var size = 0
    /// The beginning.
    package private(set) var kept: [UInt8] = []
    /// Of a multipart body, as far as it could be read.
    package var parts: [Part] = []
    /// What it has; nil if it was not read, or could not be.
    package var fields: Fields?

    /// What is kept of a body or a part of one.
    static func beginning(of bytes: [UInt8]) -> [UInt8] { bytes.count <= limit ? bytes : Array(bytes.prefix(limit)) }

    mutating func add(_ chunk: [UInt8]) {
      let room = Self.limit - size
      size += chunk.count
      guard room > 0 else { return }
      // What comes in one piece is shared with who reads it.
      if kept.isEmpty, chunk.count <= room { kept = chunk } else { kept += chunk.prefix(room) }
    }
  }
}
