import MadangAPI
import MadangCore

extension Edition2024_01 {
  static func addFiles(to routes: inout EditionRoutes) {
    routes.respond(to: file) { try await $0.downloadFile() }
  }
}
