import Foundation

/// Resources that the process uses, with the names of Prometheus' own clients. Linux only.
///
/// Source: https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics
enum ProcessFigures {
  static func add(to page: inout PrometheusText) {
    var usage = rusage()
    if getrusage(processItself, &usage) == 0 {
      page.single(
        "process_cpu_seconds_total", .counter, "Processor time in user and system mode.",
        seconds(usage.ru_utime) + seconds(usage.ru_stime))
    }
    var limit = rlimit()
    if getrlimit(openFiles, &limit) == 0 {
      page.single("process_max_fds", .gauge, "Files the process may have open.", Int(clamping: limit.rlim_cur))
    }
    if let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
      page.single("process_open_fds", .gauge, "Files the process has open.", files.count)
    }
    guard let fields = ownStatus(), let pages = Int(fields[21]), let start = Double(fields[19]),
      let boot = bootTime()
    else { return }
    page.single(
      "process_resident_memory_bytes", .gauge, "Memory the process has in use.",
      pages.multipliedReportingOverflow(by: Int(sysconf(Int32(_SC_PAGESIZE)))).partialValue)
    page.single(
      "process_start_time_seconds", .gauge, "Start time of the process, in seconds since 1970.",
      boot + start / Double(max(1, sysconf(Int32(_SC_CLK_TCK)))))
  }

  private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

  /// The fields of `/proc/self/stat` from the third on; the name before them may have any characters.
  private static func ownStatus() -> [Substring]? {
    guard let text = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
      let end = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[end...].dropFirst(2).split(separator: " ")
    return fields.count > 21 ? fields : nil
  }

  /// When the machine was started, in seconds since 1970.
  private static func bootTime() -> Double? {
    let lines = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8))?.split(separator: "\n") ?? []
    return lines.first { $0.hasPrefix("btime ") }.flatMap { Double($0.dropFirst(6)) }
  }

  #if canImport(Glibc)
    private static let processItself = __rusage_who_t(RUSAGE_SELF.rawValue)
    private static let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    private static let processItself = RUSAGE_SELF
    private static let openFiles = RLIMIT_NOFILE
  #endif
}
