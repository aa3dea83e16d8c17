import SocketIOClient

let name = CommandLine.arguments.dropFirst().first ?? "somebody"
let client = try SocketIOClient(url: "http://127.0.0.1:3000")
let running = Task { await client.run() }

let said = await client.events("said", as: String.self, String.self)
try await client.connect(auth: ["name": name, "password": "secret"])
print(try await client.emit("join", "lobby", acknowledgedWithin: .seconds(5), as: String.self))

let listening = Task {
  for try await (name, text) in said { print("\(name): \(text)") }
}

while let line = readLine() { try await client.emit("say", line, acknowledgedWithin: .seconds(5)) }

await client.close()
try await listening.value
await running.value
