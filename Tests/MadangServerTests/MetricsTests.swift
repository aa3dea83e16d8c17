import Foundation
import MadangAPI
import MadangCore
import MadangOperations
import NIOHTTP1
import Support
import Testing

@testable import MadangServer

@Suite("Metrics", .timeLimit(.minutes(5)))
struct MetricsTests {
  @Test("requests are counted by route template and outcome, never by path", arguments: TestEngine.available)
  func requests(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let w = try await a.workspace()
      for index in 0..<20 {
        _ = try await a.call(.GET, "workspaces/\(index)")
        _ = try await a.call(.GET, "nothing/\(index)")
      }
      _ = try await a.get(w)
      _ = try await world.call(.GET, "workspaces/1", key: "wrong")
      let answer = try await world.call(.GET, "/metrics", key: nil)
      #expect(answer.headers["content-type"].first?.hasPrefix("text/plain; version=0.0.4") == true)
      let lines = String(decoding: answer.body, as: UTF8.self).split(separator: "\n").map(String.init)
      let route = #"edition="2024-10",method="GET",route="/v1/workspaces/{workspace}""#
      #expect(lines.contains("madang_http_requests_total{\(route),code=\"E13\"} 20"))
      #expect(lines.contains("madang_http_requests_total{\(route),code=\"200\"} 1"))
      #expect(
        lines.contains(#"madang_http_requests_total{edition="2024-10",method="any",route="unknown",code="E97"} 20"#))
      #expect(lines.contains(#"madang_http_requests_total{edition="none",method="any",route="unknown",code="E01"} 1"#))
      #expect(lines.contains("madang_http_request_duration_seconds_count{\(route)} 21"))
      #expect(lines.contains("madang_http_request_duration_seconds_bucket{\(route),le=\"+Inf\"} 21"))
      #expect(lines.contains("madang_socketio_sockets 0"))
      let writes = lines.first { $0.hasPrefix("madang_database_commit_writes_sum ") }?.split(separator: " ").last
      #expect(writes.flatMap { Int($0) } ?? 0 >= 2)
      // Every line is a comment or a sample.
      for line in lines where !line.hasPrefix("#") {
        #expect(line.wholeMatch(of: /[a-z_]+(\{[^}]*\}?[^}]*\})? [0-9.e+-]+/) != nil, "\(line)")
      }
      #expect(!lines.contains { $0.contains("nothing") })
    }
  }

