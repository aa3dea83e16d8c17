import MadangAPI
import MadangCore

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
  public var name = setting("web.name", "Madang", .text, "name of this installation on its pages")

  public init() {}
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

  package var pageSignUp: PageSignUp { web.signUp ?? (isDevelopment ? .open : .invitation) }

  /// Problems of these settings, each with a cure.
  func webProblems() -> [String] {
    var problems: [String] = []
    if web.chat == true && !hasWebChat {
      problems.append(
        "web.chat: the chat for browsers needs edition 2024-10; set web.chat to false, or leave out --edition")
    }
    if !(1...30).contains(web.name.count) {
      problems.append("web.name: '\(web.name)' must have 1 to 30 characters")
    }
    return problems
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
