// swift-tools-version: 6.1
// The reference of the benchmark `requests`: one route of the framework that Madang stands on, and nothing else.
import PackageDescription

let package = Package(
  name: "bare",
  dependencies: [.package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1")],
  targets: [.executableTarget(name: "bare", dependencies: [.product(name: "Hummingbird", package: "hummingbird")])]
)
