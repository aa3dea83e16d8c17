import Foundation
import NIOCore

/// Pictures by their stored path, in memory over disk over the server. A path is never used for another picture, so
/// what is kept stays true.
///
/// However many ask for a path at once, it is read or downloaded once. A file that is damaged, or that somebody took
/// away, is downloaded again.
public actor PictureCache {
  public struct Configuration: Sendable {
    /// The most that is kept in memory, in bytes.
    public var memoryBytes = 50 << 20
    /// How long a picture nobody asks for stays in memory.
    public var memoryAge: Duration = .seconds(10 * 60)
    /// The most that is kept on disk, in bytes; what was not asked for the longest goes first.
    public var diskBytes = 500 << 20
    /// How long a picture nobody asks for stays on disk.
    public var diskAge: Duration = .seconds(60 * 86_400)
    /// The largest picture taken, in bytes.
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
  ///   - client: Downloads what is not here.
  ///   - folder: Where pictures are kept, for this cache alone; one per account, since not everybody may see every picture.
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
  /// - Parameter path: As objects carry it, `/static/<folder>/<name>`.
  /// - Throws: As ``MadangClient/download(_:each:)`` does; what cannot be kept on disk is no failure.
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

  /// Forgets every picture, in memory and on disk.
  public func removeAll() async throws {
    memory.removeAll()
    try await disk.removeAll()
  }

  /// How many wait for a path now.
  package func waiting(for path: String) -> Int { loads[path]?.waiting ?? 0 }

  /// The one load of a path that is under way.
  private func load(_ path: String) -> Task<Data, any Error> {
    if let load = loads[path] {
      loads[path]?.waiting += 1
      return load.task
    }
    // Unstructured because its outcome belongs to everyone who waits.
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

  /// The last one to give up ends the download.
  private func gaveUp(_ path: String, _ task: Task<Data, any Error>) {
    guard loads[path]?.task == task else { return }
    loads[path]?.waiting -= 1
    guard loads[path]?.waiting == 0 else { return }
    loads[path] = nil
    task.cancel()
  }
}
