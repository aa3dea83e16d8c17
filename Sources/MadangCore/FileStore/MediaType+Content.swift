// Detects the type of a file. Its first bytes decide the family. The extension of its name only selects a member of a family whose members
// look alike. The work is bounded by `MediaType.headLength` and does not grow with the file.

extension MediaType {
  /// How many leading bytes are examined: two frames of MP3 fit.
  static let headLength = 2048

  private static let zipped: Set<MediaType> = [.zip, .docx, .xlsx, .pptx, .hwpx, .odt, .ods, .odp, .epub]
  /// Types that are OLE compound files.
  private static let compound: Set<MediaType> = [.doc, .xls, .ppt, .hwp]
  private static let film: Set<MediaType> = [.mp4, .mov, .m4a]
  private static let texts: Set<MediaType> = [.txt, .csv, .md, .json, .rtf]

  /// Nil if the file has none of these types.
  /// - Parameters:
  ///   - head: The first ``headLength`` bytes, or all bytes of a shorter file.
  ///   - isText: Whether the whole file is text.
  ///   - fileExtension: The extension of the client's name, in lower case; nil if it has none.
  init?(head: [UInt8], isText: Bool, fileExtension: String?) {
    let bytes = Head(head)
    let named = fileExtension.flatMap { MediaType(fileExtension: $0) }
    func member(of family: Set<MediaType>) -> MediaType? { named.flatMap { family.contains($0) ? $0 : nil } }
    if let type = Self.bySignature(bytes) {
      self = type
    } else if bytes.has([0x50, 0x4B, 0x03, 0x04]) || bytes.has([0x50, 0x4B, 0x05, 0x06]) {
      self = member(of: Self.zipped) ?? .zip
    } else if bytes.has([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]) {
      // Installers and mails are compound files too, so the extension must name one of these types.
      guard let type = member(of: Self.compound) else { return nil }
      self = type
    } else if bytes.has("ftyp", at: 4) {
      guard let type = bytes.typeOfFilm else { return nil }
      // Files of all three types may have brands of MP4.
      self = type == .mp4 ? member(of: Self.film) ?? .mp4 : type
    } else if isText {
      // Nearly every file without binary data is text. With the extension of another kind, such as a picture or a page, it is refused.
      guard let fileExtension, !fileExtension.isEmpty else {
        self = .txt
        return
      }
      guard let type = member(of: Self.texts) else { return nil }
      self = type
    } else {
      return nil
    }
  }

  private static func bySignature(_ bytes: Head) -> MediaType? {
    if bytes.has([0xFF, 0xD8, 0xFF]) { return .jpeg }
    if bytes.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
    if bytes.has("GIF87a") || bytes.has("GIF89a") { return .gif }
    if bytes.has("RIFF") {
      if bytes.has("WEBP", at: 8) { return .webp }
      if bytes.has("WAVE", at: 8) { return .wav }
      if bytes.has("AVI ", at: 8) { return .avi }
    }
    if bytes.has("ftyp", at: 4), Head.heicBrands.contains(where: { bytes.has($0, at: 8) }) { return .heic }
    if bytes.has("%PDF-") { return .pdf }
    if bytes.has("HWP Document File") { return .hwp }
    if bytes.has("ID3"), (2...4).contains(bytes[3]) { return .mp3 }
    if bytes.isFramesOfMP3 { return .mp3 }
    // QuickTime films without a brand. An atom smaller than 16 MiB, or one with a long size, begins with zero.
    if bytes[0] == 0, ["moov", "mdat", "wide", "free", "skip", "pnot"].contains(where: { bytes.has($0, at: 4) }) {
      return .mov
    }
    if bytes.has("OggS") { return .ogg }
    if bytes.has("fLaC") { return .flac }
    if bytes.has([0x1A, 0x45, 0xDF, 0xA3]), (4..<64).contains(where: { bytes.has("webm", at: $0) }) { return .webm }
    return nil
  }
}

/// The first bytes of a file. Bytes beyond the end read as zero.
private struct Head {
  static let heicBrands = ["heic", "heix", "hevc", "heim", "heis", "mif1", "msf1"]
  private static let mp4Brands = ["isom", "mp41", "mp42", "mp71", "avc1", "M4V ", "M4VH", "M4VP", "dash", "MSNV"]

  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  subscript(_ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }

  func has(_ signature: [UInt8], at offset: Int = 0) -> Bool { bytes.dropFirst(offset).starts(with: signature) }

  func has(_ text: String, at offset: Int = 0) -> Bool { bytes.dropFirst(offset).starts(with: text.utf8) }

  /// The type of an ISO media file by its major brand, or else by its compatible brands; nil for other types, such as AVIF.
  var typeOfFilm: MediaType? {
    let size = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    let others = stride(from: 16, to: min(size, 256, bytes.count), by: 4)
    if has("avif", at: 8) || has("avis", at: 8) { return nil }
    return type(ofBrandAt: 8) ?? others.lazy.compactMap { type(ofBrandAt: $0) }.first
  }

  private func type(ofBrandAt offset: Int) -> MediaType? {
    if has("qt  ", at: offset) { return .mov }
    if ["M4A ", "M4B ", "M4P "].contains(where: { has($0, at: offset) }) { return .m4a }
    if has("3gp", at: offset) || has("3g2", at: offset) { return .threeGP }
    if Self.mp4Brands.contains(where: { has($0, at: offset) }) { return .mp4 }
    // Brands iso2 to iso9.
    return has("iso", at: offset) && (0x32...0x39).contains(self[offset + 3]) ? .mp4 : nil
  }

  /// Whether the file begins with two frames of MPEG audio, layer III, or consists of one.
  var isFramesOfMP3: Bool {
    guard let length = lengthOfFrame(at: 0) else { return false }
    return length == bytes.count || lengthOfFrame(at: length) != nil
  }

  /// The length of a frame in bytes; nil if there is no frame of layer III at the offset.
  private func lengthOfFrame(at offset: Int) -> Int? {
    let (sync, rates, version) = (self[offset + 1], self[offset + 2], self[offset + 1] >> 3 & 3)
    guard self[offset] == 0xFF, sync & 0xE0 == 0xE0, version != 1, sync >> 1 & 3 == 1 else { return nil }
    let (bits, samples) = (Int(rates >> 4), Int(rates >> 2 & 3))
    guard bits != 0, bits != 15, samples != 3 else { return nil }
    let kilobits =
      version == 3
      ? [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
      : [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
    let rate = [44_100, 48_000, 32_000][samples] / [4: 1, 3: 1, 2: 2, 0: 4][Int(version), default: 1]
    return (version == 3 ? 144 : 72) * kilobits[bits - 1] * 1000 / rate + Int(rates >> 1 & 1)
  }
}
