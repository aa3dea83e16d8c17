import RoomChat
import SocketIOClient

/// What others write, without what a terminal would obey.
func printable(_ text: String) -> String {
  String(text.map { $0.unicodeScalars.contains { $0.properties.generalCategory == .control } ? "?" : $0 })
}

// room-chat serve [PORT]             serves the chat
// room-chat URL NAME ROOM            talks in a room: a line of the keyboard is a line of the chat
let arguments = CommandLine.arguments.dropFirst()

if arguments.first == "serve" {
  let port = arguments.dropFirst().first.flatMap { Int($0) } ?? 3000
  try await RoomChat.server().run(port: port) { print("room-chat listens on http://127.0.0.1:\($0)") }
} else if arguments.count == 3 {
  let (url, name, room) = (arguments[1], arguments[2], arguments[3])
  let client = try SocketIOClient(url: url)
  async let running: Void = client.run()
  let said = await client.events("said", as: Said.self, in: RoomChat.namespace)
  try await client.connect(to: RoomChat.namespace, auth: ["name": name])
  _ = try await client.emit("enter", room, in: RoomChat.namespace, acknowledgedWithin: .seconds(5), as: Bool.self)
  let listening = Task { for try await message in said { print(printable("\(message.from): \(message.text)")) } }
  while let line = readLine() {
    let message = Said(room: room, from: name, text: line)
    let isSaid = try await client.emit(
      "say", message, in: RoomChat.namespace, acknowledgedWithin: .seconds(5), as: Bool.self)
    if !isSaid { print("(the server did not take that)") }
  }
  listening.cancel()
  await client.close()
  await running
} else {
  print("usage: room-chat serve [PORT] | room-chat URL NAME ROOM")
}
