import Foundation
import NIOCore

/// Pictures by their stored path: looked up in memory, then on disk, then downloaded. A path is never reused for another picture, so cached
/// pictures never become stale.
///
/// Concurrent requests for one path read or download it once. A file that is damaged or missing is downloaded again.
public actor PictureCache {
  public struct Configuration: Sendable {
    /// The most bytes kept in memory.
    public var memoryBytes = 50 << 20
    /// How long an unused picture stays in memory.
    public var memoryAge: Duration = .seconds(10 * 60)
    /// The most bytes kept on disk; the least recently used picture is removed first.
    public var diskBytes = 500 << 20
    /// How long an unused picture stays on disk.
    public var diskAge: Duration = .seconds(60 * 86_400)
    /// The largest accepted picture, in bytes.
    public var pictureBytes = 20 << 20

    public init() {}
  }

  private let memoryAge: TimeInterval
  private let disk: PictureFolder
  private let now: @Sendable () -> Date
  private let download: @Sendable (_ path: String) async throws -> Data
  private var memory: RecentlyUsed<Data>
  private var loads: [String: Load] = [:]

  private struct Load {
    let task: Task<Data, any Error>
    var waiting: Int
  }

  /// - Parameters:
  ///   - client: Downloads missing pictures.
  ///   - folder: Where pictures are kept, for this cache alone; use one per account, since accounts may see different pictures.
  ///   - configuration: How much is kept, and how long.
  ///   - now: The clock, for the two ages.
  public init(
    client: MadangClient, folder: URL, configuration: Configuration = .init(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(folder: folder, configuration: configuration, now: now) { path in
      var data = Data()
      try await client.download(path) { chunk in
        data.append(contentsOf: chunk.readableBytesView)
        guard data.count <= configuration.pictureBytes else {
          throw MadangError.file(path: path, reason: "is larger than \(configuration.pictureBytes) bytes")
        }
      }
      return data
    }
  }

  package init(
    folder: URL, configuration: Configuration, now: @escaping @Sendable () -> Date,
    download: @escaping @Sendable (_ path: String) async throws -> Data
  ) {
    memoryAge = configuration.memoryAge / .seconds(1)
    memory = RecentlyUsed(limit: configuration.memoryBytes)
    disk = PictureFolder(folder, limit: configuration.diskBytes, age: configuration.diskAge / .seconds(1))
    self.now = now
    self.download = download
  }

  /// The bytes of a picture.
  /// - Parameter path: A path as objects contain it, `/static/<folder>/<name>`.
  /// - Throws: As ``MadangClient/download(_:each:)``. Errors of the disk cache are ignored.
  public func picture(_ path: String) async throws -> Data {
    let now = now()
    memory.remove(olderThan: now.addingTimeInterval(-memoryAge))
    if let data = memory.use(path, at: now) { return data }
    let task = load(path)
    defer { left(path, task) }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      Task { await self.gaveUp(path, task) }
    }
  }

  /// Removes all pictures from memory and disk.
  public func removeAll() async throws {
    memory.removeAll()
    try await disk.removeAll()
  }

  /// The number of callers that wait for a path now.
  package func waiting(for path: String) -> Int { loads[path]?.waiting ?? 0 }

  /// The current load of a path; starts one if there is none.
  private func load(_ path: String) -> Task<Data, any Error> {
    if let load = loads[path] {
      loads[path]?.waiting += 1
      return load.task
    }
    // Unstructured, because all waiting callers share its result.
    let task = Task { try await self.fetched(path) }
    loads[path] = Load(task: task, waiting: 1)
    return task
  }

  private func fetched(_ path: String) async throws -> Data {
    if let data = await disk.read(path, at: now()) {
      memory.insert(data, for: path, size: data.count, at: now())
      return data
    }
    let data = try await download(path)
    memory.insert(data, for: path, size: data.count, at: now())
    await disk.write(data, for: path, at: now())
    return data
  }

  private func left(_ path: String, _ task: Task<Data, any Error>) {
    if loads[path]?.task == task { loads[path] = nil }
  }

  /// Cancels the download when the last waiting caller gives up.
  private func gaveUp(_ path: String, _ task: Task<Data, any Error>) {
    guard loads[path]?.task == task else { return }
    loads[path]?.waiting -= 1
    guard loads[path]?.waiting == 0 else { return }
    loads[path] = nil
    task.cancel()
  }
}
