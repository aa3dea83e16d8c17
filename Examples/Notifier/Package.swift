// swift-tools-version: 6.2
import PackageDescription

// A package of yours names Madang's repository instead of a path.
let package = Package(
  name: "Notifier",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "madang", path: "../..", traits: []),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
  ],
  targets: [
    .target(
      name: "Notifier",
      dependencies: [
        .product(name: "Crypto", package: "swift-crypto"), .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "SocketIOPostgres", package: "madang"), .product(name: "SocketIOServer", package: "madang"),
      ]),
    .executableTarget(name: "notifier-server", dependencies: ["Notifier"]),
    .testTarget(
      name: "NotifierTests",
      dependencies: [
        "Notifier", .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "SocketIOClient", package: "madang"), .product(name: "SocketIOServer", package: "madang"),
      ]),
  ]
)
