import ArgumentParser
import Foundation
import MadangCore
import MadangDevelopment
import Synchronization
import Testing

@testable import madang

/// A machine in a folder: files of the package, a `/proc`, and a systemd that remembers its calls.
private final class FolderMachine: Sendable {
  let root: URL
  private let systemd = Mutex(Systemd())

  private struct Systemd {
    var calls: [String] = []
    var enabled: Set<String> = ["madang.service"]
    var isActive = true
    var refusesStart = false
    var log = "madang[7]: port 443 is in use"
  }

  static let packaged = """
    {
      "host": "127.0.0.1",
      "port": 8080,
      "data": "/var/lib/madang",
      "trusted": { "proxies": "127.0.0.1" }
    }

    """

  init(settings: String? = packaged) throws {
    root = FileManager.default.temporaryDirectory.appending(path: "madang-setup-\(UUID().uuidString)")
    for folder in ["etc/madang", "run/systemd/system", "var/lib/madang", "proc/net", "proc/sys/net/ipv6"] {
      try FileManager.default.createDirectory(at: root.appending(path: folder), withIntermediateDirectories: true)
    }
    try write("proc/net/if_inet6", "00000000000000000000000000000001 01 80 10 80 lo\n")
    try write("proc/meminfo", "MemTotal: 2000000 kB\n")
    if let settings { try write("etc/madang/madang.json", settings) }
  }

  deinit { try? FileManager.default.removeItem(at: root) }

