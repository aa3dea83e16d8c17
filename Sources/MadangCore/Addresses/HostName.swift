/// Whether a host of a URL or a setting is this machine: `localhost`, or a loopback address in a form that system calls accept. Other
/// spellings of an address, such as `127.1`, are names and may lead to another machine, like `127.evil.example`.
package func isLoopback(_ host: some StringProtocol) -> Bool {
  IPAddress(host: host)?.isLoopback ?? (host.lowercased() == "localhost")
}

/// A host in the form of URLs: IPv6 in brackets.
package func urlHost(_ host: String) -> String {
  host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
}

/// The host by which a program on this machine calls a server that listens at `host`.
package func localURLHost(_ host: String) -> String {
  switch IPAddress(host: host)?.text {
  case "0.0.0.0": "127.0.0.1"
  case "::": "[::1]"
  default: urlHost(host)
  }
}
