import CPostgres
import Foundation
import Logging

/// Takes what the server remarks (`NOTICE`) to the log. It must outlive the connection it listens to.
final class PostgresNotices {
  private let logger: Logger

  init(_ logger: Logger) {
    self.logger = logger
  }

  func listen(to connection: OpaquePointer) {
    PQsetNoticeProcessor(
      connection,
      { context, message in
        guard let context, let message else { return }
        let notices = Unmanaged<PostgresNotices>.fromOpaque(context).takeUnretainedValue()
        let text = String(cString: message).trimmingCharacters(in: .whitespacesAndNewlines)
        notices.logger.debug("database notice", metadata: ["notice": "\(text)"])
      }, Unmanaged.passUnretained(self).toOpaque())
  }
}
