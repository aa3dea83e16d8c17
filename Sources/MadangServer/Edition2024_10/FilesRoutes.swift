import MadangAPI
import MadangCore

extension RouteTable {
  mutating func addFiles() {
    respond(to: Wire.file) { call in
      let file = try await call.madang.file(
        folder: call.parameters["folder"] ?? "", name: call.parameters["name"] ?? "", as: try call.caller)
      return try await call.download(file)
    }
  }
}
