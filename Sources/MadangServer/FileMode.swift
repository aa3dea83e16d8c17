import Foundation

/// To whom a file belongs, how large it is, and who may use it.
public struct FileMode: Sendable {
  /// The number of a user.
  let owner: UInt32
  /// Bytes.
  let size: Int
  /// Whether every user of the machine may.
  public let isOpenToAll: Bool

  /// Nil if it is not there. Links are followed.
  public init?(_ file: URL) {
    guard
      let attributes = try? FileManager.default.attributesOfItem(atPath: file.resolvingSymlinksInPath().path),
      let owner = attributes[.ownerAccountID] as? NSNumber, let size = attributes[.size] as? NSNumber,
      let mode = attributes[.posixPermissions] as? NSNumber
    else { return nil }
    (self.owner, self.size, isOpenToAll) = (owner.uint32Value, size.intValue, mode.intValue & 0o004 != 0)
  }
}
