import Foundation
import Synchronization
import Testing

/// A running program of this package.
final class Program: Sendable {
  let output: Lines
  let errors: Lines
  let pid: pid_t
  private let ended: AsyncStream<Int32>
  private let isOver = Mutex(false)

  /// Starts a program that was built beside the tests, or one given by path, without the environment of the tests.
  init(_ name: String, _ arguments: [String], environment: [String: String] = [:], input: String = "") throws {
    let (given, output, errors) = (try Spawn.pipe(), try Spawn.pipe(), try Spawn.pipe())
    self.output = Lines(output.read)
    self.errors = Lines(errors.read)
    let (ended, end) = AsyncStream.makeStream(of: Int32.self)
    self.ended = ended
    let own = ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "TZ": "UTC"]
    pid = try Spawn.start(
      name.hasPrefix("/") ? URL(filePath: name) : Self.executable(name), arguments,
      environment: own.merging(environment) { $1 }, input: given.read,
      output: output.write, errors: errors.write)
    for descriptor in [given.read, output.write, errors.write] { close(descriptor) }
    // The input of tests fits into a pipe, so this does not wait for the reader.
    try FileHandle(fileDescriptor: given.write, closeOnDealloc: true).write(contentsOf: Data(input.utf8))
    Spawn.wait(for: pid) { [weak self] status in
      self?.isOver.withLock { $0 = true }
      end.yield(status)
      end.finish()
    }
  }

  deinit {
    // A failed test must leave no process behind, not even a stopped one.
    if isRunning { kill(pid, SIGKILL) }
  }

  var isRunning: Bool { !isOver.withLock(\.self) }

  func signal(_ signal: Int32) { kill(pid, signal) }

  /// Waits for the end and returns the status, or the negated number of the signal that ended it.
  func status() async -> Int32 { await ended.first { _ in true } ?? .min }

  /// The path of a program of this package: in `MADANG_TEST_PROGRAMS` if that is set, otherwise beside the tests.
  static func executable(_ name: String) throws -> URL {
    if let folder = ProcessInfo.processInfo.environment["MADANG_TEST_PROGRAMS"] {
      let program = URL(filePath: folder).appending(path: name)
      if FileManager.default.isExecutableFile(atPath: program.path) { return program }
    }
    var folders = [Bundle.main.bundleURL, Bundle.main.executableURL?.deletingLastPathComponent()].compactMap(\.self)
    // On Apple platforms the tests are a bundle that another program loads.
    folders += Bundle.allBundles.filter { $0.bundlePath.hasSuffix(".xctest") }.map {
      $0.bundleURL.deletingLastPathComponent()
    }
    let candidates = folders.map { $0.appending(path: name) }
    return try #require(candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) }, "\(candidates)")
  }
}

/// The lines that a program prints, as they arrive. For a single reader.
struct Lines: Sendable {
  private let lines: AsyncStream<String>

  init(_ descriptor: Int32) {
    let (lines, feed) = AsyncStream.makeStream(of: String.self)
    self.lines = lines
    let partial = Mutex<[UInt8]>([])
    Spawn.read(descriptor) { chunk in
      partial.withLock { partial in
        partial += chunk
        var rest = partial[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          feed.yield(String(decoding: rest[..<end], as: UTF8.self))
          rest = rest[(end + 1)...]
        }
        partial = Array(rest)
        guard chunk.isEmpty else { return }
        if !partial.isEmpty { feed.yield(String(decoding: partial, as: UTF8.self)) }
        feed.finish()
      }
    }
  }

  /// The next line with this beginning; lines before it are dropped.
  func next(beginning: String = "") async throws -> String {
    try #require(await lines.first { $0.hasPrefix(beginning) }, "the program ended without '\(beginning)'")
  }

  /// All remaining lines.
  func rest() async -> [String] { await lines.reduce(into: []) { $0.append($1) } }
}
