/// Why a socket left its namespace. The raw values are the reference server's texts.
public enum DisconnectReason: String, CaseIterable, Sendable {
  case transportClose = "transport close"
  case transportError = "transport error"
  case pingTimeout = "ping timeout"
  case parseError = "parse error"
  case clientNamespaceDisconnect = "client namespace disconnect"
  case serverNamespaceDisconnect = "server namespace disconnect"
  case forcedClose = "forced close"
  case serverShuttingDown = "server shutting down"
}
