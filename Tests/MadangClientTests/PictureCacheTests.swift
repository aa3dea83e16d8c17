import Foundation
import MadangClient
import Synchronization
import Testing

@Suite("The picture cache")
struct PictureCacheTests {
  /// A cache with simulated downloads, in its own folder.
  private struct Scene {
    let folder = FileManager.default.temporaryDirectory.appending(path: "pictures-\(UUID().uuidString)")
    let time = Ticks()
    let downloads = Downloads()

    func cache(_ adjust: (inout PictureCache.Configuration) -> Void = { _ in }) -> PictureCache {
      var configuration = PictureCache.Configuration()
      adjust(&configuration)
      let (time, downloads) = (time, downloads)
      return PictureCache(
        folder: folder, configuration: configuration, now: { time.now }, download: { try await downloads.picture($0) })
    }

    func files() throws -> [URL] {
      try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    }

    func clear() { try? FileManager.default.removeItem(at: folder) }
  }

  private final class Ticks: Sendable {
    private let date = Mutex(Date(timeIntervalSince1970: 1_700_000_000))
    var now: Date { date.withLock(\.self) }
    func advance(minutes: Double) { date.withLock { $0 += minutes * 60 } }
  }

  /// A server of pictures of 1,000 bytes that counts requests; while it is held, its answers wait.
  private actor Downloads {
    private(set) var paths: [String] = []
    private(set) var cancelled = 0
    private var isHeld = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    struct Gone: Error {}

    func hold() { isHeld = true }

    func release() {
      isHeld = false
      for continuation in waiting { continuation.resume() }
      waiting = []
    }

    func picture(_ path: String) async throws -> Data {
      paths.append(path)
      if isHeld { await withCheckedContinuation { waiting.append($0) } }
      if Task.isCancelled {
        cancelled += 1
        throw CancellationError()
      }
      if path == "/static/none" { throw Gone() }
      return PictureCacheTests.bytes(of: path)
    }
  }

  private static func bytes(of path: String) -> Data {
    Data(path.utf8) + Data(repeating: 7, count: 1000 - path.utf8.count)
  }

