import CPostgres
import Foundation
import Logging

/// Logs the server's notices (`NOTICE`, `WARNING`). It must outlive its connection.
final class PostgresNotices {
  private let logger: Logger
  /// The latest warning.
  var warning: String?

  init(_ logger: Logger) {
    self.logger = logger
  }

  func listen(to connection: OpaquePointer) {
    PQsetNoticeReceiver(
      connection,
      { context, result in
        guard let context, let result else { return }
        Unmanaged<PostgresNotices>.fromOpaque(context).takeUnretainedValue().take(result)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func take(_ result: OpaquePointer) {
    func field(_ code: Character) -> String? {
      code.asciiValue.flatMap { PQresultErrorField(result, CInt($0)) }.map { String(cString: $0) }
    }
    // PG_DIAG_MESSAGE_PRIMARY, _MESSAGE_DETAIL, and _SEVERITY_NONLOCALIZED, which is never translated.
    let text = [field("M"), field("D")].compactMap(\.self).joined(separator: " ")
    if field("V") == "WARNING" { warning = text }
    logger.debug("database notice", metadata: ["notice": "\(text)"])
  }
}
