import Foundation
import MadangCore

/// Where a DNS name leads.
struct NameAddresses: Equatable {
  /// The addresses in DNS, which clients and authorities see.
  let inDNS: [String]
  /// Why DNS has none, if the system said so.
  let complaint: String
  /// The addresses in this machine's hosts file, which count only here.
  let inHostsFile: [String]
}

extension Machine {
  /// Looks a name up in DNS without the hosts file: Debian may give a machine's own name a loopback address there.
  func look(up name: String) -> NameAddresses {
    let text = questions(about: name).compactMap { try? run($0).text }.joined(separator: "\n")
    let addresses = Self.addresses(in: text)
    let complaint = addresses.isEmpty ? text.split(separator: "\n").first.map(String.init) : nil
    return NameAddresses(inDNS: addresses, complaint: complaint ?? "", inHostsFile: hosts(name))
  }

  private func questions(about name: String) -> [[String]] {
    // The name server of systemd-resolved answers from the hosts file, too.
    let usesResolved = text("/etc/resolv.conf").split(separator: "\n").contains {
      $0.split(whereSeparator: \.isWhitespace) == ["nameserver", "127.0.0.53"]
    }
    guard !usesResolved else {
      return [["resolvectl", "query", "--protocol=dns", "--synthesize=no", "--legend=no", name]]
    }
    // `hosts` has only IPv6 addresses if there are any; `ahosts` leaves them out on a machine without IPv6.
    return ["hosts", "ahostsv4"].map { ["getent", "-s", "dns", $0, name + "."] }
  }

  /// The words of a program's answer that are addresses, each once.
  private static func addresses(in answer: String) -> [String] {
    var addresses: [String] = []
    for word in answer.split(whereSeparator: \.isWhitespace).map(String.init)
    where IPAddress(host: word) != nil && !addresses.contains(word) {
      addresses.append(word)
    }
    return addresses
  }

  private func hosts(_ name: String) -> [String] {
    text("/etc/hosts").split(separator: "\n").compactMap { line in
      let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
      return words.dropFirst().contains { $0.lowercased() == name } ? words.first.map(String.init) : nil
    }
  }

  private func text(_ file: String) -> String {
    FileManager.default.contents(atPath: path(file)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
