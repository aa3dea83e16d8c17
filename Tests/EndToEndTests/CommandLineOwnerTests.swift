import Foundation
import Support
import Testing

/// A machine on which the package serves: settings at their place under a folder, and data of the user `daemon` if root runs the tests.
private struct PackagedMachine {
  let admin: Shell
  let folder: URL
  let data: URL

  /// `daemon` in Debian.
  static let user: uid_t = 1
  static var isRoot: Bool { geteuid() == 0 }

  static func run(_ body: (PackagedMachine) async throws -> Void) async throws {
    try await TestServer.run { server in
      try await Shell("mina", at: server).signUp("Mina")
      server.program.signal(SIGTERM)
      _ = await server.program.status()
      let machine = try PackagedMachine(server)
      try await body(machine)
    }
  }

  private init(_ server: TestServer) throws {
    folder = server.folder
    data = folder.appending(path: "data")
    admin = Shell(
      "operator", at: server,
      environment: ["MADANG_TEST_ROOT": folder.path].merging(TestServer.cheapPasswords) { $1 })
    let settings = folder.appending(path: "etc/madang")
    try FileManager.default.createDirectory(at: settings, withIntermediateDirectories: true)
    try Data(#"{"data": "\#(data.path)", "web.name": "Persimmon house"}"#.utf8)
      .write(to: settings.appending(path: "madang.json"))
    guard Self.isRoot else { return }
    for file in try everything() { try #require(lchown(file, Self.user, Self.user) == 0) }
  }

  private func everything() throws -> [String] {
    let names = try #require(FileManager.default.enumerator(atPath: data.path)).compactMap { $0 as? String }
    return [data.path] + names.map { data.appending(path: $0).path }
  }

  /// The owners of all files of the data.
  func owners() throws -> Set<uid_t> {
    Set(
      try everything().map { file in
        var status = stat()
        try #require(lstat(file, &status) == 0, "\(file)")
        return status.st_uid
      })
  }

  /// A folder that only root may enter.
  func privateFolder() throws -> URL {
    let folder = folder.appending(path: "private")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return folder
  }
}

/// Optimised programs do not know the folder of a test.
private let isOptimised = ProcessInfo.processInfo.environment["MADANG_TEST_PROGRAMS"] != nil

@Suite("Optimised programs", .enabled(if: isOptimised), .timeLimit(.minutes(5)))
struct OptimisedProgramTests {
  @Test("the package's settings are looked for in /etc alone, also if a variable of the environment names a folder")
  func root() async throws {
    try await PackagedMachine.run { machine in
      let printed = try await machine.admin.run("serve", "--print-config")
      #expect(printed.status == 0 && !printed.output.contains { $0.contains("Persimmon house") })
    }
  }
}

@Suite(
  "madang admin and doctor: the server of the package", .serialized, .disabled(if: isOptimised),
  .timeLimit(.minutes(10)))
struct CommandLineOwnerTests {
  @Test("admin, doctor and --print-config find the package's settings; options and environment name another server")
  func finding() async throws {
    try await PackagedMachine.run { machine in
      #expect(try await machine.admin.object("admin", "stats")["accounts"] == .number(1))
      let printed = try await machine.admin.run("serve", "--print-config").output
      #expect(printed.contains("data = \(machine.data.path)") && printed.contains("web.name = Persimmon house"))
      let listed = try await machine.admin.objects("admin", "settings", "web.name", "--given")
      #expect(listed.first?["value"] == .text("Persimmon house"))
      let findings = try await machine.admin.run("doctor", "--inside", "--json").objects()
      #expect(
        !findings.contains { ["settings", "dataDirectory", "database"].contains($0["check"].text) }, "\(findings)")

      let other = machine.folder.appending(path: "other").path
      #expect(
        try await machine.admin.refusal("admin", "stats", "--data", other)
          == "\(other)/madang.sqlite does not exist; name the server's directory with --data, or its database with --database-url"
      )
      let named = try await machine.admin.run("admin", "stats", environment: ["MADANG_DATA": other])
      #expect(named.errors.first?.contains("\(other)/madang.sqlite does not exist") == true)
    }
  }

  @Test("root works as the owner of the data, and leaves no file of root there", .enabled(if: PackagedMachine.isRoot))
  func owner() async throws {
    try await PackagedMachine.run { machine in
      let user = PackagedMachine.user
      try await machine.admin.object("admin", "users", "disable", "mina@example.com", "--yes")
      _ = try await machine.admin.run("doctor", "--inside")
      #expect(try machine.owners() == [user])

      let backups = machine.folder.appending(path: "backups")
      try await machine.admin.object("admin", "backup", backups.path)
      var status = stat()
      #expect(stat(backups.path, &status) == 0 && status.st_uid == user && status.st_mode & 0o777 == 0o700)
      try await machine.admin.object("admin", "backup", backups.path, "--keep", "1")
      #expect(try await machine.admin.objects("admin", "backups", backups.path).count == 1)
      let move = machine.folder.appending(path: "move").path
      try await machine.admin.object("admin", "export", move)
      #expect(stat(move, &status) == 0 && status.st_uid == user)
      #expect(try machine.owners() == [user])
    }
  }

