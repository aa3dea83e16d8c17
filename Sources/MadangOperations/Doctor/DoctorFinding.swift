/// What `madang doctor` has found.
public struct DoctorFinding: Encodable, Hashable, Sendable {
  public enum Severity: String, Encodable, Sendable {
    /// It works, and may hurt one day.
    case warning
    /// People, or their data, are harmed or in danger now.
    case error
  }

  public let check: DoctorCheck
  public let severity: Severity
  /// What is wrong, with the place where it is.
  public let message: String
  /// What whoever hosts can do about it.
  public let cure: String

  public init(_ check: DoctorCheck, _ severity: Severity, _ message: String, cure: String) {
    (self.check, self.severity, self.message, self.cure) = (check, severity, message, cure)
  }
}

/// What the doctor looks at. The names are told to other programs: they never change.
public enum DoctorCheck: String, CaseIterable, Encodable, Sendable {
  // From inside.
  case settings, settingsPrivacy, unknownVariables, development, developmentKeys, passwordHashing, passwordTries
  case registration, socketAccess, trustedProxies, publicURL, plainHTTP, cleartext, uploadLimit, operationsListener,
    auditRefusals
  case testPayments
  case auditFile, dataDirectory, dataPrivacy, diskSpace, diskInodes, writeAheadLog, certificate, certificateKey
  case pushAccount, database, databaseFile, databaseIntegrity, databaseDurability, databaseConnections, files, backup
  case readOnlyMode, futureChats, revokedKeys
  // From outside.
  case providers, mailServer, connection, tlsTrust, tlsExpiry, tlsVersion, answer, readiness, clock, metricsReachable,
    developmentReachable
  case polling, webSocket, uploadThroughProxy, proxyTrust, proxyAddress, proxyForgery, proxyScheme, proxyHost
  case openFiles

  /// What a finding of it is about.
  public var words: String {
    switch self {
    case .settings: "mistakes in settings"
    case .settingsPrivacy: "a settings file that everybody on the machine can read"
    case .unknownVariables: "variables MADANG_... that are no settings"
    case .development: "development mode where others reach the server"
    case .developmentKeys: "API keys that everybody knows"
    case .passwordHashing: "passwords that are cheap to guess from a stolen database"
    case .passwordTries: "passwords that may be tried without a limit"
    case .registration: "a public server where everybody may make an account"
    case .socketAccess: "sockets that everybody may listen to"
    case .trustedProxies: "networks of proxies that are too large"
    case .publicURL: "links for people that lead elsewhere, or in the clear"
    case .plainHTTP: "passwords and tokens in the clear"
    case .cleartext: "mails or files that travel in the clear"
    case .uploadLimit: "limits of requests below those of files"
    case .operationsListener: "metrics and development calls for other machines"
    case .auditRefusals: "an audit log without failed sign-ins"
    case .testPayments: "payments that cost nothing and count"
    case .auditFile: "an audit file that cannot be written"
    case .dataDirectory: "a data directory that is not there, or another user's"
    case .dataPrivacy: "data and secrets that every user of the machine can read or exchange"
    case .diskSpace: "a disk that is nearly full"
    case .diskInodes: "a disk that can hold hardly any more files"
    case .writeAheadLog: "a write-ahead log that is not emptied"
    case .certificate: "a certificate that cannot be used, or ends"
    case .certificateKey: "a private key that everybody on the machine can read"
    case .pushAccount: "a Firebase account that cannot be read, or by everybody"
    case .database: "a database that does not open, or is of another version"
    case .databaseFile: "a server that has another database file open"
    case .databaseIntegrity: "damage in the embedded database (with --deep)"
    case .databaseDurability: "a PostgreSQL that may lose what it has confirmed"
    case .databaseConnections: "a PostgreSQL with too few connections"
    case .files: "files that are not the database's, or a bucket that does not answer"
    case .backup: "no backup for too long"
    case .readOnlyMode: "read-only mode that is on"
    case .futureChats: "chats that a wrong clock has dated in the future"
    case .revokedKeys: "files of API keys that were revoked"
    case .providers: "providers that the server cannot reach"
    case .mailServer: "a mail server that does not let the server in"
    case .connection: "a name or port that does not lead to the server"
    case .tlsTrust: "a certificate that clients do not believe"
    case .tlsExpiry: "a certificate that ends within 14 days"
    case .tlsVersion: "TLS 1.0 and 1.1"
    case .answer: "an answer that is not the server's"
    case .readiness: "a server that says it cannot work"
    case .clock: "clocks that differ"
    case .metricsReachable: "metrics that everybody can read"
    case .developmentReachable: "development calls that others reach"
    case .polling: "long-polling that a proxy disturbs"
    case .webSocket: "WebSockets that a proxy disturbs"
    case .uploadThroughProxy: "a proxy that refuses large files"
    case .proxyTrust: "a proxy that the server is not told of"
    case .proxyAddress: "a proxy that does not say for whom it calls"
    case .proxyForgery: "addresses that clients can make up"
    case .proxyScheme: "a proxy that does not say that clients come by TLS"
    case .proxyHost: "a proxy that changes the name clients call"
    case .openFiles: "fewer open files than connections"
    }
  }
}
