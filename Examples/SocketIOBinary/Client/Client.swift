import Foundation
import SocketIOClient

struct Photo: Codable {
  var title: String
  var image: Data
}

@main
enum Client {
  static func main() async throws {
    let client = try SocketIOClient(url: "http://127.0.0.1:3000")
    async let running: Void = client.run()
    let photos = await client.events("photo", as: Photo.self)
    try await client.connect()

    let photo = Photo(title: "garden", image: Data(repeating: 0x89, count: 1000))
    let answer = try await client.emit("photo", photo, acknowledgedWithin: .seconds(5), as: String.self)
    print("sent", answer)

    let icon = try await client.emit("icon", acknowledgedWithin: .seconds(5), as: [UInt8].self)
    print("icon: \(icon.count) bytes")

    for try await photo in photos {
      print("received \(photo.title): \(photo.image.count) bytes")
    }
    await running
  }
}
