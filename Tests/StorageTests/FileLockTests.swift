import Foundation
import Storage
import Testing

@Suite("A lock on a file")
struct FileLockTests {
  @Test("a released lock is free, even while a child process that is being started has the file open")
  func inherited() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "lock-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let first = FileLock(path: path)
    #expect(try first.takeAlone())
    let other = FileLock(path: path)
    #expect(try !other.takeAlone())
    // The copy that fork() gives a child.
    let copy = dup(try #require(descriptor(of: path)))
    defer { close(copy) }
    first.release()
    #expect(try other.takeAlone())
  }

  /// The first descriptor for the path in this process.
  private func descriptor(of path: String) -> CInt? {
    (0..<1024).first { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path }
  }
}
