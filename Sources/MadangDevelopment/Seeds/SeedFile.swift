import Foundation
import MadangCore

/// Files of a seed: generated from colour and size, or given as data.
enum SeedFile {
  private static let fields = ["color", "width", "height", "data", "name"]

  static func blob(_ node: YAMLNode) throws(SeedError) -> Planting.Blob {
    let file = try YAMLFields(node, "a file", fields)
    if let data = try file.text("data") {
      guard let bytes = Data(base64Encoded: data, options: .ignoreUnknownCharacters) else {
        throw SeedError(file.line("data"), "data: the bytes of the file in Base64")
      }
      return Planting.Blob(Array(bytes), named: try file.text("name") ?? "")
    }
    guard let text = try file.text("color"), let color = color(text) else {
      throw SeedError(
        file.line("color"), "color: of the picture that is made, like \"#ff8800\"; or data: a file in Base64")
    }
    return Planting.Blob(
      PlainPicture(
        color: color, width: try file.number("width", in: 1...1024) ?? 64,
        height: try file.number("height", in: 1...1024) ?? 64
      ).png)
  }

  private static func color(_ text: String) -> [UInt8]? {
    guard text.utf8.count == 7, text.hasPrefix("#"), let number = UInt32(text.dropFirst(), radix: 16) else {
      return nil
    }
    return [UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
  }
}
