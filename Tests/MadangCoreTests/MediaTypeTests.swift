import Foundation
import Support
import Testing

@testable import MadangCore

@Suite("Types and names of files")
struct MediaTypeTests {
  private static func type(_ bytes: [UInt8], _ fileExtension: String? = nil) -> MediaType? {
    var sieve = TextSieve()
    // In pieces, as uploads arrive.
    for start in stride(from: 0, to: bytes.count, by: 3) {
      sieve.add(Array(bytes[start..<min(start + 3, bytes.count)]))
    }
    return MediaType(
      head: Array(bytes.prefix(MediaType.headLength)), isText: sieve.isText, fileExtension: fileExtension)
  }

  private static func film(_ brand: String, _ others: String...) -> [UInt8] {
    [0, 0, 0, UInt8(16 + 4 * others.count)] + Array("ftyp\(brand)".utf8) + [0, 0, 2, 0]
      + others.flatMap { Array($0.utf8) } + [0, 0, 0, 8]
  }

  @Test("the content decides the family of a type, and the extension the member among similar ones")
  func families() {
    let compound: [UInt8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1, 0]
    for (name, type) in [("docx", .docx), ("hwpx", .hwpx), ("jar", .zip), (nil, .zip), ("png", .zip), ("odt", .odt)]
      as [(String?, MediaType)]
    { #expect(Self.type(Sample.zip, name) == type) }
    for (name, type) in [("doc", .doc), ("xls", .xls), ("ppt", .ppt), ("hwp", .hwp), ("msi", nil), (nil, nil)]
      as [(String?, MediaType?)]
    { #expect(Self.type(compound, name) == type) }
    #expect(Self.type(Array("HWP Document File V3.00 ".utf8)) == .hwp)
    #expect(Self.type(Sample.png, "pdf") == .png && Self.type(Sample.pdf, "zip") == .pdf)
  }

  @Test("sound and film are recognised by their brands and frames")
  func media() {
    #expect(Self.type(Self.film("M4A ")) == .m4a && Self.type(Self.film("qt  ")) == .mov)
    #expect(Self.type(Self.film("isom", "iso2", "mp41")) == .mp4 && Self.type(Self.film("mp42"), "m4a") == .m4a)
    #expect(Self.type(Self.film("iso5")) == .mp4 && Self.type(Self.film("XAVC", "mp42")) == .mp4)
    #expect(Self.type(Self.film("avif", "mif1")) == nil && Self.type(Self.film("crx ")) == nil)
    #expect(Self.type(Self.film("heic")) == .heic && Self.type(Self.film("3gp4"), "mp4") == .threeGP)
    #expect(Self.type([0, 0, 0, 8] + Array("widemdat".utf8)) == .mov)
    #expect(Self.type(Array("RIFF    WAVEfmt ".utf8)) == .wav && Self.type(Array("RIFF    AVI LIST".utf8)) == .avi)
    #expect(Self.type(Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 0]) == .mp3)
    // One frame of 128 kbit/s at 44.1 kHz has 417 bytes.
    let frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x00] + Array(repeating: 0, count: 413)
    #expect(Self.type(frame) == .mp3 && Self.type(frame + frame) == .mp3)
    #expect(Self.type(frame + [1, 2, 3, 4]) == nil && Self.type([0xFF, 0xFB, 0x90]) == nil)
  }

  @Test("text is UTF-8 or EUC-KR without control characters, with a text extension or none")
  func texts() throws {
    let words = Array("안녕, words\t\r\n".utf8)
    #expect(Self.type(words, "txt") == .txt && Self.type(words, "csv") == .csv && Self.type(words, "md") == .md)
    #expect(Self.type(words) == .txt && Self.type([0xEF, 0xBB, 0xBF] + words, "txt") == .txt)
    for other in ["png", "html", "svg", "exe", "docx"] { #expect(Self.type(words, other) == nil) }
    // "안녕" in EUC-KR, and a letter that only code page 949 has.
    #expect(Self.type([0xBE, 0xC8, 0xB3, 0xE7], "txt") == .txt && Self.type([0x81, 0x41], "txt") == .txt)
    for bytes in [
      [0x61, 0], [0x61, 0x1B], [0x7F], [0xC2, 0x85], [0xBE], [0xE9, 0x20], [0xFF, 0xFE, 0x61, 0],
      [0xF5, 0x80, 0x80, 0x80],
      [0xED, 0xA0, 0x80], [0xC7, 0x41], [0xE0, 0x80],
    ] as [[UInt8]] { #expect(Self.type(bytes, "txt") == nil, "\(bytes)") }
  }

  @Test("text is recognised exactly like Foundation does, for any bytes")
  func sieve() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
        Bool.random(using: &generator)
          ? UInt8.random(in: 0x20...0x7E, using: &generator) : .random(in: 0x80...0xFF, using: &generator)
      }
      guard let text = String(validating: bytes, as: UTF8.self),
        text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
      else { continue }
      #expect(Self.type(bytes, "txt") == .txt, "\(bytes)")
    }
  }

  @Test(
    "a name keeps 80 characters in NFC, percent-encoded, without characters that paths or headers cannot carry",
    arguments: [
      ("이력서 2.PDF", "이력서 2"), ("a_b.c.pdf", "a_b.c"), ("../../etc/passwd", "passwd"), ("C:\\x\\y.pdf", "y"),
      ("", "file"), (".pdf", "file"), ("  .. . a  .pdf", "a"), ("a\r\nX-Evil: 1.pdf", "aX-Evil: 1"),
      ("a\0\u{7F}\u{85}b.pdf", "ab"),
      ("cod\u{202E}fdp.pdf", "codfdp"), ("\u{2028}a\u{FFFD}.pdf", "a"), ("a\"b;c'd%2F.pdf", "a\"b;c'd%2F"),
      ("👨‍👩‍👧.pdf", "👨‍👩‍👧"), ("e\u{301}.pdf", "\u{E9}"),
    ])
  func name(_ fileName: String, _ expected: String) throws {
    let name = DocumentName(ofFile: fileName)
    #expect(name.encoded.wholeMatch(of: /([A-Za-z0-9._-]|%[0-9A-F]{2})+/) != nil, "\(name.encoded)")
    let decoded = try #require(name.encoded.removingPercentEncoding)
    #expect(Array(decoded.utf8) == Array(expected.utf8))
    #expect(name.isMeant(by: decoded) && name.isMeant(by: name.encoded) && !name.isMeant(by: decoded + "x"))
  }

  @Test("a long name is cut, in characters and in bytes")
  func cut() {
    func kept(_ text: String) -> String { DocumentName(ofFile: text + ".pdf").encoded.removingPercentEncoding ?? "" }
    #expect(kept(String(repeating: "가", count: 300)) == String(repeating: "가", count: 80))
    #expect(kept(String(repeating: "👨‍👩‍👧‍👦", count: 80)).utf8.count <= 640)
    #expect(kept("a" + String(repeating: "\u{301}", count: 2000)) == "file")
  }
}
