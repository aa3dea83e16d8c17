import Logging
import MadangAPI

// The API tells what follows a date, oldest first, and knows no page. So the end of a long history is found by looking
// back from now, further and further, while the whole of it is read beside.
extension Room {
  /// Shows the last page of the history while the whole is being read for the first time, if that takes long.
  func findLastPage() async {
    var changes = signals().makeAsyncIterator()
    while !isWhole, !isLong { guard await changes.next(isolation: #isolation) != nil else { return } }
    guard !isWhole, lastPage.isEmpty else { return }
    do {
      let page = try await newestPage()
      guard !isWhole, !page.isEmpty else { return }
      lastPage = page
      changed()
    } catch {
      // Whoever reads the whole history meets the same and tells of it; until then nothing is shown.
      client.logger.debug("no last page yet", metadata: ["reason": "\(error)"])
    }
  }

  /// The last chats of the room, a page if the longest look back finds as many.
  private func newestPage() async throws -> [Chat] {
    let now = try await client.serverTime()
    let size = client.configuration.roomPage
    var newest: [Chat] = []
    for lookBack in client.configuration.lookBacks where newest.count < size && !isWhole {
      let beginning = WireDate.string(max(0, now - lookBack.components.seconds * 1000))
      newest = []
      for try await page in client.historyPages(of: address, after: beginning) {
        newest = Array((newest + page).suffix(size))
      }
    }
    return newest
  }
}
