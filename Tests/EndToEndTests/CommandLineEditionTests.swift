import Foundation
import Testing

@Suite("madang edition-of, as a process", .timeLimit(.minutes(5)))
struct CommandLineEditionTests {
  @Test(
    "edition-of prints a report or JSON; its status is 0 for one edition, 1 for none, 2 for both, 64 without a folder")
  func statuses() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func run(_ arguments: String...) async throws -> (status: Int32, output: [String], errors: [String]) {
      let program = try Program("madang", ["edition-of"] + arguments)
      async let output = program.output.rest()
      async let errors = program.errors.rest()
      return await (program.status(), output, errors)
    }
    let nothing = try await run(folder.path)
    #expect(nothing.status == 1 && nothing.errors == [], "\(nothing)")
    #expect(nothing.output.first == "edition     not found: nothing here belongs to the API")

    let source = folder.appending(path: "Router.swift")
    try Data(#""/v1/users/me"; "/v1/workspaces/\(id)/exit"; ["SesacKey": key]"#.utf8).write(to: source)
    let one = try await run(folder.path)
    #expect(one.status == 0 && one.errors == [], "\(one)")
    #expect(one.output.first == "edition     2024-10 (ids are UUIDs)")
    let json = try await run(folder.path, "--json")
    #expect(json.status == 0 && json.output.count == 1)
    #expect(json.output.first?.hasPrefix(#"{"found":"one","edition":"2024-10","signs":[{"edition":"2024-10","#) == true)

    try Data(#""/v1/users/me"; "/v1/users/my"; ["SesacKey": key]"#.utf8).write(to: source)
    #expect(try await run(folder.path).status == 2)
    let missing = try await run(folder.appending(path: "none").path)
    #expect(missing.status == 1 && missing.output == [])
    #expect(missing.errors == ["madang: \(folder.path)/none: there is no such folder"])
    #expect(try await run().status == 64)
  }
}
