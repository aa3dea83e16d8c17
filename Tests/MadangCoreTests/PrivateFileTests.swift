import Foundation
import Synchronization
import Testing

@testable import MadangCore

@Suite("Private files", .timeLimit(.minutes(5)))
struct PrivateFileTests {
  /// Runs `body` with a new folder, and the path of a file in it.
  private static func run(_ body: (_ folder: String, _ path: String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-private-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder.path, folder.appending(path: "secret").path)
  }

  private static func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  private static func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  private static func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  /// The system calls, of which flushing fails after so many successes.
  private static func calls(flushes: Int, linkFails code: Int32? = nil) -> PrivateFile.Calls {
    let left = LockedCount(flushes)
    var calls = PrivateFile.Calls()
    calls.flush = { _ in
      guard !left.take() else { return 0 }
      errno = EIO
      return -1
    }
    if let code {
      calls.link = { _, _ in
        errno = code
        return -1
      }
    }
    return calls
  }

  private final class LockedCount: Sendable {
    private let count: Mutex<Int>

    init(_ count: Int) { self.count = Mutex(count) }

    /// Whether one was left.
    func take() -> Bool {
      count.withLock {
        $0 -= 1
        return $0 >= 0
      }
    }
  }

  @Test("a file has mode 0600 unless another one is given, and nothing is left beside it")
  func modes() async throws {
    try await Self.run { folder, path in
      try PrivateFile(path).replace(with: Data("one".utf8))
      #expect(try Self.mode(path) == 0o600)
      try PrivateFile(path).replace(with: Data("two".utf8), mode: 0o640, owner: (geteuid(), getegid()))
      #expect(try Self.mode(path) == 0o640 && Self.text(path) == "two")
      try PrivateFile(path).replace(with: Data())
      #expect(try Self.mode(path) == 0o600 && Self.text(path) == "")
      #expect(try PrivateFile("\(folder)/new").create(Data("three".utf8)))
      #expect(try Self.mode("\(folder)/new") == 0o600)
      #expect(try Self.names(folder) == ["new", "secret"])
    }
  }

  @Test("a file is created once: an existing one stays as it is", arguments: [nil, EPERM])
  func once(_ code: Int32?) async throws {
    try await Self.run { folder, path in
      let file = PrivateFile(path, calls: Self.calls(flushes: .max, linkFails: code))
      let created = [try file.create(Data("one".utf8)), try file.create(Data("two".utf8))]
      #expect(created == [true, false])
      #expect(try Self.text(path) == "one" && Self.mode(path) == 0o600 && Self.names(folder) == ["secret"])
    }
  }

  @Test("a write that fails leaves the former file, and nothing beside it")
  func fails() async throws {
    try await Self.run { folder, path in
      try PrivateFile(path).replace(with: Data("former".utf8))
      let failing = Self.calls(flushes: 0)
      let problem = try #require(throws: PrivateFileProblem.self) {
        try PrivateFile(path, calls: failing).replace(with: Data("new".utf8))
      }
      #expect(problem.description == "\(path) cannot be written: Input/output error")
      #expect(try Self.text(path) == "former" && Self.names(folder) == ["secret"])
      #expect(throws: PrivateFileProblem.self) {
        _ = try PrivateFile("\(folder)/other", calls: failing).create(Data("new".utf8))
      }
      // The first flush is of the temporary file, the second of the file itself.
      #expect(throws: PrivateFileProblem.self) {
        _ = try PrivateFile("\(folder)/other", calls: Self.calls(flushes: 1, linkFails: EPERM)).create(Data("new".utf8))
      }
      #expect(try Self.names(folder) == ["secret"])
    }
  }

  @Test("errors name the path: a missing folder, a folder in the file's place")
  func errors() async throws {
    try await Self.run { folder, path in
      let missing = "\(folder)/missing/secret"
      for isNew in [false, true] {
        let problem = try #require(throws: PrivateFileProblem.self) {
          let file = PrivateFile(missing)
          if isNew { _ = try file.create(Data()) } else { try file.replace(with: Data()) }
        }
        #expect(problem.description == "\(missing) cannot be written: No such file or directory")
      }
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      let problem = try #require(throws: PrivateFileProblem.self) { try PrivateFile(path).replace(with: Data()) }
      #expect(problem.description == "\(path) cannot be written: Is a directory")
      #expect(try Self.names(folder) == ["secret"])
    }
  }

  @Test("the file is flushed before it gets its name, and its folder afterwards")
  func flushed() async throws {
    try await Self.run { folder, path in
      let flushed = Mutex<[String]>([])
      var calls = PrivateFile.Calls()
      calls.flush = { descriptor in
        var status = stat()
        fstat(descriptor, &status)
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        let isNamed = FileManager.default.fileExists(atPath: path)
        flushed.withLock { $0.append("\(isFolder ? "folder" : "file of \(status.st_size)"), \(isNamed)") }
        return 0
      }
      try PrivateFile(path, calls: calls).replace(with: Data("one".utf8))
      #expect(flushed.withLock(\.self) == ["file of 3, false", "folder, true"])
      try FileManager.default.removeItem(atPath: path)
      _ = try PrivateFile(path, calls: calls).create(Data("four".utf8))
      #expect(flushed.withLock(\.self).suffix(2) == ["file of 4, false", "folder, true"])
      let problem = try #require(throws: PrivateFileProblem.self) {
        try PrivateFile(path, calls: Self.calls(flushes: 1)).replace(with: Data("five".utf8))
      }
      #expect(problem.description == "\(path) cannot be written: Input/output error")
    }
  }

  @Test("a symbolic link is replaced, and its target stays")
  func links() async throws {
    try await Self.run { folder, path in
      try Data("target".utf8).write(to: URL(filePath: "\(folder)/target"))
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "\(folder)/target")
      try PrivateFile(path).replace(with: Data("new".utf8))
      #expect(try Self.text(path) == "new" && Self.text("\(folder)/target") == "target")
    }
  }

  @Test("writers at the same time, and leftovers of killed ones, are not in the way: a reader sees a whole file")
  func atOnce() async throws {
    try await Self.run { folder, path in
      let contents = (0..<8).map { String(repeating: "\($0)", count: 100_000) }
      let leftovers = [".secret.new", ".secret.A5D5B6F4-0000-4000-8000-000000000000", "secret.new"]
      for name in leftovers { try Data("half".utf8).write(to: URL(filePath: "\(folder)/\(name)")) }
      try PrivateFile(path).replace(with: Data(contents[0].utf8))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for content in contents {
          group.addTask {
            for _ in 0..<10 {
              try PrivateFile(path).replace(with: Data(content.utf8))
              #expect(contents.contains(try Self.text(path)))
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try Self.names(folder) == (leftovers + ["secret"]).sorted())
    }
  }
}
