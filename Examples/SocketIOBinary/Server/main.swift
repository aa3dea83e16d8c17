import SocketIOProtocol
import SocketIOServer

struct Photo: Codable {
  var title: String
  var image: BinaryPlaceholder
}

let server = SocketIOServer()
var album = NamespaceHandlers()

album.on("photo") { socket, event in
  guard let photo = try? event.decode(Photo.self), let image = event.arguments.attachment(for: photo.image) else {
    try? event.acknowledge?("error: this is no photo")
    return
  }
  socket.broadcast("photo", event.arguments)
  try? event.acknowledge?("\(photo.title): \(image.count) bytes")
}

album.on("icon") { _, event in
  let icon: [UInt8] = [0x89, 0x50, 0x4e, 0x47]
  event.acknowledge?(SocketArguments([BinaryPlaceholder(0).json], attachments: [icon]))
}

server.namespace("/", configure: album)
try await server.run(port: 3000)
