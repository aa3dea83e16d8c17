import SocketIOProtocol

/// The smallest file of each kind.
enum Sample {
  static let png = decoded(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")
  static let gif = decoded("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
  static let jpeg = decoded(
    "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////"
      + "////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=")
  static let webp = decoded("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")
  static let heic: [UInt8] = [0, 0, 0, 24] + Array("ftypheic".utf8) + [0, 0, 0, 0] + Array("mif1heic".utf8)
  static let pdf = Array("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n".utf8)
  /// An archive with one empty file.
  static let zip: [UInt8] =
    [0x50, 0x4B, 3, 4, 10, 0, 0, 0, 0, 0, 0, 0, 0x21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0x61]
    + [0x50, 0x4B, 1, 2, 10, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0x21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0]
    + Array(repeating: 0, count: 16) + [0x61, 0x50, 0x4B, 5, 6, 0, 0, 0, 0, 1, 0, 1, 0, 47, 0, 0, 0, 31, 0, 0, 0, 0, 0]
  static let text = Array("just some words".utf8)
  /// The words "안녕" in EUC-KR.
  static let koreanText: [UInt8] = [0xBE, 0xC8, 0xB3, 0xE7]
  /// An OLE compound file, as Word, Excel, PowerPoint and Hangul write them.
  static let compound: [UInt8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1] + Array(repeating: 0, count: 504)
  static let mp3: [UInt8] = Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, 0]
  static let wav = Array("RIFF".utf8) + [4, 0, 0, 0] + Array("WAVE".utf8)
  static let avi = Array("RIFF".utf8) + [4, 0, 0, 0] + Array("AVI ".utf8)
  static func film(_ brand: String) -> [UInt8] {
    [0, 0, 0, 20] + Array("ftyp\(brand)".utf8) + [0, 0, 0, 0] + Array(brand.utf8)
  }

  private static func decoded(_ base64: String) -> [UInt8] { Base64.decode(Array(base64.utf8)[...]) ?? [] }
}
