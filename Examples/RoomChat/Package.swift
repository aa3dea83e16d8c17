// swift-tools-version: 6.2
import PackageDescription

// A package of yours names Madang's repository instead of a path.
let package = Package(
  name: "RoomChat",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "madang", path: "../..", traits: [])],
  targets: [
    .target(name: "RoomChat", dependencies: [.product(name: "SocketIOServer", package: "madang")]),
    .executableTarget(
      name: "room-chat", dependencies: ["RoomChat", .product(name: "SocketIOClient", package: "madang")]),
    .testTarget(
      name: "RoomChatTests", dependencies: ["RoomChat", .product(name: "SocketIOClient", package: "madang")]),
  ]
)
