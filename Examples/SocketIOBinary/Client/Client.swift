import SocketIOClient
import SocketIOProtocol

struct Photo: Codable {
  var title: String
  var image: BinaryPlaceholder
}

@main
enum Client {
  static func main() async throws {
    let client = try SocketIOClient(url: "http://127.0.0.1:3000")
    async let running: Void = client.run()
    let photos = await client.events("photo")
    try await client.connect()

    let image: [UInt8] = Array(repeating: 0x89, count: 1000)
    var arguments = try SocketArguments(encoding: Photo(title: "garden", image: BinaryPlaceholder(0)))
    arguments.attachments = [image]
    let answer = try await client.emit("photo", arguments, acknowledgedWithin: .seconds(5))
    print("sent", try answer.decode(String.self))

    let icon = try await client.emit("icon", acknowledgedWithin: .seconds(5)).attachments.first ?? []
    print("icon: \(icon.count) bytes")

    for try await event in photos {
      let photo = try event.arguments.decode(Photo.self)
      guard let image = event.arguments.attachment(for: photo.image) else { continue }
      print("received \(photo.title): \(image.count) bytes")
    }
    await running
  }
}