  func write(_ path: String, _ text: String) throws {
    let file = root.appending(path: path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  func read(_ path: String) -> String? { try? String(contentsOf: root.appending(path: path), encoding: .utf8) }
  var settings: String? { read("etc/madang/madang.json") }
  func file() throws -> SettingsFile { try SettingsFile(Data((settings ?? "").utf8)) }

  /// What systemctl was called with since the last call, without questions.
  var changes: [String] {
    systemd.withLock { systemd in
      defer { systemd.calls = [] }
      return systemd.calls.filter { call in ["cat", "show", "is-"].allSatisfy { !call.hasPrefix("systemctl " + $0) } }
        .filter { $0.hasPrefix("systemctl") }
    }
  }

  func refuseStart() { systemd.withLock { $0.refusesStart = true } }

  var machine: Machine {
    Machine(
      root: root.path, isRoot: true, run: { self.run($0) }, addresses: { ["192.0.2.7", "2001:db8::7"] },
      now: { .now })
  }

  private func run(_ arguments: [String]) -> Machine.Outcome {
    systemd.withLock { systemd in
      systemd.calls.append(arguments.joined(separator: " "))
      func outcome(_ isSuccess: Bool, _ text: String = "") -> Machine.Outcome {
        .init(status: isSuccess ? 0 : 1, text: text)
      }
      if arguments[0] == "getent" { return Self.getent(arguments) }
      guard arguments[0] == "systemctl" else {
        return outcome(true, arguments[0] == "timedatectl" ? "yes\n" : systemd.log)
      }
      let unit = arguments[arguments.count - 1]
      switch arguments[1] {
      case "cat": return outcome(true, "ExecStart=madang serve --config /etc/madang/madang.json")
      case "show": return outcome(true, "\(NSUserName())\n")
      case "is-enabled": return outcome(systemd.enabled.contains(unit))
      case "is-active": return outcome(systemd.isActive)
      case "enable": systemd.enabled.insert(unit)
      case "disable": systemd.enabled.remove(unit)
      case "restart": return outcome(!systemd.refusesStart)
      default: break
      }
      return outcome(true)
    }
  }

  /// What getent prints of the names in DNS.
  private static func getent(_ arguments: [String]) -> Machine.Outcome {
    let names = [
      "chat.example.com.": (four: "192.0.2.7", six: "2001:db8::7"), "other.example.com.": (four: "192.0.2.9", six: ""),
      "half.example.com.": (four: "192.0.2.7", six: "2001:db8::9"), "inner.example.com.": (four: "127.0.1.1", six: ""),
    ]
    guard arguments[1...2] == ["-s", "dns"], let name = names[arguments[4]] else { return .init(status: 2, text: "") }
    let lines =
      arguments[3] == "hosts"
      ? "\(name.six.isEmpty ? name.four : name.six)     \(arguments[4])\n"
      : "\(name.four)       STREAM \(arguments[4])\n\(name.four)       DGRAM  \n"
    return .init(status: 0, text: lines)
  }

  func setup(
    _ name: String = "chat.example.com", _ front: SetupFront = .certificate(directory: nil, roots: nil),
    prompter: Prompter? = nil, skipsDNS: Bool = false, isForced: Bool = false
  ) -> Setup {
    Setup(
      machine: machine, name: name, front: front, roots: nil, options: .init(skipsDNS: skipsDNS, isForced: isForced),
      prompter: prompter, say: { _ in })
  }

  /// Sets up with the defaults, apart from these flags, to the end.
  @discardableResult
  func setUp(_ setup: Setup? = nil, _ flags: String...) throws -> Bool {
    let setup = setup ?? self.setup()
    let isChanged = try setup.apply(try setup.prepare(answers: try AnswerOptions.parse(flags), takesDefaults: true))
    var record = try OpenSetupRecord(machine)
    try record?.end()
    return isChanged
  }
}

/// A person who types these lines, and what was shown to them.
private final class Typist: Sendable {
  private let state: Mutex<(rest: ArraySlice<String>, seen: [String])>

  init(_ lines: [String]) { state = Mutex((lines[...], [])) }

  var seen: [String] { state.withLock(\.seen) }

  var prompter: Prompter {
    Prompter(
      line: { question in self.answer(question) }, secret: { question in self.answer(question) ?? "" },
      say: { words in self.state.withLock { $0.seen.append(words) } })
  }

  private func answer(_ question: String) -> String? {
    state.withLock {
      $0.seen.append(question)
      return $0.rest.popFirst()
    }
  }
}

private func failure(_ body: () throws -> Void) -> String {
  do {
    try body()
    return ""
  } catch let failure as madang.Failure { return failure.message } catch { return "\(error)" }
}

@Suite("madang setup: the machine")
struct SetupTests {
  @Test("a package becomes a server with a certificate; the second time nothing changes")
  func fresh() throws {
    let folder = try FolderMachine()
    #expect(try folder.setUp(nil, "--email", "me@example.com", "--title", "Persimmon house"))
    let file = try folder.file()
    let expected = [
      "host": "::", "port": "443", "tls.redirect.port": "80", "tls.acme": "chat.example.com",
      "tls.acme.email": "me@example.com", "public.url": "https://chat.example.com", "data": "/var/lib/madang",
      "registration": "invite", "web.chat": "true", "web.admin": "true", "web.name": "Persimmon house",
    ]
    #expect(file.written(from: "").mapValues(\.text) == expected)
    #expect(
      folder.changes == [
        "systemctl enable --quiet --now madang-backup.timer", "systemctl restart madang.service",
      ])
    #expect(FileManager.default.fileExists(atPath: folder.root.appending(path: "var/backups/madang").path))
    #expect(folder.read("etc/madang/madang.json.before-setup") == FolderMachine.packaged)

    let before = folder.settings
    #expect(try !folder.setUp())
    #expect(folder.settings == before && folder.changes == [])
  }

  @Test("settings that the operator wrote stay; one that must change is changed only with consent")
  func consent() throws {
    let own = #"{"host": "127.0.0.1", "port": 8443, "socket": {"access": "cookie"}, "tls": {"cert": "a", "key": "b"}}"#
    let folder = try FolderMachine(settings: own)
    let refused = failure { try folder.setUp() }
    #expect(refused.contains("port = 443, before: 8443") && refused.contains("tls.cert = nothing, before: a"))
    #expect(refused.contains("--force") && folder.settings == own && folder.changes == [])
    #expect(folder.read("etc/madang/setup.json") == nil)

    let person = Typist(["", "", "", "", "", "", "n"])
    let no = folder.setup(prompter: person.prompter)
    #expect(
      failure { _ = try no.prepare(answers: try AnswerOptions.parse([]), takesDefaults: false) }
        == "nothing was changed")
    #expect(person.seen.last?.contains("You set port yourself") == true && folder.settings == own)

    #expect(try folder.setUp(folder.setup(isForced: true)))
    let file = try folder.file()
    #expect(file.text("port") == "443" && file.text("socket.access") == "cookie" && file["tls.cert"] == nil)
  }

