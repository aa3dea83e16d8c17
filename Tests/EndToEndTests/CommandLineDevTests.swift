import Foundation
import MadangClient
import Testing

@Suite("madang dev", .serialized, .timeLimit(.minutes(10)))
struct CommandLineDevTests {
  /// Runs `body` with a shell that finds the server through MADANG_DEV_URL.
  private static func run(_ body: (Shell, TestServer) async throws -> Void) async throws {
    try await TestServer.run { server in
      try await body(Shell("nobody", at: server, environment: ["MADANG_DEV_URL": server.url]), server)
    }
  }

  @Test("worlds are made from seeds, listed, reset, saved, restored and removed")
  func worlds() async throws {
    try await Self.run { shell, server in
      let made = try await shell.object(
        "dev", "worlds", "make", "--seed", "courtyard", "--number", "7", "--name", "mine")
      #expect(
        made["id"] == .text("w1") && made["number"] == .number(7) && made["now"] == .text("2026-01-05T09:00:00.000Z"))
      let file = server.folder.appending(path: "own.yaml")
      try Data("people: [{email: a@example.com}]\n".utf8).write(to: file)
      #expect(try await shell.object("dev", "worlds", "make", "--seed", file.path)["id"] == .text("w2"))
      #expect(try await shell.objects("dev", "worlds", "list").map { $0["name"] } == [.text("mine"), .text("w2")])
      let table = try await shell.run("dev", "worlds", "list", "--url", server.url)
      #expect(table.output.count == 3 && table.output[0].hasPrefix("ID") && table.output[1].contains("courtyard"))
      #expect(try await shell.object("dev", "worlds", "snapshot", "w1", "new")["snapshots"] == .texts(["new"]))
      _ = try await shell.object("dev", "clock", "advance", "1h", "--world", "mine")
      #expect(
        try await shell.object("dev", "worlds", "restore", "w1", "new")["now"] == .text("2026-01-05T09:00:00.000Z"))
      #expect(
        try await shell.object("dev", "worlds", "reset", "w1")["snapshots"] == .texts(["new"]))
      #expect(try await shell.object("dev", "worlds", "remove", "w1")["removed"] == .texts(["w1"]))
      #expect(try await shell.object("dev", "worlds", "remove", "--all")["removed"] == .texts(["w2"]))
      #expect(try await shell.run("dev", "worlds", "list").errors == ["There are no worlds."])
      let typo = try await shell.run("dev", "worlds", "make", "--seed", "courtyrad")
      #expect(
        typo.status == 1
          && typo.errors == [
            "madang: --seed: 'courtyrad' is neither one of empty, courtyard, crowded, edge, nor the path of a file; "
              + "did you mean courtyard?"
          ], "\(typo.errors)")
      let gone = try await shell.run("dev", "worlds", "reset", "w1")
      #expect(
        gone.status == 1 && gone.errors == ["madang: there is no world 'w1'; 'madang dev worlds list' lists them"])
    }
  }

  @Test("the clock of the server and of a world is shown and changed")
  func clock() async throws {
    try await Self.run { shell, _ in
      _ = try await shell.object("dev", "worlds", "make", "--number", "1")
      #expect(
        try await shell.object("dev", "clock", "show", "--world", "w1") == [
          "now": .text("2026-01-05T09:00:00.000Z"), "rate": .number(0),
        ])
      #expect(
        try await shell.object("dev", "clock", "advance", "1500ms", "--world", "w1")["now"]
          == .text("2026-01-05T09:00:01.500Z"))
      #expect(
        try await shell.object("dev", "clock", "set", "2030-01-01T00:00:00Z", "--world", "w1")["now"]
          == .text("2030-01-01T00:00:00.000Z"))
      #expect(try await shell.object("dev", "clock", "rate", "60", "--world", "w1")["rate"] == .number(60))
      #expect(try await shell.object("dev", "clock", "freeze", "--world", "w1")["rate"] == .number(0))
      #expect(try await shell.object("dev", "clock", "resume", "--world", "w1")["rate"] == .number(1))
      #expect(try await shell.run("dev", "clock").output.last == "rate  1.0")
      let wrong = try await shell.run("dev", "clock", "set", "tomorrow")
      #expect(wrong.status == 1 && wrong.errors == ["madang: set: a date like 2026-01-05T09:00:00Z, from 1970 on"])
    }
  }

  @Test("faults are added, listed and removed")
  func faults() async throws {
    try await Self.run { shell, _ in
      let rule = #"{"match":{"operation":"me"},"effect":{"kind":"status","status":503}}"#
      #expect(try await shell.object("dev", "faults", "add", rule)["id"] == .number(1))
      #expect(
        try await shell.objects("dev", "faults", "add", "[\(rule),\(rule)]").map { $0["id"] } == [
          .number(2), .number(3),
        ])
      #expect(try await shell.run("dev", "faults", "add", "-", input: rule).output == ["ID", "4"])
      #expect(try await shell.objects("dev", "faults", "list").count == 4)
      #expect(try await shell.run("dev", "faults", "list").output[1].contains(#"{"operation":"me"}"#))
      _ = try await shell.object("dev", "faults", "remove", "2", "3")
      #expect(try await shell.objects("dev", "faults", "list").map { $0["id"] } == [.number(1), .number(4)])
      _ = try await shell.object("dev", "faults", "remove", "--all")
      #expect(try await shell.objects("dev", "faults", "list").isEmpty)
      #expect(try await shell.object("dev", "restart", "--down-for", "10ms")["downFor"] == .text("10ms"))
      #expect(try await shell.run("dev", "restart", "--down-for", "2h").status == 64)
      let wrong = try await shell.run("dev", "faults", "add", #"{"effect":{"kind":"latency"}}"#)
      #expect(wrong.status == 1 && wrong.errors == ["madang: effect.time: is missing; 'latency' needs it"])
    }
  }

  @Test("a world gets settings and a lease; its mails and its coverage are shown, and its sockets are cut")
  func ofWorld() async throws {
    try await Self.run { shell, _ in
      let made = try await shell.object(
        "dev", "worlds", "make", "--seed", "courtyard", "--set", "socket.ping.interval=1s", "--ttl", "10m")
      #expect("\(made["expires"] as Any)".contains("Z") && made["settings"] == .other)
      for arguments in [["--set", "x"], ["--set", "=1"], ["--set", "a=1", "--set", "a=2"]] {
        #expect(try await shell.run(["dev", "worlds", "make"] + arguments).status == 64)
      }
      let wrong = try await shell.run("dev", "worlds", "make", "--set", "port=1")
      #expect(wrong.status == 1 && wrong.errors.first?.contains("a world cannot have this setting") == true)
      #expect(try await shell.objects("dev", "sockets", "list", "--world", "w1").isEmpty)
      let inVain = try await shell.run("dev", "sockets", "list", "--account", "mina", "--wait", "10ms", "--world", "w1")
      #expect(inVain.status == 1)
      #expect(
        try await shell.object("dev", "sockets", "cut", "--account", "mina", "--world", "w1")["cut"] == .number(0))
      #expect(try await shell.objects("dev", "mails", "--world", "w1").isEmpty)
      #expect(try await shell.object("dev", "coverage", "--world", "w1")["counts"] != nil)
      let followed = try await shell.run("dev", "journal", "--follow", "--wait", "1s", "--world", "w1")
      #expect(followed.status == 64)
    }
  }

  @Test("a followed journal goes on with the new one when the server was restarted", arguments: [SIGKILL, SIGTERM])
  func follow(_ signal: Int32) async throws {
    try await TestServer.run { server in
      let follower = try Program(
        "madang", ["dev", "journal", "--follow", "kind=payment"], environment: ["MADANG_DEV_URL": server.url])
      defer { follower.signal(SIGKILL) }
      func pay(_ name: String, at server: TestServer) async throws {
        try await server.pay(#"{"merchant_uid":"\#(name)","imp_uid":"\#(name)","amount":100}"#)
      }
      try await pay("first", at: server)
      #expect(try await follower.output.next().contains("first"))
      server.program.signal(signal)
      _ = await server.program.status()
      #expect(try await follower.errors.next().hasSuffix(". Trying again every second."))
      let again = try await server.restarted()
      #expect(try await follower.errors.next() == "madang: the server is back, with a new journal")
      // Its number is that of the first one.
      try await pay("second", at: again)
      #expect(try await follower.output.next().contains("second"))
      again.program.signal(SIGTERM)
      #expect(await again.program.status() == 0)
    }
  }

  @Test("people act, and scripts are added, started, awaited and stopped, in a world and on the server itself")
  func people() async throws {
    try await Self.run { shell, server in
      _ = try await shell.object("dev", "worlds", "make", "--seed", "courtyard")
      let people = try await shell.objects("dev", "people", "list", "--world", "w1")
      #expect(people.count == 5 && people[0]["workspaces"] == .texts(["Weekend", "Book club"]))
      let posted = try await shell.object(
        "dev", "people", "act", "joon", "post", "hello", "--in", "Weekend/ios", "--files", "2", "--world", "w1")
      #expect(posted["content"] == .text("hello"))
      _ = try await shell.object("dev", "people", "act", "joon", "post", "psst", "--to", "mina", "--world", "w1")
      #expect(
        try await shell.object("dev", "people", "act", "sora", "join", "--in", "Weekend/ios", "--world", "w1")
          == ["joined": .text("Weekend/ios")])
      #expect(
        try await shell.object("dev", "people", "act", "sora", "leave", "--in", "Weekend/ios", "--world", "w1")
          == ["left": .text("Weekend/ios")])
      let refused = try await shell.run("dev", "people", "act", "mina", "leave", "--in", "Weekend", "--world", "w1")
      #expect(refused.status == 1 && refused.errors.first?.hasSuffix("(E15)") == true)

      let file = server.folder.appending(path: "scripts.yaml")
      try Data(
        """
        - {name: answer, when: {chat: {from: mina}}, do: [{as: joon, post: "{n}"}]}
        - {name: fails, do: [{as: sora, leave: Weekend/ios}]}
        """.utf8
      ).write(to: file)
      #expect(try await shell.objects("dev", "scripts", "add", file.path, "--world", "w1").count == 2)
      #expect(
        try await shell.object("dev", "scripts", "start", "answer", "--world", "w1")["state"] == .text("running"))
      _ = try await shell.object("dev", "people", "act", "mina", "post", "hi", "--in", "Weekend/ios", "--world", "w1")
      let ran = try await shell.object(
        "dev", "scripts", "wait", "answer", "--runs", "1", "--within", "60s", "--world", "w1")
      #expect(ran["runs"] == .number(1))
      let early = try await shell.run("dev", "scripts", "wait", "answer", "--within", "50ms", "--world", "w1")
      #expect(early.status == 1 && early.errors == ["madang: the script 'answer' is not done within 50ms"])
      #expect(try await shell.object("dev", "scripts", "stop", "answer", "--world", "w1")["state"] == .text("stopped"))
      _ = try await shell.object("dev", "scripts", "start", "fails", "--world", "w1")
      let failed = try await shell.run("dev", "scripts", "wait", "fails", "--within", "60s", "--world", "w1")
      #expect(failed.status == 1 && failed.errors == ["madang: 1 failure in the script 'fails'"])
      #expect(failed.output.last?.contains("run 1, step 1 (sora): ") == true, "\(failed.output)")
      #expect(try await shell.objects("dev", "scripts", "list", "--world", "w1").count == 2)
      #expect(try await shell.objects("dev", "scripts", "list").isEmpty)

      try await server.withPerson("Mina") { mina in
        _ = try await mina.createWorkspace(name: "Here")
        #expect(
          try await shell.object("dev", "people", "act", "mina", "post", "hi", "--in", "Here")["content"] == .text("hi")
        )
      }
    }
  }

  @Test("a seed is checked without a server, and exported from a world or from the server's own data")
  func seeds() async throws {
    try await Self.run { shell, server in
      _ = try await shell.object("dev", "worlds", "make", "--seed", "courtyard", "--number", "3")
      let file = server.folder.appending(path: "written.yaml").path
      let written = try await shell.run("dev", "seed", "export", "--world", "w1", "--output", file, "--name", "weekend")
      #expect(written.status == 0 && written.output == [])
      let counts = try await shell.object("dev", "seed", "check", file)
      #expect(
        counts["name"] == .text("weekend") && counts["people"] == .number(5) && counts["workspaces"] == .number(2))
      #expect(counts["channels"] == .number(5) && counts["chats"] == .number(71), "\(counts)")
      let printed = try await shell.run("dev", "seed", "export", "--world", "w1", "--name", "weekend")
      #expect(printed.output.joined(separator: "\n") + "\n" == (try String(contentsOfFile: file, encoding: .utf8)))
      #expect(try await shell.object("dev", "worlds", "make", "--seed", file)["seed"] == .text("weekend"))
      try await server.withPerson("Mina") { mina in
        _ = try await mina.createWorkspace(name: "Here")
        let own = try await shell.run("dev", "seed", "export", "--format", "json")
        #expect(own.output.first?.contains(#""name":"Here""#) == true)
      }
    }
    let program = try Program("madang", ["dev", "seed", "check", "-"], input: "people:\n  - {email: a}\n")
    async let output = program.output.rest()
    async let errors = program.errors.rest()
    #expect(await program.status() == 1)
    #expect(await output == [])
    #expect(await errors == ["madang: -: line 2: email: not an e-mail address"])
  }

  @Test("a seed that is not a file is reported with its cause and its cure")
  func noSeed() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-test-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for (file, input, words) in [
      ("courtyard", "", "courtyard is a built-in seed, not a file: 'madang dev worlds make --seed courtyard'"),
      (folder, "", "\(folder) is a directory; name a file"),
      ("\(folder)/none.yaml", "", "\(folder)/none.yaml cannot be read: No such file or directory"),
      ("-", "name: a\nname: b\n", "-: line 1: name: is written twice in the same object"),
    ] {
      let program = try Program("madang", ["dev", "seed", "check", file], input: input)
      async let output = program.output.rest()
      async let errors = program.errors.rest()
      #expect(await program.status() == 1)
      #expect(await output == [])
      #expect(await errors == ["madang: \(words)"])
    }
  }

  @Test("a server that cannot be reached is status 69; one that is not in development mode is reported with the cure")
  func elsewhere() async throws {
    func run(_ arguments: [String]) async throws -> (status: Int32, errors: [String]) {
      let program = try Program("madang", arguments)
      async let output = program.output.rest()
      async let errors = program.errors.rest()
      _ = await output
      return await (program.status(), errors)
    }
    let nobody = try await run(["dev", "clock", "--url", "127.0.0.1:1"])
    #expect(nobody.status == 69)
    #expect(
      nobody.errors == [
        "madang: http://127.0.0.1:1 cannot be reached: Connection refused; start one with 'madang serve --dev', or name it "
          + "with --url or MADANG_DEV_URL"
      ], "\(nobody.errors)")

    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-test-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try Program("madang", ["serve", "--port", "0", "--data", folder.path])
    let ready = "madang listening on "
    let url = String(try await server.output.next(beginning: ready).dropFirst(ready.count))
    let closed = try await run(["dev", "worlds", "list", "--url", url])
    #expect(closed.status == 1)
    #expect(closed.errors.first?.contains("it is not in development mode") == true, "\(closed.errors)")
    server.signal(SIGTERM)
    _ = await server.status()
  }

  @Test("a world is reached by its name under localhost, even if the system cannot resolve such names")
  func localhost() async throws {
    try await Self.run { shell, server in
      _ = try await shell.object("dev", "worlds", "make", "--number", "1", "--name", "mine")
      for name in ["w1", "mine"] {
        let clock = try await shell.object(
          "dev", "clock", "show", "--url", "http://\(name).localhost:\(try server.port)")
        #expect(clock["now"] == .text("2026-01-05T09:00:00.000Z"))
      }
    }
  }

  @Test("starting a script that waits for a stopped clock is reported with the cure")
  func clockStandsStill() async throws {
    try await Self.run { shell, server in
      _ = try await shell.object("dev", "worlds", "make", "--seed", "courtyard", "--number", "1")
      let file = server.folder.appending(path: "scripts.yaml")
      try Data("{name: late, after: 5s, do: [{as: joon, post: hi, in: Weekend/ios}]}".utf8).write(to: file)
      _ = try await shell.objects("dev", "scripts", "add", file.path, "--world", "w1")
      _ = try await shell.object("dev", "scripts", "start", "late", "--world", "w1")
      let waited = try await shell.run("dev", "scripts", "wait", "late", "--within", "10ms", "--world", "w1")
      #expect(
        waited.errors == [
          "madang: the script 'late' is not done within 10ms; the clock is frozen: pauses and rates continue with "
            + "'madang dev clock advance 10s --world w1'"
        ], "\(waited.errors)")
    }
  }

  @Test("a missing or wrong token is refused with a hint where the token is configured")
  func tokens() async throws {
    try await TestServer.run(environment: ["MADANG_DEV_TOKEN": "the-right-one-of-all"]) { server in
      // A client that uses a name other than this machine's counts as a remote one.
      let url = "http://0.0.0.0:\(try server.port)"
      let shell = Shell("nobody", at: server, environment: ["MADANG_DEV_TOKEN": ""])
      let cure = "give the one that 'madang serve --dev --lan' shows there with --token or MADANG_DEV_TOKEN"
      let none = try await shell.run("dev", "clock", "--url", url)
      #expect(none.status == 1)
      #expect(none.errors == ["madang: \(url) asks programs of other machines for a token; \(cure)"])
      let wrong = try await shell.run("dev", "clock", "--url", url, "--token", "wrong")
      #expect(wrong.errors == ["madang: \(url) refuses this token; \(cure)"])
      #expect(try await shell.run("dev", "clock", "--url", url, "--token", "the-right-one-of-all").status == 0)
      let more = try await shell.run("dev", "clock", "--url", "\(server.url)/_dev/the-right-one-of-all/...")
      #expect(more.status == 64)
      #expect(
        more.errors.first?.contains("is more than the URL of a server: give \(server.url), and the token") == true)
    }
  }

  @Test(
    "a negative duration is wrong usage that is named, and not a request for help", arguments: ["-1h", "-90s", "-1.5h"])
  func negative(_ time: String) async throws {
    let program = try Program("madang", ["dev", "clock", "advance", time])
    async let output = program.output.rest()
    async let errors = program.errors.rest()
    #expect(await program.status() == 64)
    #expect(await output == [])
    let first = await errors.first
    #expect(first?.contains("'\(time)' is not a length of time: write it without -") == true, "\(first ?? "")")
  }

  @Test(
    "wrong usage is status 64",
    arguments: [
      ["dev", "clock", "advance", "soon"], ["dev", "clock", "rate", "-1"], ["dev", "worlds", "remove"],
      ["dev", "faults", "remove", "--all", "1"], ["dev", "people", "act", "x", "post", "hi"],
      ["dev", "people", "act", "x", "join", "--in", "W", "--to", "y"], ["dev", "people", "act", "x", "dance"],
      ["dev", "scripts", "wait", "x", "--within", "2h"], ["dev", "seed", "export", "--format", "xml"],
      ["dev", "clock", "--url", "ftp://x"], ["dev", "record", "x.yaml", "--for", "soon"], ["dev", "record"],
    ])
  func usage(_ arguments: [String]) async throws {
    let program = try Program("madang", arguments)
    async let output = program.output.rest()
    async let errors = program.errors.rest()
    #expect(await program.status() == 64)
    #expect(await output == [])
    #expect(await !errors.isEmpty)
  }
}
