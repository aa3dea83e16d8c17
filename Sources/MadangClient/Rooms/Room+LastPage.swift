import Logging
import MadangAPI
import SocketIOClient

// The API tells what follows a date, oldest first, and knows no page. So the end of a long history is found by looking
// back from now, further and further, while the whole of it is read beside.
extension Room {
  /// Finds out where the history ends while the whole is being read for the first time, if that takes long: its last
  /// page can be shown then, and chats can be sent. Anew over each connection, as the room goes on in between.
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
        // Whoever reads the whole history meets the same and tells of it.
        client.logger.debug("no last page yet", metadata: ["reason": "\(error)"])
        failures += 1
        let delay = client.configuration.backoff.delay(after: failures, chance: .random(in: 0...1))
        try? await Task.sleep(for: delay)
      }
    }
  }

  private func findEnd() async throws {
    if let known = lastPage.last?.createdAt {
      let newest = try await newest(after: known)
      // Otherwise the connection was lost meanwhile, or all of the history is here.
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

  /// The last chats of the room, a page if the longest look back finds as many, and a date nothing is newer than.
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

  /// The date of the room's newest chat, which is not older than a known one.
  private func newest(after known: String) async throws -> String {
    var newest = known
    for try await page in client.historyPages(of: address, after: known) { newest = page.last?.createdAt ?? newest }
    return newest
  }
}
