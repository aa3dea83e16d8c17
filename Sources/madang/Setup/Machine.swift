import Foundation
import MadangCore
import MadangOperations
import NIOCore

/// The machine that is set up. Tests give it a folder instead of `/`, and functions of their own.
struct Machine {
  /// The result of a program.
  struct Outcome {
    let status: Int32
    /// Standard output and standard error.
    let text: String

    var isSuccess: Bool { status == 0 }
  }

  /// A prefix of all paths; empty except in tests.
  var root = PackagedSettings.root
  /// Whether the caller may change the system. With a prefix nothing outside of it is changed.
  var isRoot = geteuid() == 0 || !PackagedSettings.root.isEmpty
  /// Runs a program of the system, such as `systemctl`.
  var run: ([String]) throws -> Outcome = runProgram
  /// The addresses of this machine that others may reach: without loopback, and without those of one link.
  var addresses: () -> [String] = ownAddresses
  var now: () -> Date = { .now }

  func path(_ path: String) -> String { root + path }
  var settingsFile: String { path("/etc/madang/madang.json") }
  var recordFile: String { path("/etc/madang/setup.json") }
  /// The settings before the first setup.
  var formerSettingsFile: String { settingsFile + ".before-setup" }
  /// The copy of the roots of a private authority.
  var authorityFile: String { path("/etc/madang/authority.pem") }
  var backupDirectory: String { path("/var/backups/madang") }

  /// Runs `systemctl`.
  @discardableResult
  func systemctl(_ arguments: String...) throws -> Outcome { try run(["systemctl"] + arguments) }

  /// The user of the service; nil if there is no service.
  var serviceUser: String? {
    let outcome = try? systemctl("show", "--property", "User", "--value", "madang.service")
    let name = outcome?.text.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    return name.isEmpty ? nil : name
  }

  /// The text of a file below `/proc`; nil if the system has none.
  func system(_ file: String) -> String? {
    // Such files have no size, which some readers of files trust.
    guard let handle = FileHandle(forReadingAtPath: path("/proc/" + file)) else { return nil }
    return (try? handle.readToEnd()).flatMap { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether one listener can take IPv6 and IPv4.
  var hasIPv6: Bool {
    system("net/if_inet6")?.isEmpty == false && system("sys/net/ipv6/bindv6only")?.hasPrefix("1") != true
  }

  /// Bytes of memory; nil if unknown.
  var memory: Int? {
    let line = system("meminfo")?.split(separator: "\n").first { $0.hasPrefix("MemTotal:") }
    return line.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) }.map { $0 << 10 }
  }
}

/// By `popen`: Foundation's `Process` also waits for what the program leaves running.
private func runProgram(_ arguments: [String]) throws -> Machine.Outcome {
  let command = arguments.map { "'" + $0.replacing("'", with: #"'\''"#) + "'" }.joined(separator: " ")
  guard let stream = popen(command + " </dev/null 2>&1", "r") else {
    throw Failure("\(arguments[0]) cannot be run: \(String(cString: strerror(errno)))")
  }
  var (output, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
  while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 { output += buffer[..<count] }
  let status = pclose(stream)
  let signal = status & 0x7F
  return Machine.Outcome(
    status: signal == 0 ? status >> 8 & 0xFF : -signal, text: String(decoding: output, as: UTF8.self))
}

private func ownAddresses() -> [String] {
  ((try? System.enumerateDevices()) ?? []).compactMap { $0.address?.ipAddress }.filter { address in
    !isLoopback(address) && !["fe80:", "169.254."].contains { address.lowercased().hasPrefix($0) }
  }
}
