import MadangDevelopment

extension DevJournalCommand {
  /// Prints entries until the command is stopped. While the server cannot be reached, tries again every second.
  func printAsTheyCome(_ query: [(String, String?)]) async throws {
    let fields = query.filter { $0.0 != "after" }
    var last = after ?? 0
    var printed: JournalEntry?
    // What the server refuses after its first answer has ended, and is no mistake.
    var mistaken = ExitStatus.usage
    var isAway = false
    while true {
      do {
        if isAway { last = try await position(of: printed, fields) }
        isAway = false
        let page = try await page(fields + [("after", "\(last)"), ("wait", "30s")], mistaken: mistaken)
        (last, mistaken) = (page.last, .failed)
        for entry in page.entries {
          if json { try Terminal.json(DevelopmentJSON.encode(entry)) } else { try Terminal.line(entry.line) }
        }
        printed = page.entries.last ?? printed
      } catch let failure as Failure where failure.status == .failed && last > 0 {
        // Such a number is of an earlier run of the server.
        last = 0
      } catch let failure as Failure where failure.status == .unavailable && mistaken == .failed {
        if !isAway { Terminal.message("madang: \(failure.message). Trying again every second.") }
        isAway = true
        try await Task.sleep(for: .seconds(1))
      }
    }
  }

  /// The number of the last printed entry. Zero if the journal lacks it: a server that was started again has a new journal, whose numbers
  /// begin at 1.
  private func position(of printed: JournalEntry?, _ fields: [(String, String?)]) async throws -> Int {
    guard let printed else { return after ?? 0 }
    do {
      let page = try await page(fields + [("after", "\(printed.number - 1)"), ("limit", "1")], mistaken: .failed)
      return page.entries.first.map { $0.number == printed.number && $0.at == printed.at } ?? false ? printed.number : 0
    } catch let failure as Failure where failure.status == .failed {
      return 0
    }
  }
}
