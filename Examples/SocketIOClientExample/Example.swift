import SocketIOClient

struct Message: Codable, Sendable {
  var from: String
  var text: String
}

@main
enum Example {
  static func main() async throws {
    let client = try SocketIOClient(url: "http://127.0.0.1:3000")
    async let running: Void = client.run()

    let messages = await client.events("said", as: Message.self, in: "/chat")
    try await client.connect(to: "/chat", auth: ["token": "secret"])
    try await client.emit("join", "lobby", in: "/chat", acknowledgedWithin: .seconds(5))

    async let listening: Void = {
      for try await message in messages { print("\(message.from): \(message.text)") }
    }()

    while let line = readLine() {
      try await client.emit("say", Message(from: "mina", text: line), in: "/chat")
    }
    await client.close()
    try await listening
    await running
  }
}
