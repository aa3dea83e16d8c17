import Foundation
import Testing

/// The program `socketio-echo`, running on a free port.
struct EchoProcess: Sendable {
  let port: Int

  static func with(_ arguments: [String], _ body: (EchoProcess) async throws -> Void) async throws {
    let process = Process()
    process.executableURL = try program()
    process.arguments = ["--port", "0"] + arguments
    process.standardInput = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    defer { kill(process.processIdentifier, SIGKILL) }
    let line = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: firstLine(output.fileHandleForReading)) }
    }
    let port = try #require(line.split(separator: ":").last.flatMap { Int($0) }, "socketio-echo said: \(line)")
    try await body(EchoProcess(port: port))
  }

  private static func firstLine(_ handle: FileHandle) -> String {
    var bytes = Data()
    while !bytes.contains(UInt8(ascii: "\n")), case let chunk = handle.availableData, !chunk.isEmpty { bytes += chunk }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  private static func program() throws -> URL {
    // On Apple platforms the tests are a bundle run by somebody else's program.
    let bundles = Bundle.allBundles.filter { $0.bundlePath.hasSuffix(".xctest") }
    let folders = [Bundle.main.bundleURL] + bundles.map { $0.bundleURL.deletingLastPathComponent() }
    let candidates = folders.map { $0.appending(path: "socketio-echo") }
    return try #require(candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) }, "\(candidates)")
  }
}
