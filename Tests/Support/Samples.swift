/// Small files of each kind; the server examines only their first bytes.
package enum Sample {
  package static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Array(repeating: 7, count: 500)
  package static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 9, count: 300)
  package static let gif: [UInt8] = Array("GIF89a".utf8) + Array(repeating: 1, count: 40)
  package static let webp: [UInt8] = Array("RIFF....WEBPVP8 ".utf8) + Array(repeating: 2, count: 40)
  package static let heic: [UInt8] = [0, 0, 0, 24] + Array("ftypheic".utf8) + Array(repeating: 3, count: 40)
  package static let pdf: [UInt8] = Array("%PDF-1.7\n".utf8) + Array(repeating: 4, count: 40)
  package static let zip: [UInt8] = [0x50, 0x4B, 0x03, 0x04] + Array(repeating: 5, count: 40)
  package static let text: [UInt8] = Array("just some words".utf8)
}
