import HTTPTypes
import Hummingbird

extension DevelopmentCall {
  /// Host and port of the server or world that the call is about, for URLs in its answer.
  var authority: String {
    let host = request.head.authority ?? "127.0.0.1"
    return worldPort.map { "\(host.withoutPort):\($0)" } ?? host
  }
}

extension String {
  /// The host of a host with a port.
  fileprivate var withoutPort: Substring {
    // [::1]:8080
    let bracket = lastIndex(of: "]") ?? startIndex
    return self[..<(self[bracket...].firstIndex(of: ":") ?? endIndex)]
  }
}
