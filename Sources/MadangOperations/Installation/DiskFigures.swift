import Foundation

/// The disk of a directory.
package struct DiskFigures {
  /// Bytes.
  package let size: Int
  /// Bytes that are free without privileges.
  package let free: Int
  /// Percent of the whole disk; nil if its size is 0.
  package let freePercent: Double?
  /// Percent of the inodes; nil for a file system without a limit of them.
  package let freeInodesPercent: Double?

  /// Nil if the system does not report it.
  package init?(_ directory: URL) {
    var disk = statvfs()
    guard statvfs(directory.path, &disk) == 0 else { return nil }
    func bytes(_ blocks: UInt) -> Int { Int(clamping: blocks.multipliedFullWidth(by: UInt(disk.f_frsize)).low) }
    func percent(_ free: UInt, _ all: UInt) -> Double? { all == 0 ? nil : Double(free) / Double(all) * 100 }
    size = bytes(UInt(disk.f_blocks))
    free = bytes(UInt(disk.f_bavail))
    freePercent = percent(UInt(disk.f_bavail), UInt(disk.f_blocks))
    freeInodesPercent = percent(UInt(disk.f_favail), UInt(disk.f_files))
  }
}
