import Foundation
import Support
import Testing

@Suite("madang: coverage of the contract", .timeLimit(.minutes(10)))
struct CommandLineCoverageTests {
  private func run(_ arguments: String..., input: String = "") async throws -> Shell.Outcome {
    let program = try Program("madang", ["dev", "coverage"] + arguments, input: input)
    async let output = program.output.rest()
    async let errors = program.errors.rest()
    return await Shell.Outcome(status: program.status(), output: output, errors: errors)
  }

  /// A file as a server returns it, with some operations covered.
  private func file(_ operations: [String: Int], in folder: URL) throws -> URL {
    let counts = ["counts": ["editions": ["2024-10": ["operations": operations]], "steps": [:]]]
    let file = folder.appending(path: "\(UUID().uuidString).json")
    try JSONEncoder().encode(counts).write(to: file)
    return file
  }

  @Test("files and directories of files are added up; less than the required coverage is status 1")
  func adding() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-coverage-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try file(["me": 2, "signIn": 1], in: folder)
    _ = try file(["me": 1, "channels": 1], in: folder)
    let table = try await run(folder.path, "--edition", "2024-10", "--of", "operations")
    #expect(table.status == 0 && table.errors == [])
    #expect(table.output.contains { $0.hasPrefix("2024-10  operations        3  43    6.9") }, "\(table.output)")
    #expect(table.output.contains("  createWorkspace") && !table.output.contains("  signIn"))
    let low = try await run(folder.path, "--edition", "2024-10", "--of", "operations", "--fail-under", "7")
    #expect(low.status == 1 && low.errors.last == "madang: 6.9 percent were touched, less than 7.0")
    #expect(try await run(first.path, "--of", "operations", "--fail-under", "1").status == 0)
    let page = try await run(folder.path, "--html")
    #expect(page.status == 0 && page.output.first == "<!DOCTYPE html>" && page.output.last == "</html>")
    let json = try await run(folder.path, "--json")
    let merged = folder.appending(path: "merged")
    try json.output.joined(separator: "\n").write(to: merged, atomically: true, encoding: .utf8)
    let again = try await run(merged.path, "--edition", "2024-10", "--of", "operations")
    #expect(again.output == table.output)
    let piped = try await run(
      "-", "--edition", "2024-10", "--of", "operations", input: json.output.joined(separator: "\n"))
    #expect(piped.output == table.output)
    #expect(json.output.joined().contains(#""me":3"#))
  }

  @Test("an unreadable file and an unknown name are reported with their status")
  func mistakes() async throws {
    #expect(try await run("--url", "http://127.0.0.1:1").status == 69)
    #expect(try await run("x", "--world", "w1").status == 64)
    #expect(try await run("x", "--of", "everything").status == 64)
    #expect(try await run("x", "--json", "--html").status == 64)
    let missing = try await run("/no/such/file")
    #expect(missing.status == 1 && missing.errors == ["madang: /no/such/file: there is no such file"])
    let address = "http://127.0.0.1:8080/_dev/coverage"
    let remote = try await run(address)
    #expect(
      remote.status == 1
        && remote.errors == ["madang: \(address): is not a file; name a server with --url"])
    let other = try await run(#filePath)
    #expect(other.status == 1 && other.errors.last?.hasSuffix("is not an answer of GET /_dev/coverage") == true)
  }
}
