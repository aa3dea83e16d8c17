import Foundation
import Testing

@Suite("Faults")
struct FaultTests {
  @Test("a program that crashes reports where, and only its user can read its files")
  func backtrace() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-fault-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = try Program("madang", ["serve", "--port", "0", "--data", folder.path])
    _ = try await program.output.next(beginning: "madang listening on ")
    for name in ["", "/madang.sqlite", "/files", "/files/uploads", "/secrets", "/secrets/api-key-2024-10"] {
      let mode = try FileManager.default.attributesOfItem(atPath: folder.path + name)[.posixPermissions] as? Int
      #expect((mode ?? 0) & 0o077 == 0, "\(name)")
    }
    program.signal(SIGILL)
    _ = try await program.errors.next(beginning: "*** Program crashed: ")
    _ = try await program.errors.next(beginning: "Thread 0")
    _ = try await program.errors.next(beginning: "Backtrace took ")
    // A real trap would be raised again when the program continues; a signal that was sent must be sent again.
    program.signal(SIGILL)
    #expect(await program.status() == -SIGILL)
  }
}