  @Test("--undo puts the former file back to the byte, and disables what was enabled")
  func undo() throws {
    let folder = try FolderMachine()
    try folder.setUp()
    _ = folder.changes
    let undo = try #require(try SetupUndo(folder.machine))
    #expect(undo.words.contains { $0.hasPrefix("put the former ") } && undo.kept == [])
    try undo.run { _ in }
    #expect(folder.settings == FolderMachine.packaged)
    #expect(
      folder.changes == [
        "systemctl disable --quiet --now madang-backup.timer", "systemctl restart madang.service",
      ])
    for path in ["etc/madang/setup.json", "etc/madang/madang.json.before-setup", "var/backups/madang"] {
      #expect(!FileManager.default.fileExists(atPath: folder.root.appending(path: path).path), "\(path)")
    }
    #expect(try SetupUndo(folder.machine) == nil)
  }

  @Test("--undo keeps what the operator changed since, and backups")
  func undoKeeps() throws {
    let folder = try FolderMachine()
    try folder.setUp()
    var file = try folder.file()
    file["registration"] = .text("open")
    file["socket.access"] = .text("cookie")
    try folder.write("etc/madang/madang.json", String(decoding: try file.bytes, as: UTF8.self))
    try folder.write("var/backups/madang/2026-11-29/manifest", "")
    let undo = try #require(try SetupUndo(folder.machine))
    #expect(undo.kept == ["registration"])
    try undo.run { _ in }
    let written = try folder.file().written(from: "").mapValues(\.text)
    #expect(
      written == [
        "host": "127.0.0.1", "port": "8080", "data": "/var/lib/madang", "trusted.proxies": "127.0.0.1",
        "registration": "open", "socket.access": "cookie",
      ])
    #expect(folder.read("var/backups/madang/2026-11-29/manifest") == "")
  }

  @Test("a setup that ended after its work, but before it printed the results, is finished by the next one")
  func killedLate() throws {
    let folder = try FolderMachine()
    let setup = folder.setup()
    _ = try setup.apply(try setup.prepare(answers: try AnswerOptions.parse([]), takesDefaults: true))
    _ = folder.changes
    let again = try setup.prepare(answers: try AnswerOptions.parse([]), takesDefaults: true)
    #expect(again.isResumed)
    #expect(try setup.apply(again))
    #expect(folder.changes == ["systemctl restart madang.service"])
    let begun = try #require(folder.read("etc/madang/setup.json"))
    var record = try OpenSetupRecord(folder.machine)
    try record?.end()
    #expect(folder.read("etc/madang/setup.json") == begun.replacing("begun", with: "ended"))
    #expect(try !folder.setUp() && folder.changes == [])
  }

  @Test("another answer later is setup's own to change, and --undo still goes back to the beginning")
  func again() throws {
    let folder = try FolderMachine()
    try folder.setUp()
    #expect(try folder.setUp(folder.setup(skipsDNS: true), "--registration", "open"))
    #expect(try folder.file().text("registration") == "open")
    try folder.setUp(folder.setup("other.example.com", skipsDNS: true))
    #expect(try folder.file().text("tls.acme") == "other.example.com")
    try #require(try SetupUndo(folder.machine)).run { _ in }
    #expect(folder.settings == FolderMachine.packaged)
  }

  @Test("behind a proxy the server keeps its port on this machine")
  func proxy() throws {
    let folder = try FolderMachine()
    try folder.setUp(folder.setup("elsewhere.example.com", .proxy(address: "127.0.0.1")))
    let file = try folder.file()
    #expect(file.text("host") == "127.0.0.1" && file.text("port") == "8080" && file["tls.acme"] == nil)
    #expect(file.text("public.url") == "https://elsewhere.example.com" && file.text("trusted.proxies") == "127.0.0.1")
    let far = try FolderMachine()
    try far.setUp(far.setup("elsewhere.example.com", .proxy(address: "192.0.2.1")))
    #expect(try far.file().text("host") == "::" && far.file().text("trusted.proxies") == "192.0.2.1")
  }

  @Test("the password of the mail server is in the settings, and not in the record")
  func secrets() throws {
    let folder = try FolderMachine()
    try folder.write("password", "hidden-word\n")
    try folder.setUp(
      nil, "--smtp", "smtp://mail.example.com:587", "--mail-from", "chat@example.com", "--mail-user", "chat",
      "--mail-password-file", folder.root.appending(path: "password").path, "--email", "me@example.com")
    #expect(folder.settings?.contains("hidden-word") == true)
    #expect(folder.read("etc/madang/setup.json")?.contains("hidden-word") == false)
    #expect(try folder.file().text("alarms.to") == "me@example.com")
    #expect(try !folder.setUp())
    try #require(try SetupUndo(folder.machine)).run { _ in }
    #expect(folder.settings == FolderMachine.packaged)
  }

  @Test("the terms are those of the authority in the settings, also when no flag names it")
  func terms() throws {
    let folder = try FolderMachine(settings: #"{"tls.acme.directory": "https://ca.example.com/dir"}"#)
    let said = Mutex<[String]>([])
    let setup = Setup(
      machine: folder.machine, name: "chat.example.com", front: .certificate(directory: nil, roots: nil), roots: nil,
      options: .init(skipsDNS: false, isForced: false), prompter: nil,
      say: { text in said.withLock { $0.append(text) } })
    _ = try setup.prepare(answers: try AnswerOptions.parse([]), takesDefaults: true)
    let terms = said.withLock { $0.filter { $0.contains("terms of service") } }
    #expect(
      terms == [
        "With its certificate you agree to the terms of service of the authority of https://ca.example.com/dir."
      ])
  }

  @Test("a server that does not start: the reason is in the error, and --undo is possible")
  func notServing() throws {
    let folder = try FolderMachine()
    folder.refuseStart()
    let error = #expect(throws: SetupWork.NotServing.self) { try folder.setUp() }
    #expect(error?.words == "madang[7]: port 443 is in use")
    #expect(try SetupUndo(folder.machine) != nil)
  }

  @Test("settings with which a server would not start are not written")
  func invalid() throws {
    let folder = try FolderMachine(settings: #"{"host": "127.0.0.1", "audit.days": "many"}"#)
    let words = failure { try folder.setUp() }
    #expect(words.contains("audit.days") && words.contains("nothing was changed"), "\(words)")
    #expect(folder.read("etc/madang/setup.json") == nil && folder.changes == [])
  }
}

