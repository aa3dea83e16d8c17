import Foundation
import Logging
import Synchronization
import Testing

@testable import madang

@Suite("The log's thread", .timeLimit(.minutes(5)))
struct LogOutputTests {
  /// A pipe with a small buffer.
  private final class SmallPipe: Sendable {
    let read: Int32
    let write: Int32

    init() throws {
      var ends: [Int32] = [0, 0]
      try #require(pipe(&ends) == 0)
      (read, write) = (ends[0], ends[1])
      _ = fcntl(write, 1031, 4096)  // F_SETPIPE_SZ; where it is unknown, the pipe keeps its size.
    }

    deinit { close(read) }

    /// Everything that is written until the writing end is closed.
    func rest() -> [String] {
      let file = FileHandle(fileDescriptor: read)
      return String(decoding: file.readDataToEndOfFile(), as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  private func output(_ descriptor: Int32, limit: Int) -> LogOutput {
    LogOutput(descriptor: descriptor, limit: limit) { Array("dropped \($0)\n".utf8) }
  }

  @Test("a pipe that no program reads delays no line, and a flush ends after its time")
  func unread() throws {
    let pipe = try SmallPipe()
    let output = output(pipe.write, limit: 10_000)
    let line = Array("\(String(repeating: "x", count: 99))\n".utf8)
    let began = ContinuousClock.now
    for _ in 0..<10_000 { output.write(line) }
    #expect(output.flush(within: .milliseconds(50)) > 0)
    #expect(ContinuousClock.now - began < .seconds(60))
  }

  @Test("dropped lines are counted, and a line in their place gives the number")
  func dropped() throws {
    let pipe = try SmallPipe()
    let output = output(pipe.write, limit: 300_000)
    let line = { (number: Int) in Array("line \(number) \(String(repeating: "x", count: 80))\n".utf8) }
    // More than pipe and queue together can hold.
    for number in 0..<10_000 { output.write(line(number)) }
    let reading = Mutex<[String]>([])
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      reading.withLock { $0 = pipe.rest() }
      done.signal()
    }
    #expect(output.flush(within: .seconds(20)) == 0)
    output.write(line(10_000))
    #expect(output.flush(within: .seconds(20)) == 0)
    close(pipe.write)
    done.wait()
    let lines = reading.withLock(\.self)
    var next = 0
    var dropped = 0
    for line in lines {
      let words = line.split(separator: " ")
      if words[0] == "dropped" {
        dropped += 1
        next += try #require(Int(words[1]))
      } else {
        #expect(words[1] == "\(next)")
        next += 1
      }
    }
    #expect(next == 10_001 && dropped > 0)
  }

  @Test("lines that cannot be written to the disk are counted, and the next line gives the number")
  func full() throws {
    // A device that refuses every write: "no space left on device".
    let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
    try #require(full >= 0)
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-log-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = output(full, limit: 4096)
    output.write(Array("first\n".utf8))
    #expect(output.flush(within: .seconds(20)) == 0)
    // From now on the descriptor is a file with space.
    let file = open(folder.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    try #require(dup2(file, full) == full)
    output.write(Array("second\n".utf8))
    #expect(output.flush(within: .seconds(20)) == 0)
    #expect(try String(contentsOf: folder, encoding: .utf8) == "dropped 1\nsecond\n")
    close(file)
    close(full)
  }

  @Test("a line of text stays one line for any values, and the journal gets its priority")
  func text() {
    let line = LogLine(
      time: Date(timeIntervalSince1970: 0), level: .error, label: "madang", source: "here",
      message: "two\nlines 각😀", metadata: ["b": "x\u{1B}[0m\r", "a": ["1", "2"]])
    let text = String(decoding: line.bytes(.text, isForJournal: true), as: UTF8.self)
    #expect(text.hasPrefix("<3>19"))
    #expect(text.hasSuffix(" error madang: a=[\"1\", \"2\"] b=x\\u{1B}[0m\\r [here] two\\nlines 각😀\n"), "\(text)")
    #expect(LogLine.ofDropped(1).bytes(.json, isForJournal: true).starts(with: Array("<4>{".utf8)))
    #expect(LogLine.ofDropped(1).bytes(.json, isForJournal: false).first == UInt8(ascii: "{"))
  }

  @Test("the journal is recognised by the device and the inode of the stream")
  func journal() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "madang-journal-\(UUID().uuidString)")
    try Data().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    let device = try #require(attributes[.systemNumber] as? Int)
    let inode = try #require(attributes[.systemFileNumber] as? Int)
    let stream = open(file.path, O_WRONLY | O_CLOEXEC)
    defer { close(stream) }
    #expect(JournalPriority.isRead(by: stream, variable: "\(device):\(inode)"))
    #expect(!JournalPriority.isRead(by: stream, variable: "\(device):\(inode + 1)"))
    #expect(!JournalPriority.isRead(by: stream, variable: nil))
    #expect(JournalPriority.error.before("one\ntwo") == "<3>one\n<3>two")
  }
}
