import ArgumentParser
import Foundation
import MadangDevelopment

struct DevPushesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pushes", abstract: "Notifications for phones, as files for simulators.",
    usage: "madang dev pushes [--apns <dir> --bundle <id>] [--follow] [options]",
    discussion: """
      With --apns each notification is written to a file of its own, for 'xcrun simctl push booted FILE' or to be dropped on a \
      simulator. With --follow it runs until it is stopped.
      """)

  @OptionGroup var options: DevelopmentOptions
  @OptionGroup var printing: JSONOption
  @Option(help: ArgumentHelp("Only notifications to this person's phones.", valueName: "email")) var account: String?
  @Option(help: ArgumentHelp("Only entries of the journal after this number.", valueName: "number")) var after = 0
  @Option(help: ArgumentHelp("Where to write files that end with .apns.", valueName: "dir"), completion: .directory)
  var apns: String?
  @Option(help: ArgumentHelp("The app's bundle identifier, which simulators need.", valueName: "id")) var bundle:
    String?
  @Flag(help: "Wait for more.") var follow = false

  func validate() throws {
    if apns != nil && bundle == nil { throw ValidationError("Give the app with --bundle, such as com.example.chat.") }
    if bundle != nil && apns == nil { throw ValidationError("Give a directory with --apns.") }
  }

  func run() async throws {
    var last = after
    repeat {
      let page = try await options.server.call(
        Journal.Page.self, .get, options.path("journal"),
        query: [("kind", "push"), ("account", account), ("after", "\(last)"), ("wait", follow ? "30s" : nil)])
      last = page.last
      if let apns {
        for push in page.entries { try write(push, to: URL(filePath: apns)) }
      } else {
        try show(page.entries)
      }
    } while follow
  }

  private func show(_ pushes: [JournalEntry]) throws {
    // With --follow, an empty answer is not printed.
    guard !(follow && pushes.isEmpty) else { return }
    try printing.output.developmentList(
      pushes,
      [
        Column("NUMBER") { "\($0.number)" }, Column("AT", \.at), Column("WHO") { $0.account ?? "" },
        Column("DEVICE") { $0.deviceToken ?? "" }, Column("PAYLOAD") { $0.payload ?? "" },
      ], empty: "No notification was sent.")
  }

  private func write(_ push: JournalEntry, to directory: URL) throws {
    let name = "\(push.number)-\((push.account ?? "device").printable.replacing("/", with: "_")).apns"
    let file = directory.appending(path: name)
    do {
      var payload = try JSONDecoder().decode([String: JSONValue].self, from: Data((push.payload ?? "{}").utf8))
      payload["Simulator Target Bundle"] = .text(bundle ?? "")
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      try DevelopmentJSON.encode(payload).write(to: file, options: .atomic)
    } catch {
      throw Failure("\(file.path) cannot be written: \(FileProblem.words(of: error))")
    }
    try Terminal.line(file.path.printable)
  }
}
