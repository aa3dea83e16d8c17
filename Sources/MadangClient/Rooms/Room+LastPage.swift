import Logging
import MadangAPI
import SocketIOClient

// The API returns the chats after a date, oldest first, without pages. So the end of a long history is found by looking further and further
// back from now, while the whole history is read in parallel.
extension Room {
  /// Finds the end of the history while the whole history is being read for the first time, if that takes long. Then its last page can be
  /// shown, and chats can be sent. It is repeated for each connection, because new chats are posted in between.
  func keepFindingEnd() async {
    var changes = signals().makeAsyncIterator()
    var failures = 0
    while !isWhole, !Task.isCancelled {
      guard isLong, end == nil else {
        guard await changes.next(isolation: #isolation) != nil else { return }
        continue
      }
      do {
        try await findEnd()
        failures = 0
      } catch {
        // The task that reads the whole history gets the same error and reports it.
        client.logger.debug("the last page could not be read; retrying", metadata: ["reason": "\(error)"])
        failures += 1
        let delay = client.configuration.backoff.delay(after: failures, chance: .random(in: 0...1))
        try? await Task.sleep(for: delay)
      }
    }
  }

  private func findEnd() async throws {
    if let known = lastPage.last?.createdAt {
      let newest = try await newest(after: known)
      // Otherwise the connection was lost meanwhile, or the history is complete.
      guard isLong else { return }
      end = newest
      changed()
    } else {
      let (page, date) = try await newestPage()
      guard isLong, !isWhole else { return }
      (lastPage, end) = (page, date)
      let arrived = page.compactMap(recognise)
      changed()
      for id in arrived { try await store.removeFromOutbox(id) }
    }
  }

  /// The last chats of the room (a page, if the longest look back finds that many), and a date such that no chat is newer.
  private func newestPage() async throws -> (chats: [Chat], date: String) {
    let now = try await client.serverTime()
    let size = client.configuration.roomPage
    var newest: [Chat] = []
    var beginning = RoomAddress.beginning
    for lookBack in client.configuration.lookBacks where newest.count < size && !isWhole {
      beginning = WireDate.string(max(0, now - lookBack.components.seconds * 1000))
      newest = []
      for try await page in client.historyPages(of: address, after: beginning) {
        newest = Array((newest + page).suffix(size))
      }
    }
    return (newest, newest.last?.createdAt ?? beginning)
  }

  /// The date of the room's newest chat, at least the known one.
  private func newest(after known: String) async throws -> String {
    var newest = known
    for try await page in client.historyPages(of: address, after: known) { newest = page.last?.createdAt ?? newest }
    return newest
  }
}
