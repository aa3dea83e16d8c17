import Foundation
import Support
import Testing

/// Exit statuses and messages. Tests/Foreign/doctor_check.py plants each mistake.
@Suite("madang doctor", .serialized, .timeLimit(.minutes(10)))
struct CommandLineDoctorTests {
  @Test("without findings the status is 0, with warnings 1, with errors 2; each finding has its cure")
  func statuses() async throws {
    // So few connections that the limit of open files of any machine suffices.
    let few = ["MADANG_LIMITS_CONNECTIONS": "300"]
    try await TestServer.run(environment: few) { server in
      let data = server.folder.appending(path: "data")
      let doctor = Shell(
        "nobody", at: server, environment: few.merging(["MADANG_DATA": data.path, "MADANG_DEV": "true"]) { $1 })
      // A slow disk would be a finding.
      for (json, words) in [(["--json"], []), ([], ["Nothing is wrong."])] as [([String], [String])] {
        var good = Shell.Outcome(status: -1, output: [], errors: [])
        let isGood = try await World.eventually {
          good = try await doctor.run(["doctor", server.url, "--min-free", "0", "--timeout", "60"] + json)
          return good.status == 0 && good.output == [] && good.errors == words
        }
        #expect(isGood, "\(good)")
      }

      let warned = try await doctor.run(
        "doctor", "--min-free", "0", "--json", environment: ["MADANG_AUDIT_REFUSALS_KEPT": "0"])
      #expect(warned.status == 1)
      let finding = try #require(try warned.objects().first)
      #expect(Set(finding.keys) == ["check", "severity", "message", "cure"])
      #expect(finding["check"] == .text("auditRefusals") && finding["severity"] == .text("warning"))

      #expect(chmod(data.appending(path: "secrets").path, 0o755) == 0)
      let wrong = try await doctor.run("doctor", "--min-free", "0")
      #expect(wrong.status == 2 && wrong.output.count == 2)
      #expect(wrong.output.first?.hasPrefix("error: every user of this machine can read ") == true)
      #expect(wrong.output.last?.contains("chmod -R o=") == true)
    }
  }

  @Test("each check is listed once")
  func list() async throws {
    try await TestServer.run { server in
      let checks = try await Shell("nobody", at: server).objects("doctor", "--list")
      #expect(checks.count > 40 && Set(checks.map { "\($0["check"] ?? .other)" }).count == checks.count)
    }
  }

  @Test(
    "wrong usage is status 64",
    arguments: [
      ["--outside"], ["--inside", "--outside", "http://a"], ["--inside", "http://a"], ["--min-free", "101"],
      ["--timeout", "0"], ["--backup-days", "-1"],
    ])
  func usage(_ arguments: [String]) async throws {
    #expect(try await Program("madang", ["doctor"] + arguments).status() == 64)
  }
}
