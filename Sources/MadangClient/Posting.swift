import MadangAPI
import SocketIOClient

/// It is unknown whether a chat was posted: the answer was lost, and the room's history could not be read afterwards.
public struct UnknownOutcome: Error, CustomStringConvertible, Sendable {
  /// Why the post failed.
  public let failure: MadangError
  /// Why the history could not be read.
  public let reason: String

  public var description: String {
    "it is unknown whether the chat was posted: \(failure); the room's history cannot be read: \(reason)"
  }
}

extension MadangClient {
  /// How often the history is read after a lost answer.
  private static let looks = 4

  /// Posts a chat as ``post(_:files:to:progress:)`` does. If the answer is lost, it looks for the chat in the room's history: a chat of
  /// this account with the same content and number of files, posted since the call began.
  /// - Throws: ``MadangError`` if it was not posted, ``UnknownOutcome`` if that cannot be determined.
  @discardableResult
  public func postOnce(
    _ content: String, files: [Upload] = [], to room: RoomAddress, progress: UploadProgress? = nil
  ) async throws -> Chat {
    // The server's clock dates the chat, so its time is used, rounded down to the second.
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
    // The server may still be working on the request.
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
