import CZlib
import Foundation

/// Writes a ZIP archive with mode 0600. Entries are stored without compression, because photos and films are compressed already; 64-bit
/// fields are used where they are needed. Calls block. Throws ``BackupProblem``.
///
/// Source: PKWARE's APPNOTE.TXT 6.3.
package struct ZipFile: ~Copyable {
  private struct Entry {
    let name: [UInt8]
    let checksum: UInt32
    let size: UInt32
    let offset: UInt64
    let moment: UInt32
  }

  /// Names in UTF-8.
  private static let flags: UInt16 = 1 << 11
  private static let version: UInt16 = 45

  private var file: OutputFile
  private var entries: [Entry] = []
  private var offset: UInt64 = 0

  /// - Parameters:
  ///   - url: Must not exist yet.
  ///   - offset: Bytes of the archive that precede this file, in another file.
  package init(_ url: URL, offset: UInt64 = 0) throws {
    file = try OutputFile(url)
    self.offset = offset
  }

  /// - Parameters:
  ///   - name: `/` separates folders.
  ///   - bytes: Less than 4 GiB.
  ///   - time: Milliseconds since 1970. Stored in UTC, with a precision of two seconds.
  package mutating func add(_ name: String, _ bytes: [UInt8], at time: Int64) throws {
    let name = Array(name.utf8)
    guard let size = UInt32(exactly: bytes.count), size < .max, let length = UInt16(exactly: name.count) else {
      throw BackupProblem("\(String(decoding: name, as: UTF8.self)) is too large for an archive")
    }
    let checksum = bytes.withUnsafeBufferPointer { UInt32(truncatingIfNeeded: crc32(0, $0.baseAddress, size)) }
    let entry = Entry(name: name, checksum: checksum, size: size, offset: offset, moment: Self.moment(time))
    var head = Fields()
    head.add(UInt32(0x0403_4b50), Self.version)
    head.add(entry)
    head.add(length, UInt16(0))
    try write(head.bytes + name)
    try write(bytes)
    entries.append(entry)
  }

  /// Writes the central directory. No entry may be added afterwards.
  package mutating func finish() throws {
    let start = offset
    for entry in entries {
      let isFar = entry.offset >= UInt32.max
      var head = Fields()
      head.add(UInt32(0x0201_4b50), Self.version)
      head.add(Self.version)
      head.add(entry)
      head.add(UInt16(entry.name.count), UInt16(isFar ? 12 : 0))
      // No comment, the first disk, no attributes.
      head.add(UInt16(0), UInt16(0))
      head.add(UInt16(0))
      head.add(UInt32(0), isFar ? UInt32.max : UInt32(entry.offset))
      try write(head.bytes + entry.name)
      guard isFar else { continue }
      var extra = Fields()
      extra.add(UInt16(1), UInt16(8))
      extra.add(entry.offset)
      try write(extra.bytes)
    }
    let (size, count) = (offset - start, UInt64(entries.count))
    var end = Fields()
    if start >= UInt32.max || size >= UInt32.max || count >= UInt16.max {
      let record = offset
      end.add(UInt32(0x0606_4b50))
      end.add(UInt64(44))
      end.add(Self.version, Self.version)
      end.add(UInt32(0), UInt32(0))
      for number in [count, count, size, start] { end.add(number) }
      end.add(UInt32(0x0706_4b50), UInt32(0))
      end.add(record)
      end.add(UInt32(1))
    }
    end.add(UInt32(0x0605_4b50))
    end.add(UInt16(0), UInt16(0))
    let (shown, place) = (UInt16(min(count, UInt64(UInt16.max))), { UInt32(min($0, UInt64(UInt32.max))) })
    end.add(shown, shown)
    end.add(place(size), place(start))
    end.add(UInt16(0))
    try write(end.bytes)
    _ = try file.finish()
  }

  private mutating func write(_ bytes: [UInt8]) throws {
    try file.write(bytes)
    offset += UInt64(bytes.count)
  }

  /// Date and time in the MS-DOS format, which covers 1980 to 2107.
  private static func moment(_ time: Int64) -> UInt32 {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = calendar.dateComponents(
      [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: Double(time) / 1000))
    let year = UInt32(min(max((parts.year ?? 1980) - 1980, 0), 127))
    let (month, day) = (UInt32(parts.month ?? 1), UInt32(parts.day ?? 1))
    let (hour, minute, second) = (UInt32(parts.hour ?? 0), UInt32(parts.minute ?? 0), UInt32(parts.second ?? 0))
    return year << 25 | month << 21 | day << 16 | hour << 11 | minute << 5 | second / 2
  }

  /// Appends numbers in little-endian order.
  private struct Fields {
    private(set) var bytes: [UInt8] = []

    mutating func add<Number: FixedWidthInteger>(_ number: Number) {
      withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }

    mutating func add<First: FixedWidthInteger, Second: FixedWidthInteger>(_ first: First, _ second: Second) {
      add(first)
      add(second)
    }

    /// Fields that the local and the central header of an entry share: flags, method, time, checksum, and the size twice.
    mutating func add(_ entry: Entry) {
      add(ZipFile.flags, UInt16(0))
      add(entry.moment, entry.checksum)
      add(entry.size, entry.size)
    }
  }
}
