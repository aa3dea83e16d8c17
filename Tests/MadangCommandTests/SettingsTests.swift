import Foundation
import MadangServer
import Testing

@testable import madang

@Suite("Settings of the server")
struct SettingsTests {
  private func load(_ json: String) async throws -> LoadedSettings {
    let file = FileManager.default.temporaryDirectory.appending(path: "madang-settings-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(json.utf8).write(to: file)
    return try await LoadedSettings(flags: [:], file: file.path)
  }

  @Test("a file's names are settings, nested or not; what is none is refused, with the one that was meant")
  func names() async throws {
    for json in [#"{"socket":{"access":"cookie"}}"#, #"{"socket.access":"cookie"}"#] {
      #expect(try await load(json).settings.socketAccess == .cookie)
    }
    let mistakes = [
      #"{"socket":{"acess":"cookie"}}"#: "socket.acess from ", #"{"socket.acess":1}"#: "did you mean socket.access?",
      #"{"password.cost":15}"#: "use password.memory", #"{"trusted":{"proxies":["10.0.0.1"]}}"#: "not a list",
      #"{"limits":{"requests":{"max":1}}}"#: "limits.requests.max from ", #"{"MADANG_PORT":1}"#: "no such setting",
    ]
    for (json, part) in mistakes {
      let error = await #expect(throws: SetupError.self) { try await load(json) }
      #expect(error?.description.contains(part) == true, "\(json): \(error?.description ?? "")")
    }
  }

  @Test("variables that look like settings and are none are told; those of the command line are none of them")
  func variables() {
    let names = ["MADANG_SOCKET_ACESS", "MADANG_KEY", "MADANG_PORT", "PATH", "MADANG_PASSWORD_COST", "MADANG_SERVER"]
    let strangers = SettingNames.strangers(in: names)
    #expect(strangers.count == 2)
    #expect(strangers.first?.contains("use password.memory") == true)
    #expect(strangers.last?.contains("did you mean MADANG_SOCKET_ACCESS?") == true)
  }
}
