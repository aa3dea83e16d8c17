import SocketIOClient

@main
enum Client {
  static func main() async throws {
    let name = CommandLine.arguments.dropFirst().first ?? "somebody"
    let client = try SocketIOClient(url: "http://127.0.0.1:3000")
    async let running: Void = client.run()

    let said = await client.events("said", as: String.self, String.self)
    try await client.connect(auth: ["name": name, "password": "secret"])
    print(try await client.emit("join", "lobby", acknowledgedWithin: .seconds(5), as: String.self))

    async let listening: Void = {
      for try await (name, text) in said { print("\(name): \(text)") }
    }()

    while let line = readLine() {
      do {
        try await client.emit("say", line, acknowledgedWithin: .seconds(5))
      } catch {
        print("not sent: \(error)")
      }
    }

    await client.close()
    try await listening
    await running
  }
}
