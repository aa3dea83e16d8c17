import MadangAPI
import MadangCore

extension Edition2024_10 {
  static func addFiles(to routes: inout RouteTable) {
    routes.respond(to: file) { call in
      let file = try await call.madang.file(
        folder: call.parameters["folder"] ?? "", name: call.parameters["name"] ?? "", as: try call.caller)
      return try await call.download(file)
    }
  }
}
