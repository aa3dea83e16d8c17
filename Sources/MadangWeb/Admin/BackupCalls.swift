import Foundation
import HTTPTypes
import MadangAPI
import MadangCore
import MadangOperations
import MadangServer

enum BackupCalls {
  private struct Backups: Encodable {
    /// Null if the server makes none.
    let directory: String?
    /// Null if the server makes none.
    let keep: Int?
    /// Null without a plan.
    let next: String?
    let running: BackupWork.Running?
    let failed: BackupWork.Failed?
    /// The newest first.
    let backups: [ListedBackupSummary]
  }

  static func add(to routes: inout AdminRoutes) {
    routes.on(.get, "backups") { call in
      let (work, plan) = (try call.parts.backups, call.settings.web.admin.backups)
      let isSet = !plan.directory.isEmpty
      return Backups(
        directory: isSet ? plan.directory : nil, keep: isSet ? plan.keep : nil,
        next: work.nextAt.map { WireDate.string($0) }, running: work.running, failed: work.failed,
        backups: isSet ? try await Administration.backups(in: URL(filePath: plan.directory)) : [])
    }
    routes.on(.post, "backups") { call in
      _ = try call.body(Empty.self)
      guard let administrator = call.administrator else { throw AdminRefusal.signedOut }
      do { try await call.parts.backups.begin(by: administrator) } catch let refusal as BackupWork.Refusal {
        throw AdminRefusal(refusal)
      }
      return Empty()
    }
  }
}

extension AdminRefusal {
  fileprivate init(_ refusal: BackupWork.Refusal) {
    switch refusal {
    case .running: self.init(.conflict, "running", "a backup is under way; wait for its end")
    case .nowhere:
      self = .refused("no directory for backups is set; set web.admin.backups to one on another disk, and restart")
    case .elsewhere:
      self = .refused(
        "another server of this database does its housekeeping and makes its backups; use that one's console, or run 'madang "
          + "admin backup'")
    }
  }
}
