import Foundation
import SocketIOServer

struct Photo: Codable {
  var title: String
  var image: Data
}

let server = SocketIOServer()
var album = NamespaceHandlers()

album.on("photo", as: Photo.self) { socket, photo, acknowledge in
  try? socket.broadcast("photo", photo)
  try? acknowledge?("\(photo.title): \(photo.image.count) bytes")
}

album.refused = { _, event, _ in try? event.acknowledge?("error: this is no photo") }

album.on("icon") { _, event in
  let icon: [UInt8] = [0x89, 0x50, 0x4e, 0x47]
  try? event.acknowledge?(icon)
}

server.namespace("/", configure: album)
try await server.run(port: 3000)
