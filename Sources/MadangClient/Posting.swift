import MadangAPI
import SocketIOClient

/// A chat may have been posted or not: its answer was lost, and the room's history could not be read afterwards.
public struct UnknownOutcome: Error, CustomStringConvertible, Sendable {
  /// How the post failed.
  public let failure: MadangError
  /// Why the history could not be read.
  public let reason: String

  public var description: String {
    "it is not known whether the chat was posted: \(failure); the room's history cannot be read: \(reason)"
  }
}

extension MadangClient {
  /// How often the history is asked for after an answer was lost.
  private static let looks = 4

  /// Posts a chat as ``post(_:files:to:progress:)`` does. If its answer is lost, looks in the room's history whether it is there: a chat
  /// of this account with the same content and as many files, posted since the call began.
  /// - Throws: ``MadangError`` if it was not posted, ``UnknownOutcome`` if that cannot be found out.
  @discardableResult
  public func postOnce(
    _ content: String, files: [Upload] = [], to room: RoomAddress, progress: UploadProgress? = nil
  ) async throws -> Chat {
    // Of the server's clock, which dates the chat: to the second, and never later than it is.
    let start = WireDate.string(try await serverTime() - 1)
    do {
      return try await post(content, files: files, to: room, progress: progress)
    } catch let failure as MadangError where failure.mayHaveSucceeded {
      let found = try await posted(after: failure, in: room, since: start) {
        $0.content == content && $0.files.count == files.count
      }
      guard let found else { throw failure }
      return found
    }
  }

  private func posted(
    after failure: MadangError, in room: RoomAddress, since start: String, _ isIt: (Chat) -> Bool
  ) async throws -> Chat? {
    // The server may still be at it.
    try await Task.sleep(for: configuration.settleTime)
    var look = 1
    while true {
      do {
        let account = try await me().userID
        for try await page in historyPages(of: room, after: start) {
          if let found = page.first(where: { $0.sender.userID == account && isIt($0) }) { return found }
        }
        return nil
      } catch let error as MadangError {
        guard error.isPassing, look < Self.looks else { throw UnknownOutcome(failure: failure, reason: error.meaning) }
        try await Task.sleep(for: configuration.backoff.delay(after: look, chance: 0.5))
        look += 1
      }
    }
  }
}
