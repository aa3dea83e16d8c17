/// The kinds of file that are taken, decided by content and never by name (contract section 11.2).
package enum MediaType: String, Sendable {
  case jpeg = "image/jpeg"
  case png = "image/png"
  case gif = "image/gif"
  case webp = "image/webp"
  case heic = "image/heic"
  case pdf = "application/pdf"
  case zip = "application/zip"

  /// How many bytes of a file's beginning tell its type.
  static let signatureLength = 16

  init?(signature bytes: some Collection<UInt8>) {
    let bytes = Array(bytes.prefix(Self.signatureLength))
    func has(_ text: String, at offset: Int = 0) -> Bool { bytes.dropFirst(offset).starts(with: text.utf8) }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if has("GIF87a") || has("GIF89a") {
      self = .gif
    } else if has("RIFF"), has("WEBP", at: 8) {
      self = .webp
    } else if has("ftyp", at: 4),
      ["heic", "heix", "hevc", "heim", "heis", "mif1", "msf1"].contains(where: { has($0, at: 8) })
    {
      self = .heic
    } else if has("%PDF-") {
      self = .pdf
    } else if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) || bytes.starts(with: [0x50, 0x4B, 0x05, 0x06]) {
      self = .zip
    } else {
      return nil
    }
  }

  package var isImage: Bool { self != .pdf && self != .zip }

  package var fileExtension: String { String(rawValue.drop { $0 != "/" }.dropFirst()) }
}
