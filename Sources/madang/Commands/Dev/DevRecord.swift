import ArgumentParser
import Foundation
import MadangDevelopment
import UnixSignals

struct DevRecord: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Record what a client does as a seed with a script that does it again.",
    usage: """
      madang dev record <file> [--world <id>] [--account <email>] [options]
      madang dev record <file> --har <archive> [--account <email>] [options]
      """,
    discussion: """
      The file begins with the data as it is now. Use the client, then press Ctrl-C: the file is written, with a script that \
      does what clients did. Play it: 'madang dev worlds make --seed FILE', then 'madang dev scripts start recorded --world ID'.

      With --har it needs no server: an HTTP archive of a session becomes a seed of what its answers show, and a script. \
      docs/reference/dev.md says what is recorded.
      """)

  @OptionGroup var options: DevelopmentOptions
  @OptionGroup var printing: JSONOption
  @Argument(help: "The seed that is written, in YAML. An existing file is replaced.", completion: .file()) var file:
    String
  @Option(help: ArgumentHelp("Only what this person does.", valueName: "email")) var account: String?
  @Option(name: .customLong("for"), help: ArgumentHelp("End after this time, such as 1m.", valueName: "time"))
  var time: String?
  @Flag(help: "Leave out the pauses between steps.") var noPauses = false
  @Option(help: "The script's name.") var name = "recorded"
  @Option(
    help: ArgumentHelp("Read this HTTP archive instead of recording a server.", valueName: "archive"),
    completion: .file())
  var har: String?

  func validate() throws {
    if har != nil, options.world != nil || options.server.url != nil || time != nil {
      throw ValidationError("--har needs no server: leave out --url, --world and --for.")
    }
    if let time {
      do { _ = try GivenTime.duration(time, of: "--for", atLeast: .milliseconds(1), limit: Self.longest) } catch {
        throw ValidationError("\(error.error).")
      }
    }
  }

  /// The longest `--for`.
  private static let longest = Duration.seconds(24 * 3600)

  func run() async throws {
    let recorded = if let har { try recorded(from: har) } else { try await recordedAtServer() }
    do { try Data(recorded.text.utf8).write(to: URL(filePath: file), options: .atomic) } catch {
      throw Failure("\(file) cannot be written: \(FileProblem.words(of: error))")
    }
    let summary = recorded.summary
    try printing.output.development(
      Report(file: file, name: summary.name, steps: summary.steps, people: summary.people, leftOut: summary.leftOut),
      [
        ("file", file), ("script", summary.name), ("steps", "\(summary.steps)"),
        ("people", summary.people.joined(separator: " ")),
      ] + summary.leftOut.sorted { $0.key < $1.key }.map { ("left out", "\($0.key): \($0.value)") } + [
        ("play", "madang dev worlds make --seed \(file)"),
        ("", "madang dev scripts start \(summary.name) --world ID"),
      ])
  }

  private struct Report: Encodable {
    let file: String
    let name: String
    let steps: Int
    let people: [String]
    let leftOut: [String: Int]
  }

  /// The text of the whole seed.
  private typealias Recorded = (text: String, summary: Recording.Summary)

  private func recorded(from har: String) throws -> Recorded {
    let bytes: Data
    do { bytes = try Data(contentsOf: URL(filePath: har)) } catch {
      throw Failure("\(har) cannot be read: \(FileProblem.words(of: error))")
    }
    do {
      return try RecordedArchive.seed(of: Array(bytes), name: name, account: account, pauses: !noPauses)
    } catch {
      throw Failure("\(har): \(error)")
    }
  }

  // MARK: At a server

  private struct Numbers: Decodable { let last: Int }
  /// The seed's own date.
  private static var now: Regex<(Substring, Substring)> { /(?m)^now: "?([^"\n]+)"?$/ }

  private func recordedAtServer() async throws -> Recorded {
    // From here on Ctrl-C ends the recording, not the program.
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    let (number, seed) = try await beginning()
    if !printing.json {
      Terminal.message("Recording. Use the client; Ctrl-C ends the recording and writes \(file).")
    }
    try await waitForEnd(signals, after: number)
    let answer = try await options.server.call(
      RecordingAnswer.self, .get, options.path("recording"),
      query: [
        ("after", "\(number)"), ("since", seed.firstMatch(of: Self.now).map { String($0.1) }), ("account", account),
        ("name", name), ("pauses", noPauses ? "false" : nil), ("format", "json"),
      ])
    let text = seed + answer.script
    _ = try SeedFile.read(text, from: file)
    return (text, answer.summary)
  }

  /// The journal's newest number and the data at that moment. A call that comes meanwhile might be in the data or not, so it is read again.
  private func beginning() async throws -> (number: Int, seed: String) {
    let title = URL(filePath: file).deletingPathExtension().lastPathComponent
    if let account {
      // A mistyped name is reported now, not after the session.
      _ = try await options.server.call(.get, options.path("review"), query: [("account", account)])
    }
    for _ in 0..<Self.tries {
      let number = try await options.server.call(
        Numbers.self, .post, options.path("journal"), body: Data("{}".utf8)
      ).last
      let seed = try await options.server.call(.get, options.path("seed"), query: [("name", title)])
      let later = try await options.server.call(
        Journal.Page.self, .get, options.path("journal"),
        query: [("after", "\(number)"), ("kind", "request"), ("limit", "1")])
      if later.entries.isEmpty { return (number, String(decoding: seed, as: UTF8.self)) }
    }
    throw Failure("clients call the server all the time; start recording before the client")
  }

  private static let tries = 20

  /// Returns at a signal, or when the time is over. On a terminal it shows calls as they come.
  private func waitForEnd(_ signals: UnixSignalsSequence, after number: Int) async throws {
    let time = try time.map { try GivenTime.duration($0, of: "--for", limit: Self.longest) }
    await withTaskGroup { group in
      group.addTask { for await _ in signals { return } }
      if let time { group.addTask { try? await Task.sleep(for: time) } }
      if Terminal.messageWidth != nil {
        // Without a server it only stops showing calls: the recording then says what is wrong.
        let show = Task { try? await self.showCalls(after: number) }
        await group.next()
        show.cancel()
      } else {
        await group.next()
      }
      group.cancelAll()
    }
  }

  private func showCalls(after number: Int) async throws {
    var last = number
    while !Task.isCancelled {
      let page = try await options.server.call(
        Journal.Page.self, .get, options.path("journal"),
        query: [("after", "\(last)"), ("kind", "request"), ("account", account), ("wait", "30s")])
      last = page.last
      for entry in page.entries where entry.longPolling == nil {
        let words = [
          entry.account, entry.method, entry.path, entry.status.map { "\($0)" } ?? "no answer", entry.code,
        ]
        Terminal.message(words.compactMap(\.self).joined(separator: "  "))
      }
    }
  }
}
