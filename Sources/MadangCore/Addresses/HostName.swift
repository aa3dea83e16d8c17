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

/// Whether this can be a name of a server in DNS, in lower case (RFC 1123, section 2.1). The last part of an address is a number.
package func isDomainName(_ name: String) -> Bool {
  let labels = name.split(separator: ".", omittingEmptySubsequences: false)
  guard name.utf8.count <= 253, let last = labels.last, Int(last) == nil else { return false }
  return labels.allSatisfy { label in
    (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
      && label.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
      }
  }
}
