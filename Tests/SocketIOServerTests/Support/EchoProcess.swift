import Foundation
import SocketIOSupport
import Testing

/// The program `socketio-echo`, running on a free port.
struct EchoProcess: Sendable {
  let port: Int
  let pid: Int32

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
    try await body(EchoProcess(port: port, pid: process.processIdentifier))
  }

  struct Stats: Decodable, Equatable, Sendable {
    var sessions: Int
    var sockets: Int
    /// Namespaces with sockets; rooms are parts of these.
    var namespaces: Int
  }

  func stats() async throws -> Stats {
    let wire = try await Wire.connect(port)
    defer { wire.abort() }
    return try JSONDecoder().decode(Stats.self, from: Data(try await wire.request("GET", "/stats").body))
  }

  /// Waits until the statistics match, and returns the last ones.
  @discardableResult
  func stats(within limit: Duration = .seconds(60), where isWanted: (Stats) -> Bool) async throws -> Stats {
    let deadline = ContinuousClock.now + limit
    while true {
      let stats = try await stats()
      if isWanted(stats) || ContinuousClock.now > deadline { return stats }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// How many descriptors the process has open; `nil` if the system does not show it.
  var descriptors: Int? {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd"))?.count
  }

  private static func firstLine(_ handle: FileHandle) -> String {
    var bytes = Data()
    while !bytes.contains(UInt8(ascii: "\n")), case let chunk = handle.availableData, !chunk.isEmpty { bytes += chunk }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  private static func program() throws -> URL {
    // On Apple platforms the tests are a bundle that another program runs.
    let bundles = Bundle.allBundles.filter { $0.bundlePath.hasSuffix(".xctest") }
    let folders = [Bundle.main.bundleURL] + bundles.map { $0.bundleURL.deletingLastPathComponent() }
    let candidates = folders.map { $0.appending(path: "socketio-echo") }
    return try #require(candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) }, "\(candidates)")
  }
}
