import HTTPTypes
import Hummingbird
import MadangServer
import NIOCore

/// Calls about coverage: `/_dev/coverage`.
struct CoverageCalls: Sendable {
  /// The counts that are shown and can be reset.
  let counts: @Sendable () -> CoverageCounts
  let clear: @Sendable () -> Void

  private enum Format: String, CaseIterable {
    case json, text, html
  }

  /// The answer; nil if the path is another one.
  func respond(to call: DevelopmentCall) async throws -> Response? {
    guard call.path == ["coverage"] else { return nil }
    switch call.method {
    case .get:
      try call.refuseQuery(besides: ["format"])
      let name = call.request.uri.queryParameters["format"].map(String.init) ?? Format.json.rawValue
      guard let format = Format(rawValue: name) else {
        throw BadCall("format: one of \(Format.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      let counts = counts()
      switch format {
      case .json: return try .development(CoverageFile(counts))
      case .text: return page(CoverageReport(counts).text, "text/plain; charset=utf-8")
      case .html: return page(CoverageReport(counts).html, "text/html; charset=utf-8")
      }
    case .delete: return try await call.done(clear)
    default: return nil
    }
  }

  private func page(_ text: String, _ type: String) -> Response {
    Response(
      status: .ok, headers: [.contentType: type, .cacheControl: "no-store"],
      body: .init(byteBuffer: ByteBuffer(string: text)))
  }
}

extension Coverage {
  /// The counts of this server alone.
  var calls: CoverageCalls {
    CoverageCalls(counts: { [self] in counts }, clear: { [self] in clear() })
  }
}

/// Coverage as JSON: the counts, for merging with others, and a report.
package struct CoverageFile: Encodable, Sendable {
  package let counts: CoverageCounts
  package let report: CoverageReport

  package init(_ counts: CoverageCounts, _ report: CoverageReport? = nil) {
    (self.counts, self.report) = (counts, report ?? CoverageReport(counts))
  }

  /// As it is read.
  package struct Counted: Decodable, Sendable {
    package let counts: CoverageCounts
  }
}
