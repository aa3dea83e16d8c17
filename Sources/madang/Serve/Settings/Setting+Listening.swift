import MadangServer

extension Setting {
  static let listening: [Setting] = [
    Setting(
      key: "host", help: "address to listen on",
      read: { text, loaded throws(Invalid) in loaded.settings.host = withoutBrackets(text) },
      show: { $0.settings.host }),
    integer("port", "port to listen on, 0 for a free one", \.settings.port, 0...65535),
    text("tls.cert", "certificate with its chain, in PEM, for TLS; empty for plain HTTP", \.certificateFile),
    text("tls.key", "the certificate's private key, in PEM", \.keyFile),
    Setting(
      key: "tls.redirect.port",
      help:
        "with TLS: a port for plain HTTP that sends pages for people to public.url and refuses all else; empty for none",
      read: { text, loaded throws(Invalid) in
        guard !text.isEmpty else {
          loaded.redirectPort = nil
          return
        }
        guard let port = Int(text), (0...65535).contains(port) else { throw Invalid(cure: "write 0 to 65535") }
        loaded.redirectPort = port
      }, show: { $0.redirectPort.map(String.init) ?? "" }),
    integer(
      "http.idle",
      "seconds after which a connection that is idle between requests is closed; must be longer than a proxy in front keeps it",
      \.settings.idleSeconds, 5...86_400),
    Setting(
      key: "trusted.proxies", help: "proxies whose X-Forwarded-For is believed: 10.0.0.1,172.20.0.0/16",
      read: { text, loaded throws(Invalid) in
        loaded.settings.trustedProxies = try text.split(separator: ",").map { part throws(Invalid) in
          guard let network = IPNetwork(part) else {
            throw Invalid(cure: "write addresses or networks like 10.0.0.1,172.20.0.0/16,fd00::/8")
          }
          return network
        }
      }, show: { $0.settings.trustedProxies.map(\.text).joined(separator: ",") }),
    Setting(
      key: "loopback.clients",
      help:
        "true: no proxy runs on this machine, so loopback addresses are clients; false: one may; empty: true in development "
        + "mode only",
      read: { text, loaded throws(Invalid) in
        switch text {
        case "": loaded.settings.loopbackIsClient = nil
        case "true", "1": loaded.settings.loopbackIsClient = true
        case "false", "0": loaded.settings.loopbackIsClient = false
        default: throw Invalid(cure: "write true or false, or leave it out")
        }
      }, show: { $0.settings.loopbackIsClient.map { String($0) } ?? "" }),
    text(
      "public.url", "https://HOST of the server for people; without it there are no links in invitations, and no mails",
      \.settings.publicURL),
    Setting(
      key: "operations", help: "HOST:PORT of a listener of its own for /metrics, /readyz and /_dev; empty for none",
      read: { text, loaded throws(Invalid) in
        guard !text.isEmpty else {
          loaded.settings.operations = nil
          return
        }
        let colon = text.lastIndex(of: ":")
        guard let colon, let port = Int(text[text.index(after: colon)...]), (1...65535).contains(port) else {
          throw Invalid(cure: "write an address and a port like 127.0.0.1:9090")
        }
        loaded.settings.operations = (withoutBrackets(text[..<colon]), port)
      }, show: { $0.settings.operations.map { "\(urlHost($0.host)):\($0.port)" } ?? "" }),
    flag("metrics.public", "whether GET /metrics answers other machines", \.settings.metricsArePublic),
  ]
}

/// An IPv6 address may be written as in a URL; sockets take it without brackets.
private func withoutBrackets(_ host: some StringProtocol) -> String {
  host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : String(host)
}
