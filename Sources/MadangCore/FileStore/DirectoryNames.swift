import Foundation
import Synchronization

/// Lists a directory in pages, so that memory use does not grow with it. Calls block.
final class DirectoryNames: Sendable {
  #if canImport(Darwin)
    private typealias Stream = UnsafeMutablePointer<DIR>
  #else
    private typealias Stream = OpaquePointer
  #endif

  private let stream: Mutex<Stream>

  init(_ directory: URL) throws {
    guard let stream = opendir(directory.path) else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    self.stream = Mutex(stream)
  }

  deinit { stream.withLock { _ = closedir($0) } }

  /// The next names, at most `count`; nil after the last.
  func next(_ count: Int) -> [String]? {
    stream.withLock { stream in
      var names: [String] = []
      while names.count < count, let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != ".." { names.append(name) }
      }
      return names.isEmpty ? nil : names
    }
  }
}
