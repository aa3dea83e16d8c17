import MadangCore
import MadangDevelopment
import MadangOperations

/// How clients reach the server.
enum SetupFront: Equatable {
  /// The server itself, with a certificate that it orders. Nil: Let's Encrypt.
  /// - Parameter roots: The file with the roots of a private authority.
  case certificate(directory: String?, roots: String?)
  /// A proxy with TLS at this address.
  case proxy(address: String)
}

/// The settings that setup wants, and how they differ from the file.
struct SetupPlan {
  struct Change: Equatable {
    let key: String
    /// Nil: the setting is absent.
    let former: JSONValue?
    let new: JSONValue?
    /// Whether the operator wrote the former value: then it is changed only with consent.
    let isOperators: Bool

    /// Without secrets.
    var words: String {
      func shown(_ value: JSONValue?) -> String {
        value?.settingText.map { SetupPlan.secrets.contains(key) ? "***" : $0 } ?? "nothing"
      }
      return former == nil ? "\(key) = \(shown(new))" : "\(key) = \(shown(new)), before: \(shown(former))"
    }
  }

  let changes: [Change]
  /// The file with the changes.
  let file: SettingsFile

  var conflicts: [Change] { changes.filter(\.isOperators) }

  static let secrets: Set<String> = ["mail.password"]
  /// The settings of the package. They are no decision of an operator.
  private static let packaged = [
    "host": "127.0.0.1", "port": "8080", "data": "/var/lib/madang", "trusted.proxies": "127.0.0.1",
  ]
  /// Settings that the questions are about: their answers are the operator's consent.
  private static let asked: Set<String> = [
    "registration", "registration.domains", "web.name", "web.chat", "web.admin", "mail.smtp", "mail.user",
    "mail.password", "mail.password.file", "mail.from", "alarms.to", "tls.acme.email",
  ]

  /// - Parameter record: What an earlier setup wrote.
  init(
    _ name: String, _ answers: SetupAnswers, _ front: SetupFront, hasIPv6: Bool, file: SettingsFile,
    record: SetupRecord?
  ) {
    var wanted: [(key: String, value: JSONValue?)] = Self.wanted(by: answers, file)
    wanted.append(("public.url", .text("https://\(name)")))
    if file["data"] == nil { wanted.append(("data", .text("/var/lib/madang"))) }
    wanted += Self.wanted(by: front, name, answers, hasIPv6: hasIPv6, file)

    var (changed, changes) = (file, [Change]())
    for (key, value) in wanted where file.text(key) != value?.settingText {
      let former = file[key]
      let isOperators =
        former != nil && !Self.asked.contains(key) && former?.settingText != Self.packaged[key]
        && !(record?.wrote(key, former) ?? false)
      changes.append(Change(key: key, former: former, new: value, isOperators: isOperators))
      changed[key] = value
    }
    (self.changes, self.file) = (changes.sorted { $0.key < $1.key }, changed)
  }

  private static func wanted(by answers: SetupAnswers, _ file: SettingsFile) -> [(String, JSONValue?)] {
    var wanted: [(String, JSONValue?)] = [
      ("registration", .text(answers.registration.rawValue)), ("web.chat", .flag(answers.hasChat)),
      ("web.admin", .flag(answers.hasConsole)),
    ]
    if answers.registration == .domain { wanted.append(("registration.domains", .text(answers.domains))) }
    if !["", "Madang"].contains(answers.title) || file["web.name"] != nil {
      wanted.append(("web.name", .text(answers.title)))
    }
    if let mail = answers.mail {
      wanted += [("mail.smtp", .text(mail.server)), ("mail.from", .text(mail.sender))]
      wanted += [("mail.user", mail.user), ("mail.password", mail.password)].map {
        ($0, $1.isEmpty ? nil : JSONValue.text($1))
      }
      if !mail.password.isEmpty { wanted.append(("mail.password.file", nil)) }
      if !answers.email.isEmpty { wanted.append(("alarms.to", .text(answers.email))) }
    } else if file["mail.smtp"] != nil {
      wanted += ["mail.smtp", "mail.from", "mail.user", "mail.password", "mail.password.file", "alarms.to"].map {
        ($0, nil)
      }
    }
    return wanted
  }

  /// The port for a proxy: the one of the file, unless that is the port of clients.
  static func portBehindProxy(_ file: SettingsFile) -> Int {
    file.text("port").flatMap(Int.init).flatMap { $0 == 443 ? nil : $0 } ?? 8080
  }

  private static func wanted(
    by front: SetupFront, _ name: String, _ answers: SetupAnswers, hasIPv6: Bool, _ file: SettingsFile
  ) -> [(String, JSONValue?)] {
    let everywhere = JSONValue.text(hasIPv6 ? "::" : "0.0.0.0")
    switch front {
    case .certificate(let directory, let roots):
      // One of several names is as good.
      let names = file.text("tls.acme")?.split(separator: ",").map { $0.trimmingPrefix(" ") } ?? []
      var wanted: [(String, JSONValue?)] = [
        ("host", file.text("host") == "0.0.0.0" && hasIPv6 ? .text("0.0.0.0") : everywhere), ("port", .number(443)),
        ("tls.redirect.port", .number(80)),
        ("tls.acme", names.contains(name[...]) ? file["tls.acme"] : .text(name)), ("tls.cert", nil), ("tls.key", nil),
        ("tls.acme.email", answers.email.isEmpty ? nil : .text(answers.email)),
      ]
      if let directory { wanted.append(("tls.acme.directory", .text(directory))) }
      if let roots { wanted.append(("tls.acme.ca.file", .text(roots))) }
      if file.text("trusted.proxies") == packaged["trusted.proxies"] { wanted.append(("trusted.proxies", nil)) }
      return wanted
    case .proxy(let address):
      let ownHost = file["host"].flatMap { isLoopback($0.settingText ?? "") ? nil : $0 }
      return [
        ("host", isLoopback(address) ? .text("127.0.0.1") : ownHost ?? everywhere),
        ("port", .number(Double(portBehindProxy(file)))),
        ("trusted.proxies", .text(address)), ("tls.redirect.port", nil), ("tls.acme", nil),
      ]
    }
  }
}
