import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix

/// What the network's errors are called.
package enum NetworkProblem {
  /// Why a call failed, in few words, such as `Connection refused`.
  package static func words(of error: any Error) -> String {
    switch error {
    case let error as NIOConnectionError:
      error.connectionErrors.first.map { words(of: $0.error) } ?? error.dnsAError.map(words) ?? "no such host"
    case let error as HTTPClientError: error.shortDescription
    case let error as IOError: String(cString: strerror(error.errnoCode))
    default: "\(error)"
    }
  }
}