@Suite("madang setup: checks")
struct SetupChecksTests {
  private func problems(_ folder: FolderMachine, _ change: (inout Machine) -> Void = { _ in }) -> [SetupProblem] {
    var machine = folder.machine
    change(&machine)
    return SetupChecks(machine: machine, front: .certificate(directory: nil, roots: nil), file: SettingsFile())
      .problems()
  }

  @Test("a machine that is right has no problem")
  func right() throws {
    #expect(problems(try FolderMachine()).filter { !$0.words.contains("of the disk") } == [])
  }

  @Test("root, systemd, the service and the clock are needed; each problem has its cure")
  func needs() throws {
    let folder = try FolderMachine()
    #expect(problems(folder) { $0.isRoot = false }.first?.cure.contains("sudo") == true)
    #expect(
      problems(folder) { $0.now = { Date(timeIntervalSince1970: 0) } }.contains { $0.words.contains("too early") })
    let unknown = problems(folder) { machine in
      machine.run = { _ in Machine.Outcome(status: 1, text: "No files found") }
    }
    #expect(unknown.contains { $0.words.contains("no madang.service") && $0.cure.contains("apt install") })
    try FileManager.default.removeItem(at: folder.root.appending(path: "run"))
    #expect(problems(folder).contains { $0.words.contains("systemd does not run") })
  }

  @Test("a port that another program holds is named with the program; madang's own is right")
  func ports() throws {
    let folder = try FolderMachine()
    let head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
    func line(_ port: String, _ state: String, _ socket: Int) -> String {
      "   0: 00000000:\(port) 00000000:0000 \(state) 00000000:00000000 00:00000000 00000000     0        0 \(socket) 1 0\n"
    }
    try folder.write("proc/net/tcp", head + line("0050", "0A", 71) + line("01BB", "01", 72) + line("01BB", "0A", 73))
    try folder.write("proc/812/comm", "nginx\n")
    try folder.write("proc/813/comm", "madang\n")
    for (process, socket) in [(812, 71), (813, 73)] {
      let fd = folder.root.appending(path: "proc/\(process)/fd")
      try FileManager.default.createDirectory(at: fd, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: fd.appending(path: "5").path, withDestinationPath: "socket:[\(socket)]")
    }
    #expect(folder.machine.holder(of: 443) == PortHolder(name: "madang", process: 813))
    #expect(folder.machine.holder(of: 8080) == nil)
    let found = problems(folder).filter { $0.words.hasPrefix("port ") }
    #expect(found.map(\.words) == ["port 80 is held by nginx (process 812)"])
    #expect(found.first?.cure.contains("--behind-proxy 127.0.0.1") == true)
    let words = failure { try folder.setUp() }
    #expect(
      words.contains("nginx") && words.contains("Nothing was changed") && folder.settings == FolderMachine.packaged)
  }

  @Test("a name that leads elsewhere is a question, and an error without a terminal unless --skip-dns is given")
  func dns() throws {
    let folder = try FolderMachine()
    let words = failure { try folder.setUp(folder.setup("other.example.com")) }
    #expect(words.contains("192.0.2.9") && words.contains("192.0.2.7") && words.contains("--skip-dns"))
    #expect(failure { try folder.setUp(folder.setup("none.example.com")) }.contains("has no address"))
    #expect(try folder.setUp(folder.setup("none.example.com", skipsDNS: true)))
    let person = Typist([""])
    let no = folder.setup("other.example.com", prompter: person.prompter)
    #expect(
      failure { _ = try no.prepare(answers: try AnswerOptions.parse([]), takesDefaults: false) }
        == "nothing was changed")
    #expect(person.seen.last == "Go on all the same? [y/N] ")
  }

  private func dnsProblem(_ name: String, _ machine: Machine) -> String {
    SetupChecks(machine: machine, front: .certificate(directory: nil, roots: nil), file: SettingsFile())
      .dnsProblem(of: name)?.words ?? ""
  }

  @Test("DNS counts, and not the hosts file of this machine")
  func hostsFile() throws {
    let folder = try FolderMachine()
    try folder.write(
      "etc/hosts",
      "127.0.0.1 localhost\n127.0.1.1\tOther.example.com other\n192.0.2.7 none.example.com # x\n#127.0.1.2 none.example.com\n"
    )
    #expect(dnsProblem("chat.example.com", folder.machine) == "")
    #expect(
      dnsProblem("other.example.com", folder.machine)
        == "the name other.example.com has the address 192.0.2.9 in DNS, and this machine has 192.0.2.7, 2001:db8::7")
    #expect(
      dnsProblem("none.example.com", folder.machine)
        == "the name none.example.com has no address in DNS; 192.0.2.7 in this machine's /etc/hosts counts only on this machine"
    )
    #expect(dnsProblem("half.example.com", folder.machine).contains("has the address 2001:db8::9 in DNS"))
    #expect(dnsProblem("inner.example.com", folder.machine).contains("has the address 127.0.1.1 in DNS"))
  }

  @Test("systemd-resolved is asked for DNS alone: its own name server answers from the hosts file, too")
  func resolved() throws {
    let folder = try FolderMachine()
    try folder.write("etc/resolv.conf", "# systemd\nnameserver 127.0.0.53\noptions edns0\n")
    var machine = folder.machine
    machine.run = { arguments in
      guard arguments.starts(with: ["resolvectl", "query"]), arguments.contains("--synthesize=no") else {
        return .init(status: 0, text: "127.0.1.1 \(arguments.last ?? "")\n")
      }
      return arguments.last == "chat.example.com"
        ? .init(
          status: 0, text: "chat.example.com: 192.0.2.7 -- link: eth0\n  2001:db8::7 -- link: eth0\n  (a.example.net)\n"
        )
        : .init(status: 1, text: "none.example.com: Name 'none.example.com' not found\n")
    }
    #expect(dnsProblem("chat.example.com", machine) == "")
    #expect(
      dnsProblem("none.example.com", machine)
        == "the name none.example.com has no address in DNS (none.example.com: Name 'none.example.com' not found)")
  }

  @Test("a proxy on another machine is a warning: the server then listens without TLS")
  func farProxy() throws {
    func warnings(_ address: String) throws -> [String] {
      let checks = SetupChecks(
        machine: try FolderMachine().machine, front: .proxy(address: address), file: SettingsFile())
      return checks.problems().filter { $0.words.contains("without TLS") }.map(\.cure)
    }
    #expect(try warnings("127.0.0.1") == [] && warnings("10.0.0.5").first?.contains("firewall") == true)
  }

  @Test("little memory is a warning")
  func memory() throws {
    let folder = try FolderMachine()
    try folder.write("proc/meminfo", "MemTotal: 262144 kB\n")
    #expect(problems(folder).contains { $0.isWarning && $0.words.contains("256 MB") })
  }
}