  @Test(
    "a restore by root makes the data directory for the user who will serve it, in new directories too",
    .enabled(if: PackagedMachine.isRoot))
  func restore() async throws {
    try await PackagedMachine.run { machine in
      let backups = machine.folder.appending(path: "backups").path
      try await machine.admin.object("admin", "backup", backups)
      let place = machine.folder.appending(path: "place")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      try #require(lchown(place.path, PackagedMachine.user, PackagedMachine.user) == 0)
      func owner(_ path: String) -> uid_t? {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & 0o077 == 0 ? status.st_uid : nil
      }
      // The owner of the directory around it, and a user by name.
      for (data, options): (String, [String]) in [
        (place.path + "/data", []), (place.path + "/new/data", []),
        (machine.folder.path + "/named", ["--owner", "daemon"]),
      ] {
        let restored = try await machine.admin.run(["admin", "restore", backups, "--data", data] + options)
        #expect(restored.status == 0, "\(restored.errors)")
        for path in [data, data + "/madang.sqlite"] { #expect(owner(path) == PackagedMachine.user, "\(path)") }
        #expect(try await machine.admin.object("admin", "stats", "--data", data)["accounts"] == .number(1))
      }
      #expect(owner(place.path + "/new") == PackagedMachine.user)
      let elsewhere = machine.folder.path + "/elsewhere"
      let unknown = try await machine.admin.run("admin", "restore", backups, "--data", elsewhere, "--owner", "no-one")
      #expect(unknown.status == 1 && unknown.errors.joined().contains("there is no user no-one"), "\(unknown.errors)")
      #expect(owner(elsewhere) == nil)
    }
  }

  @Test("a server for a rehearsal knows nothing of the package's settings: it has no certificate to order")
  func rehearsal() async throws {
    try await PackagedMachine.run { machine in
      try Data(#"{"data": "\#(machine.data.path)", "port": 443, "tls.acme": "chat.example.com"}"#.utf8)
        .write(to: machine.folder.appending(path: "etc/madang/madang.json"))
      #expect(try await machine.admin.run("serve", "--print-config").output.contains("tls.acme = chat.example.com"))
      let server = try Program(
        try Program.executable("madang").path, ["serve", "--port", "0", "--data", machine.folder.path + "/drill"],
        environment: machine.admin.variables)
      #expect(try await server.output.next().hasPrefix("madang listening on http://127.0.0.1:"))
      server.signal(SIGTERM)
      _ = await server.status()
    }
  }

  @Test("a path that the owner may not use is refused with its cure", .enabled(if: PackagedMachine.isRoot))
  func unreachable() async throws {
    try await PackagedMachine.run { machine in
      let hidden = try machine.privateFolder()
      let backup = try await machine.admin.run("admin", "backup", hidden.appending(path: "backups").path)
      #expect(backup.status == 1 && backup.errors.joined().contains("name a directory elsewhere"), "\(backup.errors)")
      let archive = hidden.appending(path: "mina.zip").path
      let export = try await machine.admin.run("admin", "users", "export", "mina@example.com", archive)
      #expect(
        export.status == 1 && export.errors.joined().contains("name a path that this user may use"), "\(export.errors)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: hidden.path).isEmpty)
      let open = machine.folder.appending(path: "open")
      try FileManager.default.createDirectory(at: open, withIntermediateDirectories: true)
      try #require(chmod(open.path, 0o1777) == 0)
      try await machine.admin.object("admin", "users", "export", "mina@example.com", open.path + "/mina.zip")
    }
  }

  @Test(
    "root does not work on a directory of root that another user can fill, or leads to",
    .enabled(if: PackagedMachine.isRoot))
  func openDirectory() async throws {
    try await PackagedMachine.run { machine in
      let open = machine.folder.appending(path: "open")
      try FileManager.default.moveItem(at: machine.data, to: open)
      try #require(chown(open.path, 0, 0) == 0 && chmod(open.path, 0o1777) == 0)
      for path in [open, machine.data] {
        let outcome = try await machine.admin.run("admin", "stats", "--data", path.path)
        #expect(outcome.status == 1 && outcome.errors.joined().contains("belongs to root"), "\(outcome.errors)")
        // The second one is a link of another user.
        guard path == open else { continue }
        try #require(chmod(open.path, 0o700) == 0 && symlink(open.path, machine.data.path) == 0)
        try #require(lchown(machine.data.path, PackagedMachine.user, PackagedMachine.user) == 0)
      }
    }
  }

  @Test("a user who is neither root nor the owner learns how to call it", .enabled(if: PackagedMachine.isRoot))
  func others() async throws {
    try await PackagedMachine.run { machine in
      func asAnother(_ arguments: String...) async throws -> String {
        let madang = try Program.executable("madang").path
        let program = try Program(
          "/usr/bin/setpriv", ["--reuid", "12345", "--regid", "12345", "--clear-groups", madang] + arguments,
          environment: machine.admin.variables)
        async let output = program.output.rest()
        async let errors = program.errors.rest()
        return await (output + errors).joined(separator: "\n")
      }
      let foreign = try await asAnother("admin", "stats")
      #expect(foreign.contains("belongs to the user daemon") && foreign.contains("run it as root"), "\(foreign)")
      #expect(chmod(machine.folder.appending(path: "etc/madang").path, 0o750) == 0)
      let unreadable = try await asAnother("admin", "stats")
      #expect(unreadable.contains("madang.json cannot be read by") && unreadable.contains("as root"), "\(unreadable)")
      let doctor = try await asAnother("doctor", "--inside")
      #expect(doctor.contains("[settings]") && doctor.contains("run the doctor as root"), "\(doctor)")
    }
  }
}

extension JSONValue? {
  /// Empty for other values.
  fileprivate var text: String { if case .text(let text)? = self { text } else { "" } }
}
