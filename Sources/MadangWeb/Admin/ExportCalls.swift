import Foundation
import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangOperations
import MadangServer
import Synchronization

/// All data of an account as an archive for the administrator's browser.
enum ExportCalls {
  private struct Export: Encodable {
    let url: String
    let chats: Int
    let files: Int
    /// Whether texts of chats and files are in it: only if administrators may read them.
    let content: Bool
    /// Paths of files that could not be read.
    let lost: [String]
  }

  static func add(to routes: inout AdminRoutes) {
    routes.on(.post, "accounts/{number}/export") { call in
      _ = try call.body(Empty.self)
      let (administration, exports) = (try call.administration, call.console.exports)
      let number = try call.number()
      let email = try await administration.account(number).email
      guard let place = try exports.begin(ids: call.madang.ids) else {
        throw AdminRefusal.refused("another export is under way; try again in a while")
      }
      defer { exports.end() }
      let made = try await administration.exportAccount(
        email, to: place.file.url, includesContent: call.settings.web.admin.showsContent)
      let name = "account-\(number)-\(WireDate.string(call.madang.clock.now).prefix(10)).zip"
      exports.keep(place.file, named: name, as: place.token, for: call.token ?? "", call.madang.clock)
      return Export(
        url: "/admin/api/exports/\(place.token)", chats: made.chats, files: made.files,
        content: made.content, lost: made.lost)
    }
    routes.respond(.get, "exports/{token}") { call in
      guard let (file, name) = call.console.exports.take(call.parameters["token"] ?? "", for: call.token ?? "") else {
        throw AdminRefusal.notFound("this export was fetched already, or is older than five minutes; make another")
      }
      let body = try await call.received.content(of: file.url)
      let headers: HTTPFields = [
        .contentType: "application/zip", .contentDisposition: "attachment; filename=\"\(name)\"",
        .cacheControl: "no-store",
      ]
      return Response(status: .ok, headers: headers, body: body).holding(file)
    }
  }
}

/// Archives that wait to be fetched: each once, soon, and by the session that made it.
final class Exports: Sendable {
  /// A file that is removed with the last reference to it.
  final class TemporaryFile: Sendable {
    let url: URL

    init(_ url: URL) { self.url = url }

    deinit { try? FileManager.default.removeItem(at: url) }
  }

  private struct Entry {
    let file: TemporaryFile
    /// For the browser.
    let name: String
    let session: String
  }

  private struct State {
    var entries: [String: Entry] = [:]
    /// The oldest first.
    var order: [String] = []
    var isBusy = false
  }

  /// How many wait at most: a further one replaces the oldest.
  private static let most = 5
  private static let lifetime: Duration = .seconds(300)

  private let folder: URL
  private let state = Mutex(State())

  /// - Parameter folder: Is removed first, since a server that was ended early leaves archives.
  init(in folder: URL) {
    self.folder = folder
    try? FileManager.default.removeItem(at: folder)
  }

  /// A place for the next archive; nil while another one is made.
  func begin(ids: IDSource) throws -> (file: TemporaryFile, token: String)? {
    let isFirst = state.withLock { state in
      defer { state.isBusy = true }
      return !state.isBusy
    }
    guard isFirst else { return nil }
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      end()
      throw AdminRefusal.refused("\(folder.path) cannot be made: \(error.localizedDescription)")
    }
    let token = ids.bytes(32).hex
    return (TemporaryFile(folder.appending(path: "\(ids.bytes(16).hex).zip")), token)
  }

  func end() { state.withLock { $0.isBusy = false } }

  /// - Parameter name: The file's name for the browser.
  func keep(
    _ file: TemporaryFile, named name: String, as token: String, for session: String, _ clock: MadangCore.Clock
  ) {
    state.withLock { state in
      if state.order.count >= Self.most { state.entries[state.order.removeFirst()] = nil }
      state.order.append(token)
      state.entries[token] = Entry(file: file, name: name, session: session)
    }
    Task { [self] in
      try await clock.sleep(for: Self.lifetime)
      remove(token)
    }
  }

  /// The archive, which is then no longer here; nil if there is none for this session.
  func take(_ token: String, for session: String) -> (file: TemporaryFile, name: String)? {
    let entry = state.withLock { $0.entries[token] }
    guard let entry, entry.session == session else { return nil }
    return remove(token).map { ($0.file, $0.name) }
  }

  @discardableResult
  private func remove(_ token: String) -> Entry? {
    state.withLock { state in
      state.order.removeAll { $0 == token }
      return state.entries.removeValue(forKey: token)
    }
  }
}
