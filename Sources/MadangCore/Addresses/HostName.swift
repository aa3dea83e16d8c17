/// Whether a host of a URL or a setting is this machine and nothing else: `localhost`, or a loopback address as the system's calls
/// read it. Other spellings of an address, such as `127.1`, are names, which may lead anywhere, as `127.evil.example` does.
package func isLoopback(_ host: some StringProtocol) -> Bool {
  IPAddress(host: host)?.isLoopback ?? (host.lowercased() == "localhost")
}

/// A host as a URL has it: IPv6 in brackets.
package func urlHost(_ host: String) -> String {
  host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
}

/// By which host a program of this machine calls a server that listens at `host`.
package func localURLHost(_ host: String) -> String {
  switch IPAddress(host: host)?.text {
  case "0.0.0.0": "127.0.0.1"
  case "::": "[::1]"
  default: urlHost(host)
  }
}
