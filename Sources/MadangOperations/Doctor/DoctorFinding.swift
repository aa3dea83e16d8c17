/// A finding of `madang doctor`.
public struct DoctorFinding: Encodable, Hashable, Sendable {
  public enum Severity: String, Encodable, Sendable {
    /// It works now, but may cause trouble.
    case warning
    /// People, or their data, are harmed or in danger now.
    case error
  }

  public let check: DoctorCheck
  public let severity: Severity
  /// The problem, with its place.
  public let message: String
  /// What the operator can do about it.
  public let cure: String

  public init(_ check: DoctorCheck, _ severity: Severity, _ message: String, cure: String) {
    (self.check, self.severity, self.message, self.cure) = (check, severity, message, cure)
  }
}

/// The checks of the doctor. Other programs read the names: they never change.
public enum DoctorCheck: String, CaseIterable, Encodable, Sendable {
  // From inside.
  case settings, settingsPrivacy, unknownVariables, development, developmentKeys, passwordHashing, passwordTries
  case registration, socketAccess, trustedProxies, publicURL, plainHTTP, cleartext, uploadLimit, operationsListener,
    auditRefusals
  case testPayments
  case auditFile, dataDirectory, dataPrivacy, diskSpace, diskInodes, writeAheadLog, certificate, certificateKey
  case pushAccount, database, databaseFile, databaseIntegrity, databaseDurability, databaseConnections, files, backup
  case backupDirectory, mailQueue, readOnlyMode, futureChats, revokedKeys
  // From outside.
  case providers, mailServer, connection, tlsTrust, tlsExpiry, tlsVersion, answer, readiness, clock, metricsReachable,
    developmentReachable
  case polling, webSocket, uploadThroughProxy, proxyTrust, proxyAddress, proxyForgery, proxyScheme, proxyHost
  case openFiles

  /// The subject of its findings.
  public var words: String {
    switch self {
    case .settings: "mistakes in settings"
    case .settingsPrivacy: "a settings file that every user of the machine can read"
    case .unknownVariables: "variables MADANG_... that are not settings"
    case .development: "development mode where others reach the server"
    case .developmentKeys: "API keys that are public"
    case .passwordHashing: "passwords that are cheap to guess from a stolen database"
    case .passwordTries: "passwords that can be tried without a limit"
    case .registration: "a public server where anyone can create an account"
    case .socketAccess: "sockets that any client may listen to"
    case .trustedProxies: "networks of proxies that are too large"
    case .publicURL: "links for people that lead elsewhere or are without TLS"
    case .plainHTTP: "passwords and tokens without encryption"
    case .cleartext: "mails or files without encryption"
    case .uploadLimit: "a limit of requests below that of files"
    case .operationsListener: "metrics and development calls for other machines"
    case .auditRefusals: "an audit log without failed sign-ins"
    case .testPayments: "free test payments that count"
    case .auditFile: "an audit file that cannot be written"
    case .dataDirectory: "a data directory that is missing or belongs to another user"
    case .dataPrivacy: "data and secrets that every user of the machine can read or replace"
    case .diskSpace: "a disk that is nearly full"
    case .diskInodes: "a disk with almost no inodes left"
    case .writeAheadLog: "a write-ahead log that is not emptied"
    case .certificate: "a certificate that cannot be used or ends soon"
    case .certificateKey: "a private key that every user of the machine can read"
    case .pushAccount: "a Firebase account file that is unreadable, or readable for every user"
    case .database: "a database that does not open or has another version"
    case .databaseFile: "a server that has another database file open"
    case .databaseIntegrity: "damage in the embedded database (with --deep)"
    case .databaseDurability: "a PostgreSQL that may lose what it has confirmed"
    case .databaseConnections: "a PostgreSQL with too few connections"
    case .files: "files that belong to another database, or a bucket that does not answer"
    case .backup: "no backup, or no recent one"
    case .backupDirectory: "a directory of backups that is gone, or is another one"
    case .mailQueue: "mails that the mail server does not accept"
    case .readOnlyMode: "read-only mode that is on"
    case .futureChats: "chats that a wrong clock has dated in the future"
    case .revokedKeys: "files of API keys that were revoked"
    case .providers: "providers that the server cannot reach"
    case .mailServer: "a mail server that refuses the server"
    case .connection: "a name or port that does not lead to the server"
    case .tlsTrust: "a certificate that clients do not trust"
    case .tlsExpiry: "a certificate that ends within 14 days"
    case .tlsVersion: "TLS 1.0 and 1.1"
    case .answer: "an answer from another program than the server"
    case .readiness: "a server that reports it is not ready"
    case .clock: "clocks that differ"
    case .metricsReachable: "metrics that anyone can read"
    case .developmentReachable: "development calls that others can make"
    case .polling: "long-polling that a proxy disturbs"
    case .webSocket: "WebSockets that a proxy disturbs"
    case .uploadThroughProxy: "a proxy that refuses large files"
    case .proxyTrust: "a proxy that is not in trusted.proxies"
    case .proxyAddress: "a proxy that does not send its clients' addresses"
    case .proxyForgery: "addresses that clients can forge"
    case .proxyScheme: "a proxy that does not report TLS"
    case .proxyHost: "a proxy that changes the Host header"
    case .openFiles: "a limit of open files below limits.connections"
    }
  }
}
