import MadangAPI
import MadangCore

extension Edition2024_10 {
  static func addFiles(to routes: inout RouteTable) {
    routes.respond(to: file, answersHead: true) { try await $0.downloadFile() }
  }
}
