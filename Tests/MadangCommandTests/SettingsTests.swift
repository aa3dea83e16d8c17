import Foundation
import MadangCore
import MadangOperations
import MadangProviders
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

  @Test("the names in a file are settings, nested or not; an unknown one is refused with a suggestion")
  func names() async throws {
    for json in [#"{"socket":{"access":"cookie"}}"#, #"{"socket.access":"cookie"}"#] {
      #expect(try await load(json).settings.sockets.access == .cookie)
    }
    let mistakes = [
      #"{"socket":{"acess":"cookie"}}"#: "socket.acess from ", #"{"socket.acess":1}"#: "did you mean socket.access?",
      #"{"password.cost":15}"#: "use password.memory", #"{"trusted":{"proxies":["10.0.0.1"]}}"#: "not a list",
      #"{"registration":"invite","registration":{"confirm":"limited"}}"#: "registration from ",
      "\t{\"mail\":{\"name\":\"\\ud83d\\ude00 {:\\\"\",\"n\\u0061me\"\n:\"y\"}}": "mail.name from ",
      #"{"registration":{"confirm":"off"},"registration.confirm":"limited"}"#: "registration.confirm from ",
      #"{"limits":{"requests":{"max":1}}}"#: "limits.requests.max from ", #"{"MADANG_PORT":1}"#: "no such setting",
    ]
    for (json, part) in mistakes {
      let error = await #expect(throws: SetupError.self) { try await load(json) }
      #expect(error?.description.contains(part) == true, "\(json): \(error?.description ?? "")")
    }
  }

  /// A file with this content, for the time of `body`.
  private func withFile(_ content: [UInt8], _ body: (String) async throws -> Void) async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "madang-secret-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(content).write(to: file)
    try await body(file.path)
  }

  @Test("every secret can be in a file of its own, named in the environment or in the settings file")
  func secretFiles() async throws {
    try await withFile(Array("s3cret word\n".utf8)) { path in
      let loaded = try await LoadedSettings(
        flags: [:], file: nil, environment: ["MADANG_MAIL_PASSWORD_FILE": path, "MADANG_MAIL_PASSWORD": ""])
      #expect(loaded.settings.mail.password == "s3cret word" && loaded.secretFiles == [path])
      #expect(loaded.list.first { $0.key == "mail.password" }?.source == path)
      #expect(!loaded.listing.contains("s3cret"))
      for json in [#"{"mail":{"password":{"file":"PATH"}}}"#, #"{"mail":{"password.file":"PATH"}}"#] {
        #expect(try await load(json.replacing("PATH", with: path)).settings.mail.password == "s3cret word")
      }
      // The environment goes before the file, as for every setting.
      let file = FileManager.default.temporaryDirectory.appending(path: "madang-settings-\(UUID().uuidString).json")
      defer { try? FileManager.default.removeItem(at: file) }
      try Data(#"{"mail.password":"other"}"#.utf8).write(to: file)
      let both = try await LoadedSettings(
        flags: [:], file: file.path, environment: ["MADANG_MAIL_PASSWORD_FILE": path])
      #expect(both.settings.mail.password == "s3cret word")
    }
    try await withFile(Array("\(String(repeating: "k", count: 32))\r\n".utf8)) { path in
      let loaded = try await LoadedSettings(flags: [:], file: nil, environment: ["MADANG_TOKENS_KEY_FILE": path])
      #expect(loaded.settings.tokenKey == String(repeating: "k", count: 32))
    }
    let names = LoadedSettings.declared.filter(\.isSecret).map { "\(SettingNames.variable($0.key))_FILE" }
    #expect(names.count > 5 && SettingNames.ignored(in: names).isEmpty)
    #expect(SettingNames.ignored(in: ["MADANG_PORT_FILE"]).count == 1)
    let ofKits = ["MADANG_DEV_URL", "MADANG_DEV_TOKEN", "MADANG_PROGRAM", "MADANG_TEST_KEEP"]
    #expect(SettingNames.ignored(in: ofKits).isEmpty)
  }

  @Test("a mistake in the JSON of a settings file is named with its line")
  func lineOfMistake() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "madang-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("{\n  \"host\": \"127.0.0.1\"\n  \"port\": 8199\n}\n".utf8).write(to: file)
    let error = await #expect(throws: SetupError.self) {
      _ = try await LoadedSettings(flags: [:], file: file.path, environment: [:])
    }
    #expect(
      error?.description.contains("\(file.path) cannot be read: line 3: ") == true, "\(String(describing: error))")
  }

  @Test("a file of a secret that cannot be used is refused with its name and the cure, without its content")
  func wrongSecretFiles() async throws {
    func refusal(_ environment: [String: String]) async throws -> String {
      let error = await #expect(throws: SetupError.self) {
        _ = try await LoadedSettings(flags: [:], file: nil, environment: environment)
      }
      return error?.description ?? ""
    }
    let key = "MADANG_MAIL_PASSWORD_FILE"
    let start = "mail.password.file from the environment: "
    #expect(try await refusal([key: "/nowhere/x"]).hasPrefix("\(start)/nowhere/x cannot be read (No such file"))
    #expect(try await refusal([key: "/"]).hasPrefix("\(start)/ cannot be read (it is not a regular file)"))
    let pipe = FileManager.default.temporaryDirectory.appending(path: "madang-pipe-\(UUID().uuidString)").path
    try #require(mkfifo(pipe, 0o600) == 0)
    defer { unlink(pipe) }
    #expect(try await refusal([key: pipe]).hasPrefix("\(start)\(pipe) cannot be read (it is not a regular file)"))
    for (content, words) in [
      (Array(repeating: UInt8(ascii: "x"), count: 65_537), "has more than 65536 bytes"),
      ([0xff, 0xfe], "is not text in UTF-8"),
      ([], "is empty; write the secret into it"), ([0x0a], "is empty; write the secret into it"),
    ] {
      try await withFile(content) { path in
        let found = try await refusal([key: path])
        #expect(found.hasPrefix("\(start)\(path) \(words)"))
      }
    }
    try await withFile(Array("two\nlines\n".utf8)) { path in
      let words = try await refusal([key: path])
      #expect(words.hasPrefix("mail.password from \(path): has a line feed (U+000A)") && !words.contains("two"))
      let twice = try await refusal([key: path, "MADANG_MAIL_PASSWORD": "x"])
      #expect(twice.hasPrefix("mail.password from the environment: mail.password.file is there, too; write one"))
      let json = #"{"mail":{"password":"x","password.file":"PATH"}}"#.replacing("PATH", with: path)
      let error = await #expect(throws: SetupError.self) { try await load(json) }
      #expect(error?.description.contains("mail.password.file is there, too") == true)
    }
  }

  @Test("the colour and the language of pages are checked, with a cure")
  func face() async throws {
    let loaded = try await load(##"{"web":{"colour":"#2d6389","language":"ko","name":"감나무 집"}}"##)
    #expect(loaded.settings.web.colour == "#2d6389" && loaded.settings.web.language == .korean)
    for (json, cure) in [
      (##"{"web.colour":"red"}"##, "write a colour like #2d6389"),
      (##"{"web.colour":"#fff"}"##, "write a colour like #2d6389"),
      (##"{"web.language":"fr"}"##, "write auto, ko or en"),
    ] {
      let error = await #expect(throws: SetupError.self) { try await load(json) }
      #expect(error?.description.contains(cure) == true, "\(json): \(error?.description ?? "")")
    }
  }

  @Test("a file may have settings of an earlier version that no installation needs: each is ignored with a warning")
  func formerNames() async throws {
    let loaded = try await load(
      #"{"audit.syslog":true,"log":{"buffer":4096},"log.flush":1,"port":8081}"#)
    #expect(loaded.settings.port == 8081)
    #expect(loaded.warnings.map { $0.split(separator: " ").first } == ["audit.syslog", "log.buffer", "log.flush"])
    #expect(loaded.warnings.allSatisfy { $0.contains("is ignored: no longer a setting") })
  }

  @Test(
    "a control character in a setting is refused with its name and its source",
    arguments: [
      ("data", "/srv/madang\r"), ("files.home", "s3://bucket\n"), ("database.url", "postgres://db\r/x"),
      ("public.url", "https://x.kr\r"),
      ("audit.file", "a\u{7F}b"), ("tls.cert", "\u{85}"), ("port", "8080\r"),
      ("s3.endpoint", "https://s3.example.com\r"),
    ])
  func controlCharacters(_ key: String, _ value: String) async throws {
    let variables = [SettingNames.variable(key): value]
    let error = await #expect(throws: SetupError.self) {
      _ = try await LoadedSettings(flags: [:], file: nil, environment: variables)
    }
    let words = error?.description ?? ""
    #expect(words.hasPrefix("\(key) from the environment: has a ") && words.contains("(U+00"), "\(words)")
    #expect(!words.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" })
  }

  @Test("the kinds of document that chats accept are extensions; an unknown one is refused with the list")
  func documentTypes() async throws {
    #expect(try await load(#"{"files":{"types":"pdf, odt"}}"#).settings.files.types == [.pdf, .odt])
    #expect(try await load(#"{"files":{"types":"none"}}"#).settings.files.types.isEmpty)
    #expect(ServerSettings().files.types.count == 19)
    let error = await #expect(throws: SetupError.self) { try await load(#"{"files.types":"pdf,exe"}"#) }
    #expect(error?.description.contains("'exe' is not one of the types") == true)
  }

  @Test("the database's limits are settings with ranges")
  func database() async throws {
    let names = ["database.writers", "database.readers", "database.log.limit", "database.wait"]
    let given = Dictionary(uniqueKeysWithValues: zip(names, ["8", "0", "1048576", "1500ms"]))
    let settings = try await LoadedSettings(flags: given, file: nil).settings
    #expect(settings.database.writers == 8 && settings.database.readers == 0)
    #expect(settings.database.logLimit == 1 << 20 && settings.database.waitLimit == .milliseconds(1500))
    for (name, value) in zip(names, ["0", "65", "1048575", "26"]) {
      let error = await #expect(throws: SetupError.self) { try await LoadedSettings(flags: [name: value], file: nil) }
      #expect(error?.description.hasPrefix("\(name) from the command line: '\(value)' is not valid; ") == true)
    }
  }

  @Test("development mode requires a single server, and so does the embedded database")
  func oneInDevelopment() {
    var settings = ServerSettings()
    (settings.isDevelopment, settings.node, settings.database.url) = (true, "a", "postgres://localhost/madang")
    #expect(settings.problems().count == 1)
    settings.isDevelopment = false
    #expect(settings.problems().isEmpty)
    settings.database.url = nil
    #expect(settings.problems().count == 1 && settings.problems()[0].contains("need PostgreSQL"))
  }

  @Test("variables that look like settings but are not are reported, except those of the command line")
  func variables() {
    let names = ["MADANG_SOCKET_ACESS", "MADANG_KEY", "MADANG_PORT", "PATH", "MADANG_PASSWORD_COST", "MADANG_SERVER"]
    let ignored = SettingNames.ignored(in: names)
    #expect(ignored.count == 2)
    #expect(ignored.first?.contains("use password.memory") == true)
    #expect(ignored.last?.contains("did you mean MADANG_SOCKET_ACCESS?") == true)
  }

  @Test("a bucket's settings come from Madang's variables, else from the customary ones; the secret is never shown")
  func bucket() async throws {
    let environment = [
      "AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "theirs", "AWS_SECRET_ACCESS_KEY": "hidden-secret",
      "AWS_SESSION_TOKEN": "hidden-token",
    ]
    let loaded = try await LoadedSettings(
      flags: ["files.home": "s3://photos/a/b", "s3.access.key.id": "ours"], file: nil, environment: environment)
    #expect(loaded.settings.s3.region == "eu-central-1" && loaded.settings.s3.accessKeyID == "ours")
    #expect(loaded.settings.s3.secretAccessKey == "hidden-secret")
    #expect(loaded.listing.contains("(from AWS_REGION)") && loaded.listing.contains("files.home = s3://photos/a/b"))
    #expect(!loaded.listing.contains("hidden"))
  }

  @Test(
    "a bucket that cannot be used under its name is refused with a cure",
    arguments: [
      (["files.home": "/var/files"], "write s3://bucket or s3://bucket/prefix"),
      (["files.home": "s3://"], "s3://bucket"), (["files.home": "s3://Photos"], "s3://bucket"),
      (["files.home": "s3://photos//a"], "s3://bucket"), (["files.home": "s3://photos/../a"], "s3://bucket"),
      (["files.home": "s3://photos", "s3.region": "a"], "s3.secret.access.key"),
      (["files.home": "s3://photos", "s3.access.key.id": "a", "s3.secret.access.key": "b"], "s3.region"),
      (["files.home": "s3://photos", "s3.endpoint": "photos.example.com"], "s3.endpoint"),
      (["files.home": "s3://photos", "s3.endpoint": "https://example.com/?photos"], "s3.endpoint"),
      (["files.home": "s3://photos", "s3.endpoint": "http://a", "files.size": "9000000000"], "files.size"),
      (["files.trash.days": "0"], "files.trash.days"),
    ])
  func badBucket(_ flags: [String: String], _ words: String) async throws {
    let error = await #expect(throws: SetupError.self) {
      try await LoadedSettings(flags: flags, file: nil, environment: [:])
    }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
  }

  @Test("each key is declared once, and under a heading")
  func keys() {
    let declared = LoadedSettings.declared
    #expect(Set(declared.map(\.key)).count == declared.count)
    #expect(declared.allSatisfy { !$0.section.isEmpty && !$0.help.isEmpty })
  }

  @Test("each default is a value that can be written", arguments: LoadedSettings.declared.map(\.key))
  func defaults(_ key: String) throws {
    let standard = try #require(LoadedSettings.declared.first { $0.key == key })
    let read = try LoadedSettings([key: WrittenSetting(standard.value, from: "a test")])
    #expect(read.list.first { $0.key == key }?.value == standard.value)
  }

  @Test("only settings of the domain and the log's level can change while a server runs")
  func live() {
    let domain = SettingsReader.read { Settings() }.settings.map(\.key)
    for setting in LoadedSettings.declared where setting.isLive {
      #expect(domain.contains(setting.key) || setting.key == "log.level")
    }
  }

  @Test("a reload applies settings that can change, and keeps the others until a restart")
  func reload() async throws {
    func load(_ port: String, _ days: String) async throws -> LoadedSettings {
      try await LoadedSettings(flags: ["port": port, "audit.days": days], file: nil, environment: [:])
    }
    let (now, next) = (try await load("1", "2"), try await load("3", "4"))
    let changes = now.changes(to: next)
    #expect(changes.map { "\($0.setting.key): \($0.words)" } == ["audit.days: 2 -> 4", "port: 1 -> 3"])
    let taken = try now.taking(changes, of: next)
    #expect(taken.settings.port == 1 && taken.settings.audit.days == 4)
  }
}
