import Foundation
import RoomChat
import SocketIOClient

let usage = """
  room-chat serve [PORT]       serves the chat, on port 3000 unless one is given
  room-chat URL NAME ROOM      talks in a room: each line that you type is said there, and Ctrl-D ends it
  """

func fail(_ words: String, status: Int32) -> Never {
  FileHandle.standardError.write(Data("room-chat: \(words)\n".utf8))
  exit(status)
}

/// What others write, without what a terminal would obey.
func printable(_ text: String) -> String {
  String(text.map { $0.unicodeScalars.contains { $0.properties.generalCategory == .control } ? "?" : $0 })
}

func serve(at port: Int) async {
  do {
    try await RoomChat.server().run(port: port) { print("room-chat listens on http://127.0.0.1:\($0)") }
  } catch {
    fail(
      "cannot serve on port \(port): \(error). Is something else there? Give another: room-chat serve 3001", status: 1)
  }
}

func talk(to url: String, as name: String, in room: String) async throws {
  let client = try SocketIOClient(url: url)
  async let running: Void = client.run()
  // Before anything is said.
  let said = await client.events("said", as: Said.self, in: RoomChat.namespace)
  try await client.connect(to: RoomChat.namespace, auth: ["name": name])
  let isIn = try await client.emit(
    "enter", room, in: RoomChat.namespace, acknowledgedWithin: .seconds(5), as: Bool.self)
  guard isIn else { fail("the server does not let you into \(room): take a shorter name", status: 1) }
  let listening = Task {
    for try await message in said { print(printable("\(message.from): \(message.text)")) }
  }
  while let line = readLine() {
    let message = Said(room: room, from: name, text: line)
    let isSaid = try await client.emit(
      "say", message, in: RoomChat.namespace, acknowledgedWithin: .seconds(5), as: Bool.self)
    if !isSaid { print("(the server did not take that)") }
  }
  listening.cancel()
  await client.close()
  await running
}

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == "serve", arguments.count <= 2, let port = Int(arguments.last == "serve" ? "3000" : arguments[1]),
  (0...65_535).contains(port)
{
  await serve(at: port)
} else if arguments.count == 3, arguments[0] != "serve" {
  do { try await talk(to: arguments[0], as: arguments[1], in: arguments[2]) } catch { fail("\(error)", status: 1) }
} else if arguments == ["--help"] {
  print(usage)
} else {
  fail("usage:\n\(usage)", status: 64)
}
