import Foundation
import MadangAPI
import MadangClient
import NIOCore
import UnixSignals

/// Somebody's device with one room, as a program of its own, so that it can be stopped like a machine that sleeps.
///
/// `room-device SERVER EMAIL PASSWORD FOLDER WORKSPACE CHANNEL NUMBER CHATS END` prints `ready` once the room is open, `sent`
/// once all its chats have appeared in the room, and the room as it saw it, as one line of JSON, after the chat
/// that says END. SIGUSR1 puts it in the background for a moment.
@main
struct RoomDevice {
  static func main() async throws {
    // Nothing stays behind if whoever started this is gone.
    alarm(600)
    let given = CommandLine.arguments.dropFirst().map(\.self)
    guard given.count == 9, let chats = Int(given[7]) else { throw Wrong() }
    var configuration = MadangClient.Configuration(server: given[0], apiKey: DevelopmentKey.october2024)
    configuration.callTimeout = .seconds(5)
    configuration.roomPage = 20
    let client = MadangClient(configuration: configuration)
    let account = try await client.signIn(email: given[1], password: given[2]).userID
    let store = try LocalStore(folder: URL(filePath: given[3]), server: "server", account: account)
    let room = try await Room(.channel(id: given[5], workspace: given[4]), client: client, store: store)
    let device = Device(room: room, texts: (0..<chats).map { "device \(given[6]), chat \($0)" }, end: given[8])
    try await device.live()
    try await client.close()
  }

  private struct Wrong: Error {}
}

private actor Device {
  private let room: Room
  private let texts: [String]
  private let end: String
  private var running: Task<Void, Never>?

  init(room: Room, texts: [String], end: String) {
    self.room = room
    self.texts = texts
    self.end = end
  }

  /// Reads and sends until the end of the channel.
  func live() async throws {
    let signals = await UnixSignalsSequence(trapping: .sigusr1)
    let listening = Task {
      for await _ in signals {
        await background()
        try await Task.sleep(for: .milliseconds(.random(in: 50...450)))
        foreground()
      }
    }
    foreground()
    say("ready")
    let sending = Task { [room, texts] in
      for text in texts {
        try await room.send(text)
        try await Task.sleep(for: .milliseconds(.random(in: 200...3000)))
      }
    }
    var seen: [Chat] = []
    var missing = Set(texts)
    var isSent = false
    for try await update in room.updates {
      seen += update.chats
      for chat in update.chats { missing.remove(chat.content) }
      if !isSent, missing.isEmpty, update.pending.isEmpty {
        isSent = true
        try await sending.value
        say("sent")
      }
      if seen.last?.content == end { break }
    }
    listening.cancel()
    _ = await listening.result
    await background()
    // What was posted before the room was first opened, and did not fit its last page.
    while let first = seen.first {
      let older = try await room.chats(before: first.createdAt)
      if older.isEmpty { break }
      seen = older + seen
    }
    say(String(decoding: try JSONEncoder().encode(seen.map(\.id)), as: UTF8.self))
  }

  private func foreground() {
    guard running == nil else { return }
    running = Task { [room] in
      do {
        try await room.run()
      } catch {
        // It would not end by itself: updates go on without anybody who runs the room.
        try? FileHandle.standardError.write(contentsOf: Data("\(error)\n".utf8))
        exit(1)
      }
    }
  }

  private func background() async {
    let ended = running
    running = nil
    ended?.cancel()
    await ended?.value
  }

  private func say(_ line: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
  }
}
