import MadangAPI
import MadangCore

/// An administrator of the console, with dates in wire format.
public struct AdministratorSummary: Encodable, Sendable {
  public let number: Int64
  public let name: String
  public let createdAt: String
  /// The last sign-in, and the network address of it.
  public let seenAt: String
  public let address: String
  /// When the password was set.
  public let passwordAt: String
  /// How many recovery codes were not used yet.
  public let recoveryCodes: Int

  package init(_ record: AdministratorRecord) {
    number = record.number
    name = record.name
    createdAt = WireDate.string(record.createdAt)
    seenAt = WireDate.string(record.seenAt)
    address = record.address
    passwordAt = WireDate.string(record.passwordAt)
    recoveryCodes = record.recoveryCodes
  }
}

/// An open link that adds an administrator. It cannot be read again.
public struct AdministratorLinkSummary: Encodable, Sendable {
  public let number: Int64
  /// An administrator's name, or the command.
  public let by: String
  public let expiresAt: String

  package init(_ link: AdministratorLink) {
    (number, by, expiresAt) = (link.number, link.by, WireDate.string(link.expiresAt))
  }
}

/// A link that adds an administrator, once.
public struct NewAdministratorLink: Encodable, Sendable {
  public let link: String
  public let expiresAt: String

  package init(_ made: (token: String, link: AdministratorLink), _ settings: ServerSettings) {
    link = "\(settings.consoleURL)#setup=\(made.token)"
    expiresAt = WireDate.string(made.link.expiresAt)
  }
}

extension ServerSettings {
  /// Where the administrator's console is, as far as the settings say.
  var consoleURL: String {
    let local = "\(tls.isUsed ? "https" : "http")://127.0.0.1:\(port)"
    return "\(domain.publicURL.isEmpty ? local : domain.publicURL)/admin/"
  }
}

extension Administration {
  /// Makes a link for a new administrator of the console: 30 minutes, for one use.
  public func makeAdministratorLink() async throws -> NewAdministratorLink {
    guard settings.web.admin.isOn else {
      throw AdministrationError(
        description: """
          the administrator's console is off: set web.admin to true, restart the server, and give this command the same settings \
          (--config or the environment)
          """)
    }
    return NewAdministratorLink(try await madang.makeAdministratorLink(byOperator: administrator), settings)
  }

  /// Administrators of the console, in the order of their numbers.
  public func administrators() async throws -> [AdministratorSummary] {
    try await madang.administrators().map { AdministratorSummary($0) }
  }

  /// Links that can still add one, the oldest first.
  public func administratorLinks() async throws -> [AdministratorLinkSummary] {
    try await madang.administratorLinks().map { AdministratorLinkSummary($0) }
  }

  /// Removes an administrator of the console, also the last one; their sessions end.
  public func removeAdministrator(_ name: String) async throws -> AdministratorSummary {
    AdministratorSummary(try await madang.removeAdministrator(named: name, byOperator: administrator))
  }
}