  @Test("concurrent requests for a picture download it once")
  func oneDownload() async throws {
    let scene = Scene()
    defer { scene.clear() }
    let cache = scene.cache()
    await scene.downloads.hold()
    try await withThrowingTaskGroup(of: Data.self) { group in
      for _ in 0..<50 { group.addTask { try await cache.picture("/static/a") } }
      while await scene.downloads.paths.isEmpty { await Task.yield() }
      await scene.downloads.release()
      for try await data in group { #expect(data == Self.bytes(of: "/static/a")) }
    }
    #expect(await scene.downloads.paths == ["/static/a"])
  }

  @Test("an unused picture leaves memory after ten minutes, and the disk after sixty days")
  func ages() async throws {
    let scene = Scene()
    defer { scene.clear() }
    let cache = scene.cache()
    _ = try await cache.picture("/static/a")
    // Without its file, only memory can return the picture.
    for file in try scene.files() { try FileManager.default.removeItem(at: file) }
    scene.time.advance(minutes: 9)
    _ = try await cache.picture("/static/a")
    scene.time.advance(minutes: 9)
    _ = try await cache.picture("/static/a")
    #expect(await scene.downloads.paths.count == 1, "each use keeps it")
    scene.time.advance(minutes: 11)
    _ = try await cache.picture("/static/a")
    #expect(await scene.downloads.paths.count == 2)

    scene.time.advance(minutes: 59 * 1440)
    _ = try await cache.picture("/static/a")
    #expect(await scene.downloads.paths.count == 2, "disk has it still")
    scene.time.advance(minutes: 61 * 1440)
    _ = try await cache.picture("/static/a")
    #expect(await scene.downloads.paths.count == 3)
  }

  @Test("pictures on disk survive the program")
  func restart() async throws {
    let scene = Scene()
    defer { scene.clear() }
    _ = try await scene.cache().picture("/static/a")
    #expect(try await scene.cache().picture("/static/a") == Self.bytes(of: "/static/a"))
    #expect(await scene.downloads.paths.count == 1)
  }

  @Test("the least recently used picture is removed from the disk first, across programs")
  func leastRecentlyUsed() async throws {
    let scene = Scene()
    defer { scene.clear() }
    let small: (inout PictureCache.Configuration) -> Void = {
      $0.memoryBytes = 0
      $0.diskBytes = 3200
    }
    let cache = scene.cache(small)
    for path in ["/static/a", "/static/b", "/static/c"] {
      _ = try await cache.picture(path)
      scene.time.advance(minutes: 1)
    }
    _ = try await cache.picture("/static/a")
    scene.time.advance(minutes: 1)
    let next = scene.cache(small)
    _ = try await next.picture("/static/d")
    #expect(try scene.files().count == 3)
    _ = try await next.picture("/static/a")
    _ = try await next.picture("/static/c")
    #expect(await scene.downloads.paths.count == 4, "a and c are still there")
    _ = try await next.picture("/static/b")
    #expect(await scene.downloads.paths.count == 5, "b had to go")
  }

  @Test("memory stays within its size")
  func memoryLimit() async throws {
    let scene = Scene()
    defer { scene.clear() }
    let cache = scene.cache {
      $0.memoryBytes = 2000
      $0.diskBytes = 0
    }
    for path in ["/static/a", "/static/b", "/static/c"] { _ = try await cache.picture(path) }
    #expect(try scene.files().isEmpty)
    _ = try await cache.picture("/static/b")
    _ = try await cache.picture("/static/c")
    #expect(await scene.downloads.paths.count == 3)
    _ = try await cache.picture("/static/a")
    #expect(await scene.downloads.paths.count == 4)
  }

  @Test("a damaged, cut or empty file is downloaded again", arguments: [0, 1, 2])
  func damaged(_ kind: Int) async throws {
    let scene = Scene()
    defer { scene.clear() }
    _ = try await scene.cache().picture("/static/a")
    let file = try #require(try scene.files().first)
    var stored = try Data(contentsOf: file)
    switch kind {
    case 0: stored[stored.count - 1] ^= 1
    case 1: stored = stored.dropLast(10)
    default: stored = Data()
    }
    try stored.write(to: file)
    #expect(try await scene.cache().picture("/static/a") == Self.bytes(of: "/static/a"))
    #expect(await scene.downloads.paths.count == 2)
    #expect(try await scene.cache().picture("/static/a") == Self.bytes(of: "/static/a"))
    #expect(await scene.downloads.paths.count == 2, "the new file is whole")
  }

  @Test("if the folder cannot be written, pictures are downloaded again")
  func noDisk() async throws {
    let scene = Scene()
    defer { scene.clear() }
    try Data().write(to: scene.folder)
    let cache = scene.cache { $0.memoryBytes = 0 }
    for _ in 0..<2 { #expect(try await cache.picture("/static/a") == Self.bytes(of: "/static/a")) }
    #expect(await scene.downloads.paths.count == 2)
  }

  @Test("a failed download fails for all that wait, and the next request tries again")
  func failure() async throws {
    let scene = Scene()
    defer { scene.clear() }
    let cache = scene.cache()
    for _ in 0..<2 { await #expect(throws: Downloads.Gone.self) { try await cache.picture("/static/none") } }
    #expect(await scene.downloads.paths.count == 2)
  }

  @Test("a download continues while a caller waits, and ends when the last one gives up")
  func cancellation() async throws {
    let scene = Scene()
    defer { scene.clear() }
    let cache = scene.cache()
    await scene.downloads.hold()
    let leaving = Task { try await cache.picture("/static/a") }
    while await scene.downloads.paths.isEmpty { await Task.yield() }
    let staying = Task { try await cache.picture("/static/a") }
    let alone = Task { try await cache.picture("/static/b") }
    while await scene.downloads.paths.count < 2 { await Task.yield() }
    while await cache.waiting(for: "/static/a") < 2 { await Task.yield() }
    leaving.cancel()
    alone.cancel()
    while await cache.waiting(for: "/static/b") > 0 { await Task.yield() }
    await scene.downloads.release()
    #expect(try await staying.value == Self.bytes(of: "/static/a"))
    await #expect(throws: CancellationError.self) { try await alone.value }
    #expect(await scene.downloads.cancelled == 1)
  }

  @Test("removing all pictures empties memory and disk")
  func emptying() async throws {
    let scene = Scene()
    defer { scene.clear() }
    let cache = scene.cache()
    _ = try await cache.picture("/static/a")
    try await cache.removeAll()
    _ = try await cache.picture("/static/a")
    #expect(await scene.downloads.paths.count == 2)
  }
}
