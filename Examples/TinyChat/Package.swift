// swift-tools-version: 6.2
import PackageDescription

// An app's own package would name Madang's repository instead of a path.
let package = Package(
  name: "TinyChat",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [.library(name: "TinyChat", targets: ["TinyChat"])],
  dependencies: [
    .package(name: "madang", path: "../.."),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
  ],
  targets: [
    .target(
      name: "TinyChat",
      dependencies: [
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ]),
    .testTarget(
      name: "TinyChatTests",
      dependencies: ["TinyChat", .product(name: "MadangTesting", package: "madang")]),
  ]
)
