import Foundation
import MadangAPI
import MadangCore
import MadangProviders

/// Pages for browsers.
public struct WebSettings: Sendable {
  /// Nil: in development mode only.
  public var chat: Bool? = setting(
    "web.chat", nil, .flagOrNone,
    "whether the chat for browsers is at /; it needs edition 2024-10; empty: in development mode only")
  /// Nil: open in development mode, else by invitation.
  public var signUp: PageSignUp? = setting(
    "web.signup", nil, .pageSignUp,
    "who may create an account in the chat for browsers, as far as registration allows it: invitation, open or off; empty: "
      + "open in development mode, else invitation")
  public var name = setting(
    "web.name", "", .text,
    "name of this installation on its pages and in its mails; empty for mail.name, or else Madang")
  /// As written; the pages use ``Accent``.
  public var colour = setting(
    "web.colour", "", .colour,
    "colour of buttons and links on pages and in mails, like #2d6389, made darker or lighter until it can be read; empty for "
      + "persimmon")
  public var language = setting(
    "web.language", PageLanguage.auto, .word,
    "language of the pages of links, of mails, and of the chat until its reader chooses: auto (the reader's, or else "
      + "English), ko or en")
  public var admin = AdminConsoleSettings()

  public init() {}
}

/// The administrator's console.
public struct AdminConsoleSettings: Sendable {
  public var isOn = setting(
    "web.admin", false, .flag,
    "whether the administrator's console is at /admin/; 'madang admin web' prints the link for the first administrator")
  public var showsContent = setting(
    "web.admin.content", false, .flag, "whether administrators may read texts of chats in the console")
  /// Empty: all.
  public var addresses: [IPNetwork] = setting(
    "web.admin.addresses", [], .networks,
    "addresses and networks that may use the administrator's console: 10.0.0.1,fd00::/8; empty for all")
  public var idleMinutes = setting(
    "web.admin.idle", 30, .integer(1...720), "minutes without activity after which an administrator is signed out")
  public var backups = AdminBackupSettings()

  public init() {}
}

/// Backups that the server makes itself.
public struct AdminBackupSettings: Sendable {
  /// Empty: it makes none.
  public var directory = setting(
    "web.admin.backups", "", .text,
    "directory for backups that the server makes when an administrator asks for one in the console; empty for none")
  /// Nil: only then.
  public var at: TimeOfDay? = setting(
    "web.admin.backups.at", nil, .timeOfDay,
    "time of the day, like 03:00, at which the server with the console makes a backup by itself; empty for never")
  public var keep = setting(
    "web.admin.backups.keep", 14, .integer(1...10_000), "backups to keep in web.admin.backups, the newest ones")

  public init() {}
}

/// The language of pages of links and of mails.
public enum PageLanguage: String, CaseIterable, Sendable {
  /// What the reader's program accepts.
  case auto
  case korean = "ko"
  case english = "en"
}

/// Who may create an account on pages: no API key protects them.
public enum PageSignUp: String, CaseIterable, Sendable {
  /// Owners of invited addresses, and people with the code of an invitation.
  case invitation
  /// The settings of registration decide.
  case open
  case off
}

extension ServerSettings {
  /// Whether the chat for browsers is on.
  package var hasWebChat: Bool { (web.chat ?? isDevelopment) && [nil, .october2024].contains(edition) }

  /// How this installation shows itself to people.
  package var face: Face {
    var face = Face()
    face.name = [web.name, mail.name].first { !$0.isEmpty } ?? face.name
    face.accent = RGB(web.colour).map(Accent.init)
    face.language = Language(rawValue: web.language.rawValue)
    return face
  }

  /// The sender's name of mails.
  package var senderName: String { mail.name.isEmpty ? face.name : mail.name }

  package var pageSignUp: PageSignUp { web.signUp ?? (isDevelopment ? .open : .invitation) }

  /// Problems of these settings, each with a cure.
  func webProblems() -> [String] {
    var problems: [String] = []
    if web.chat == true && !hasWebChat {
      problems.append(
        "web.chat: the chat for browsers needs edition 2024-10; set web.chat to false, or leave out --edition")
    }
    if web.name.count > 30 || !web.name.isEmpty && web.name.allSatisfy(\.isWhitespace) {
      problems.append("web.name: '\(web.name)' must have 1 to 30 characters")
    }
    let backups = web.admin.backups
    if !backups.directory.isEmpty, URL(filePath: backups.directory).isWithin(dataDirectory) {
      problems.append("web.admin.backups: \(backups.directory) is in the data directory; name a directory elsewhere")
    }
    if backups.directory.isEmpty, backups.at != nil {
      problems.append("web.admin.backups.at: needs a directory; set web.admin.backups")
    }
    return problems
  }
}

extension SettingForm where Value == String {
  fileprivate static var colour: Self {
    Self(
      "write a colour like #2d6389, or leave it out", read: { $0.isEmpty || RGB($0) != nil ? $0 : nil }, write: { $0 })
  }
}

extension SettingForm where Value == PageSignUp? {
  fileprivate static var pageSignUp: Self {
    Self(
      "write invitation, open or off, or leave it out",
      read: { text in
        guard !text.isEmpty else { return .some(nil) }
        return PageSignUp(rawValue: text)
      }, write: { $0?.rawValue ?? "" })
  }
}

extension ServerSettings {
  /// The directory in which the server makes backups; nil if it makes none.
  var backupPlace: BackupPlace? {
    let directory = web.admin.backups.directory
    return directory.isEmpty ? nil : BackupPlace(URL(filePath: directory), data: dataDirectory)
  }
}