  @Test("a server has each metric that the alerts and the dashboard name", arguments: TestEngine.available)
  func monitoring(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      _ = try await world.signUp("Mina")
      let text = String(decoding: try await world.call(.GET, "/metrics", key: nil).body, as: UTF8.self)
      let told = Set(
        text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { String($0.prefix { $0 != " " && $0 != "{" }) })
      let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../packaging/monitoring")
      for file in ["alerts.yml", "grafana.json"] {
        let page = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        let names = Set(page.matches(of: /(?:madang|process)_[a-z_]+/).map { String($0.output) })
        #expect(names.count > 10)
        // Of SQLite, or of TLS, alone.
        let absent =
          (engine == .sqlite ? [] : ["madang_database_log_bytes"]) + ["madang_certificate_end_timestamp_seconds"]
        #expect(names.subtracting(told).subtracting(absent) == [], "\(file)")
      }
      #expect(told.contains("process_start_time_seconds") && told.contains("madang_disk_free_bytes"))
    }
  }

  @Test("each alert names a part of docs/operate.md with its cure")
  func cures() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    let rules = try String(contentsOf: root.appending(path: "packaging/monitoring/alerts.yml"), encoding: .utf8)
    let page = try String(contentsOf: root.appending(path: "docs/operate.md"), encoding: .utf8)
    let headings = Set(page.matches(of: /\n#+ ([^\n]+)/).map { $0.output.1.lowercased().replacing(" ", with: "-") })
    let cures = rules.matches(of: /cure: docs\/operate\.md#([a-z-]+)\n/).map { String($0.output.1) }
    #expect(cures.count == rules.components(separatedBy: "- alert: ").count - 1 && cures.count > 15)
    #expect(Set(cures).subtracting(headings) == [])
  }

  @Test("metrics show failed sign-ins, the newest backup and the oldest mail", arguments: TestEngine.available)
  func watched(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: World.settings(\.publicURL, "https://chat.example.com")) {
      (world) async throws in
      func value(_ line: String) async throws -> Int? {
        let page = String(decoding: try await world.call(.GET, "/metrics", key: nil).body, as: UTF8.self)
        let found = page.split(separator: "\n").first { $0.hasPrefix("\(line) ") }
        return found.flatMap { Int($0.dropFirst(line.count + 1)) }
      }
      let madang = world.server.madang
      let mina = try await world.signUp("Mina")
      #expect(try await value("madang_sign_ins_failed_total{of=\"account\"}") == 0)
      #expect(try await value("madang_sign_ins_failed_total{of=\"administrator\"}") == 0)
      #expect(try await value("madang_backup_last_timestamp_seconds") == 0)
      #expect(try await value("madang_mails_oldest_seconds") == 0)
      for _ in 0..<2 { try await AuditTests.wrongSignIn(world, mina.email) }
      #expect(try await value("madang_sign_ins_failed_total{of=\"account\"}") == 2)
      // A backup of another process.
      try await madang.audit(.backupMade, subject: "/b", detail: [:], by: .hana)
      world.clock.advance(milliseconds: 60_000)
      let made = Int(try #require(try await madang.latestAudit(of: .backupMade)) / 1000)
      #expect(try await World.eventually { try await value("madang_backup_last_timestamp_seconds") == made })
      let metrics = world.server.service.reports.metrics
      // The queue itself may set it meanwhile.
      let isShown = try await World.eventually {
        metrics.setMailsWaiting(1, oldest: madang.clock.now - 5000)
        return try await value("madang_mails_oldest_seconds") == 5
      }
      #expect(isShown)
    }
  }

  @Test("metrics of process and disk are plausible")
  func figures() async throws {
    try await World.run(.sqlite) { (world) async throws in
      _ = try await world.signUp("Mina")
      let text = String(decoding: try await world.call(.GET, "/metrics", key: nil).body, as: UTF8.self)
      func value(_ name: String) throws -> Double {
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
        return try #require(line.flatMap { Double($0.dropFirst(name.count + 1)) }, "\(name)")
      }
      #expect(try value("process_resident_memory_bytes") > 1_000_000)
      #expect(try value("process_cpu_seconds_total") > 0)
      let (open, most) = (try value("process_open_fds"), try value("process_max_fds"))
      #expect(open >= 3 && open <= most)
      let began = Date(timeIntervalSince1970: try value("process_start_time_seconds"))
      #expect(began < Date(timeIntervalSinceNow: 60) && began > Date(timeIntervalSinceNow: -86_400))
      let (free, size) = (try value("madang_disk_free_bytes"), try value("madang_disk_size_bytes"))
      #expect(free > 0 && free <= size)
      #expect(try value("madang_database_commit_seconds_sum") > 0)
      #expect(try value("madang_database_log_bytes") > 0)
      #expect(text.contains("madang_held_limit{cost=\"connections\"} 50000"))
      #expect(text.contains("madang_database_waiting{queue=\"write\"} "))
      #expect(text.contains("madang_build_info{version=\"unknown\"} 1"))
    }
  }

  @Test("a request that a proxy forwards for others finds no metrics, unless they are public")
  func access() async throws {
    var settings = World.settings(\.trustedProxies, [try #require(IPNetwork("127.0.0.1"))])
    let forwarded = [("X-Forwarded-For", "203.0.113.9")]
    try await World.run(.sqlite, settings: settings) { (world) async throws in
      #expect(try await world.call(.GET, "/metrics", key: nil, headers: forwarded).code == "E01")
      #expect(try await world.call(.GET, "/metrics", key: nil).status == 200)
    }
    settings.metricsArePublic = true
    try await World.run(.sqlite, settings: settings) { (world) async throws in
      #expect(try await world.call(.GET, "/metrics", key: nil, headers: forwarded).status == 200)
    }
  }
}
