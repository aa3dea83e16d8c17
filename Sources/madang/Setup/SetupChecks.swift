import Foundation
import MadangCore
import MadangOperations

/// A reason not to set up this machine, or a warning.
struct SetupProblem: Equatable {
  let words: String
  let cure: String
  let isWarning: Bool

  init(_ words: String, cure: String, isWarning: Bool = false) {
    (self.words, self.cure, self.isWarning) = (words, cure, isWarning)
  }
}

/// What must be right before anything is written.
struct SetupChecks {
  let machine: Machine
  let front: SetupFront
  let file: SettingsFile

  /// 2025-01-01. This program is newer.
  private static let earliest = Date(timeIntervalSince1970: 1_735_689_600)
  private static let (leastDisk, goodDisk) = (200 << 20, 2 << 30)
  private static let goodMemory = 400 << 20

  /// All problems, except ``dnsProblem(of:)``.
  func problems() -> [SetupProblem] {
    guard machine.isRoot else {
      return [
        SetupProblem("setup changes the system, and you are not root", cure: "run it as root, for example with sudo")
      ]
    }
    return serviceProblems() + portProblems() + proxyProblems() + clockProblems() + roomProblems()
  }

  private func serviceProblems() -> [SetupProblem] {
    guard FileManager.default.fileExists(atPath: machine.path("/run/systemd/system")) else {
      return [
        SetupProblem(
          "systemd does not run here", cure: "write the settings yourself: docs/host.md, Other ways to install")
      ]
    }
    guard let unit = try? machine.systemctl("cat", "madang.service"), unit.isSuccess else {
      return [
        SetupProblem(
          "this machine has no madang.service", cure: "install the Debian package: apt install ./madang_*.deb")
      ]
    }
    guard unit.text.contains("/etc/madang/madang.json") else {
      return [
        SetupProblem(
          "madang.service does not read /etc/madang/madang.json",
          cure: "start it with: serve --config /etc/madang/madang.json (systemctl edit --full madang)")
      ]
    }
    guard let timer = try? machine.systemctl("cat", SetupWork.backupTimer), timer.isSuccess else {
      return [
        SetupProblem(
          "this machine has no \(SetupWork.backupTimer), so no backups will be made",
          cure: "install the package of this version, or back up by a timer of your own", isWarning: true)
      ]
    }
    return []
  }

  private func portProblems() -> [SetupProblem] {
    let ports =
      switch front {
      case .certificate: [80, 443]
      case .proxy: [SetupPlan.portBehindProxy(file)]
      }
    return ports.compactMap { port in
      guard let holder = machine.holder(of: port), !holder.isMadang else { return nil }
      let stop = "stop that program for good (systemctl disable --now NAME)"
      let cure =
        ports.count == 1
        ? "\(stop), or choose another port in /etc/madang/madang.json"
        : "\(stop), or keep it as a proxy with its own certificate: --behind-proxy 127.0.0.1"
      return SetupProblem("port \(port) is held by \(holder.words)", cure: cure)
    }
  }

  private func proxyProblems() -> [SetupProblem] {
    guard case .proxy(let address) = front, !isLoopback(address) else { return [] }
    return [
      SetupProblem(
        "the proxy \(address) is another machine, so the server will listen at all addresses, without TLS",
        cure:
          "let a firewall admit only the proxy, or set 'host' in /etc/madang/madang.json to an address that only the proxy reaches",
        isWarning: true)
    ]
  }

  private func clockProblems() -> [SetupProblem] {
    guard machine.now() >= Self.earliest else {
      return [
        SetupProblem(
          "this machine's clock says \(machine.now().formatted(.iso8601)), which is too early",
          cure: "set the clock, for example with: apt install systemd-timesyncd")
      ]
    }
    let answer = try? machine.run(["timedatectl", "show", "--property", "NTPSynchronized", "--value"])
    guard answer?.text.trimmingCharacters(in: .whitespacesAndNewlines) == "no" else { return [] }
    return [
      SetupProblem(
        "this machine's clock is not kept right by the network", cure: "apt install systemd-timesyncd", isWarning: true)
    ]
  }

  private func roomProblems() -> [SetupProblem] {
    var problems: [SetupProblem] = []
    let data = machine.path(file.text("data") ?? "/var/lib/madang")
    if let free = DiskFigures(URL(filePath: data))?.free, free < Self.goodDisk {
      problems.append(
        SetupProblem(
          "only \(free >> 20) MB of the disk of \(data) are free",
          cure: "free some space: database and files of your people grow there", isWarning: free >= Self.leastDisk))
    }
    if let memory = machine.memory, memory < Self.goodMemory {
      problems.append(
        SetupProblem(
          "this machine has only \(memory >> 20) MB of memory", cure: "use one with 512 MB or more", isWarning: true))
    }
    return problems
  }

  /// Why clients may not find this machine by its name; nil if they do, or if a proxy has the name.
  func dnsProblem(of name: String) -> SetupProblem? {
    guard case .certificate = front else { return nil }
    let (found, own) = (machine.look(up: name), machine.addresses())
    let ownWords = "this machine has \(own.isEmpty ? "none" : own.joined(separator: ", "))"
    guard !found.inDNS.isEmpty else {
      let complaint = found.complaint.isEmpty ? "" : " (\(found.complaint))"
      let hosts = found.inHostsFile.joined(separator: ", ")
      return SetupProblem(
        "the name \(name) has no address in DNS\(complaint)"
          + (hosts.isEmpty ? "" : "; \(hosts) in this machine's /etc/hosts counts only on this machine"),
        cure: "add an A or AAAA record to your DNS (\(ownWords)), and wait some minutes; if there is one, check that "
          + "the name server in /etc/resolv.conf answers")
    }
    let foreign = Set(found.inDNS).subtracting(own)
    guard !foreign.isEmpty else { return nil }
    return SetupProblem(
      "the name \(name) has the address \(foreign.sorted().joined(separator: ", ")) in DNS, and \(ownWords)",
      cure:
        "correct the DNS record. Behind a router or in a cloud this may be right, if the ports 80 and 443 come here: "
        + "--skip-dns", isWarning: true)
  }
}
