import Foundation
import Synchronization

/// Memory in large pieces, used again and again, for what is kept of many requests. To ask for memory for each of them, and to give
/// it back on another thread, would slow down all that these threads do.
struct Sheets: ~Copyable, Sendable {
  /// The one that is written on.
  private var open: Sheet?
  private let blanks = Blanks()

  /// Writes bytes behind one another, and answers where they are.
  ///
  /// - Parameter bytes: Is given room, writes as far as it suffices, and answers how many bytes there are in all. Called once more,
  ///   with room enough, if it did not suffice.
  mutating func write(_ bytes: (UnsafeMutableRawBufferPointer) -> Int) -> Sheet.Piece {
    let sheet = open ?? openNext()
    let count = bytes(sheet.room)
    if count <= sheet.room.count { return sheet.take(count) }
    // The rest of the open sheet stays unused. What is longer than a sheet gets memory of its own, and the open one stays open.
    let next = count <= Sheet.size ? openNext() : Sheet(size: count)
    let written = bytes(next.room)
    precondition(written == count, "what is written on a sheet has changed its size")
    return next.take(count)
  }

  private mutating func openNext() -> Sheet {
    let sheet = Sheet(blanks)
    open = sheet
    return sheet
  }
}

/// Memory of sheets that nobody holds any more.
private final class Blanks: Sendable {
  /// The most that is kept.
  private static let limit = 8

  /// Their addresses.
  private let memory = Mutex<[UInt]>([])

  deinit { while let one = take() { Sheet.giveBack(one) } }

  func take() -> UnsafeMutableRawPointer? {
    memory.withLock { $0.popLast() }.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
  }

  func put(_ one: UnsafeMutableRawPointer) {
    let isKept = memory.withLock { memory in
      guard memory.count < Self.limit else { return false }
      memory.append(UInt(bitPattern: one))
      return true
    }
    if !isKept { Sheet.giveBack(one) }
  }
}

/// One piece of memory, given back when the last `Piece` on it is gone.
final class Sheet: @unchecked Sendable {
  // Unchecked: only whoever holds its `Sheets` writes, behind all that was taken; what was taken is only read.

  /// In bytes.
  static let size = 64 * 1024

  private let memory: UnsafeMutableRawBufferPointer
  private var used = 0
  /// Where the memory goes; nil if it is malloc's.
  private let blanks: Blanks?

  fileprivate init(size: Int) {
    memory = .allocate(byteCount: size, alignment: 8)
    blanks = nil
  }

  fileprivate init(_ blanks: Blanks) {
    let start = blanks.take() ?? Self.blank()
    memory =
      start.map { UnsafeMutableRawBufferPointer(start: $0, count: Self.size) }
      ?? .allocate(byteCount: Self.size, alignment: 8)
    self.blanks = start == nil ? nil : blanks
  }

  deinit {
    if let blanks, let start = memory.baseAddress { blanks.put(start) } else { memory.deallocate() }
  }

  /// Memory from `mmap`: for a piece of this size malloc first merges all its free chunks, which slows down the requests that follow.
  /// `MAP_POPULATE` maps all pages at once; a page fault for each costs several times as much. Nil if `mmap` fails.
  fileprivate static func blank() -> UnsafeMutableRawPointer? {
    #if os(Linux)
      let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE
    #else
      let flags = MAP_PRIVATE | MAP_ANON
    #endif
    let start = mmap(nil, size, PROT_READ | PROT_WRITE, flags, -1, 0)
    return start == MAP_FAILED ? nil : start
  }

  fileprivate static func giveBack(_ blank: UnsafeMutableRawPointer) { munmap(blank, size) }

  fileprivate var room: UnsafeMutableRawBufferPointer { .init(rebasing: memory[used...]) }

  fileprivate func take(_ count: Int) -> Piece {
    defer { used += count }
    return Piece(sheet: self, range: used..<used + count)
  }

  /// Some of its bytes.
  struct Piece: Sendable {
    fileprivate let sheet: Sheet
    fileprivate let range: Range<Int>

    var count: Int { range.count }

    var bytes: [UInt8] { withExtendedLifetime(sheet) { Array(sheet.memory[range]) } }
  }
}