@Suite("madang setup: questions")
struct SetupQuestionsTests {
  private func ask(_ lines: String..., flags: [String] = []) throws -> (answers: SetupAnswers, seen: [String]) {
    let person = Typist(lines)
    var answers = SetupAnswers()
    let options = try AnswerOptions.parse(flags)
    try options.apply(to: &answers)
    try answers.ask(person.prompter, except: options.answered, name: "chat.example.com")
    return (answers, person.seen)
  }

  @Test("empty lines take the defaults, which are in brackets")
  func defaults() throws {
    let (answers, seen) = try ask("", "", "", "", "", "")
    #expect(
      answers
        == {
          var all = SetupAnswers()
          all.title = "Madang"
          return all
        }())
    #expect(seen.filter { $0.hasSuffix(": ") || $0.hasSuffix("] ") }.count == 6)
    #expect(seen.contains("Name of this installation, for pages and mails [Madang]: "))
    #expect(seen.contains("Chat in the browser at https://chat.example.com/? [Y/n] "))
  }

  @Test("a wrong answer is asked again, with what to write")
  func again() throws {
    let (answers, seen) = try ask(
      "Persimmon house", "everyone", "domain", "", "example", "example.com", "me", "me@example.com", "mail.example.com",
      "smtp://mail.example.com:587", "chat@example.com", "chat", "secret", "maybe", "n", "y")
    #expect(answers.registration == .domain && answers.domains == "example.com" && answers.email == "me@example.com")
    #expect(
      answers.mail
        == MailAnswers(
          server: "smtp://mail.example.com:587", user: "chat", password: "secret", sender: "chat@example.com"))
    #expect(!answers.hasChat && answers.hasConsole)
    #expect(seen.contains("  write invite, domain or open") && seen.contains("  write y or n"))
    #expect(seen.contains { $0.hasPrefix("  ") && $0.contains("is not a mail address") })
  }

  @Test("what flags say is not asked")
  func flags() throws {
    let (answers, seen) = try ask(
      "", flags: ["--title", "Yard", "--registration", "open", "--email", "", "--no-mail", "--no-chat"])
    #expect(answers.registration == .open && answers.title == "Yard" && !answers.hasChat && answers.hasConsole)
    #expect(seen.count == 1 && seen[0].hasPrefix("Administrator's console"))
  }

  @Test("the end of the input changes nothing")
  func end() throws {
    #expect(failure { _ = try ask("Yard", "invite") }.contains("nothing was changed"))
  }

  @Test("without a terminal and without --yes the error names the flags that are missing")
  func noTerminal() throws {
    let folder = try FolderMachine()
    let words = failure {
      _ = try folder.setup().prepare(answers: try AnswerOptions.parse(["--no-mail"]), takesDefaults: false)
    }
    #expect(words.contains("--yes") && words.contains("--title, --registration, --email, --chat or --no-chat"))
    #expect(folder.settings == FolderMachine.packaged)
  }

  @Test(
    "names that cannot be served are refused",
    arguments: [
      "chat", "192.0.2.1", "2001:db8::1", "chat_.example.com", "-a.example.com", "채팅.example.com", "a..b", "",
    ])
  func names(_ name: String) { #expect(AnswerRules.problem(ofName: name) != nil) }

  @Test(
    "the URL of a page and a name with a final dot are names, too",
    arguments: [
      ("chat.example.com", "chat.example.com"), ("Chat.Example.com.", "chat.example.com"),
      ("https://chat.example.com", "chat.example.com"), ("http://chat.example.com/admin/", "chat.example.com"),
      ("https://chat.example.com:8443/", "chat.example.com:8443"), ("https://", ""), (".", ""), ("", ""),
    ])
  func urls(_ text: String, _ name: String) { #expect(AnswerRules.name(in: text) == name) }

  @Test("an address of an operator has a whole domain, or is on this machine")
  func addresses() {
    for right in ["", "kim@example.com", "root@localhost"] { #expect(AnswerRules.problem(ofEmail: right) == nil) }
    for wrong in ["kim@gmail", "kim", "@", "kim@"] { #expect(AnswerRules.problem(ofEmail: wrong) != nil) }
  }

  @Test("settings are edited where they are, nested or with dots; others stay")
  func editing() throws {
    var file = try SettingsFile(
      Data(
        #"{"web": {"name": "a", "admin.idle": 5}, "registration": "open", "tls": {"cert": "c"}, "limits.requests": 3}"#
          .utf8))
    #expect(file.text("web.admin.idle") == "5" && file.text("limits.requests") == "3" && file["web"] == nil)
    file["web.name"] = .text("b")
    file["registration.domains"] = .text("example.com")
    file["tls.cert"] = nil
    file["absent"] = nil
    let expected = try JSONDecoder().decode(
      [String: JSONValue].self,
      from: Data(
        #"""
        {"web": {"name": "b", "admin.idle": 5}, "registration": "open", "registration.domains": "example.com",
         "limits.requests": 3}
        """#.utf8))
    #expect(file.members == expected)
  }
}
