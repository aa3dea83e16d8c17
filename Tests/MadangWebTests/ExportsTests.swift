import Foundation
import MadangCore
import Support
import Testing

@testable import MadangWeb

@Suite("Archives that wait for an administrator's browser")
struct ExportsTests {
  @Test(
    "an archive is taken once, by the session that made it; one is made at a time, and the oldest gives way to a sixth")
  func taken() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-exports-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let (exports, ids, clock) = (Exports(in: folder), IDSource(), World.stoppedClock)
    func make() throws -> (token: String, path: String) {
      let place = try #require(try exports.begin(ids: ids))
      #expect(try exports.begin(ids: ids) == nil, "another is under way")
      #expect(FileManager.default.createFile(atPath: place.file.url.path, contents: Data("archive".utf8)))
      exports.keep(place.file, named: "a.zip", as: place.token, for: "mine", clock)
      exports.end()
      return (place.token, place.file.url.path)
    }
    let first = try make()
    #expect(exports.take(first.token, for: "another") == nil && exports.take("unknown", for: "mine") == nil)
    do {
      let taken = try #require(exports.take(first.token, for: "mine"))
      #expect(try Data(contentsOf: taken.file.url) == Data("archive".utf8))
    }
    #expect(exports.take(first.token, for: "mine") == nil)
    #expect(!FileManager.default.fileExists(atPath: first.path), "nothing is left of it")
    let others = try (0..<6).map { _ in try make() }
    #expect(
      exports.take(others[0].token, for: "mine") == nil && !FileManager.default.fileExists(atPath: others[0].path))
    #expect(exports.take(others[5].token, for: "mine") != nil)
    let mode = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
    #expect(mode == 0o700)
  }

  @Test("an archive that is not fetched is removed after five minutes")
  func forgotten() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-exports-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let (exports, clock) = (Exports(in: folder), World.stoppedClock)
    var place: (file: Exports.TemporaryFile, token: String)? = try exports.begin(ids: IDSource())
    let (path, token) = try (#require(place?.file.url.path), #require(place?.token))
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    exports.keep(try #require(place?.file), named: "a.zip", as: token, for: "mine", clock)
    place = nil
    let isGone = try await World.eventually {
      clock.advance(milliseconds: 300_000)
      return !FileManager.default.fileExists(atPath: path)
    }
    #expect(isGone && exports.take(token, for: "mine") == nil)
  }

  @Test("archives of a server that was ended early are removed by the next one")
  func leftOver() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-exports-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    #expect(FileManager.default.createFile(atPath: folder.appending(path: "old.zip").path, contents: nil))
    _ = Exports(in: folder)
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }
}
