/// The parts of a `multipart/form-data` body.
struct MultipartBody {
  private let boundary = "part-\(UInt64.random(in: .min ... .max))"
  private var parts: [UInt8] = []

  var contentType: String { "multipart/form-data; boundary=\(boundary)" }

  var bytes: [UInt8] { parts + Array("--\(boundary)--\r\n".utf8) }

  /// - Parameter name: Without quotation marks, backslashes and control characters.
  mutating func add(_ name: String, _ text: [UInt8]) { add(head: "name=\"\(name)\"", text) }

  mutating func add(_ name: String, png: [UInt8], fileName: String) {
    add(head: "name=\"\(name)\"; filename=\"\(fileName)\"\r\nContent-Type: image/png", png)
  }

  private mutating func add(head: String, _ content: [UInt8]) {
    parts += Array("--\(boundary)\r\nContent-Disposition: form-data; \(head)\r\n\r\n".utf8)
    parts += content + Array("\r\n".utf8)
  }
}
