import MadangDevelopment

extension DevJournalCommand {
  /// Prints entries until the command is stopped. While the server cannot be reached, tries again every second.
  func printAsTheyCome(_ query: [(String, String?)]) async throws {
    let fields = query.filter { $0.0 != "after" }
    var last = after ?? 0
    var printed: JournalEntry?
    // The first call does not wait: a mistake shows at once. What is refused later has ended, and is no mistake.
    var isReached = false
    var isAway = false
    while true {
      do {
        if isAway {
          last = try await position(of: printed, fields)
          Terminal.message("madang: the server is back" + (printed != nil && last == 0 ? ", with a new journal" : ""))
          isAway = false
        }
        let page = try await page(
          fields + [("after", "\(last)"), ("wait", isReached ? "30s" : nil)], mistaken: isReached ? .failed : .usage)
        (last, isReached) = (page.last, true)
        for entry in page.entries {
          if json { try Terminal.json(DevelopmentJSON.encode(entry)) } else { try Terminal.line(entry.line) }
        }
        printed = page.entries.last ?? printed
      } catch let failure as Failure where failure.status == .failed && last > 0 {
        // Such a number is of an earlier run of the server.
        last = 0
      } catch let failure as Failure where failure.status == .unavailable && isReached {
        if !isAway { Terminal.message("madang: \(failure.message). Trying again every second.") }
        isAway = true
        try await Task.sleep(for: .seconds(1))
      }
    }
  }

  /// The number of the last printed entry. Zero if the journal lacks it: a server that was started again has a new journal, whose numbers
  /// begin at 1.
  private func position(of printed: JournalEntry?, _ fields: [(String, String?)]) async throws -> Int {
    let number = printed.map { $0.number - 1 } ?? after ?? 0
    do {
      let page = try await page(fields + [("after", "\(number)"), ("limit", "1")], mistaken: .failed)
      guard let printed else { return number }
      return page.entries.first.map { $0.number == printed.number && $0.at == printed.at } ?? false ? printed.number : 0
    } catch let failure as Failure where failure.status == .failed && number > 0 {
      return 0
    }
  }
}
