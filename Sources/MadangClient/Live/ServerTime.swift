import AsyncHTTPClient
import Foundation
import MadangAPI
import NIOHTTP1

extension MadangClient {
  /// The server's time in milliseconds since 1970, rounded down to the second. If the server does not send it, this machine's time.
  func serverTime() async throws -> Int64 {
    let call = Call(Edition2024_10.me, Edition2024_10.me.path())
    let date = try await authorised { token in
      let response = try await http.send(call, token: token)
      try await http.drain(response)
      return response.headers.first(name: "Date").flatMap(Self.milliseconds(ofHTTPDate:))
    }
    return date ?? Int64(Date().timeIntervalSince1970 * 1000)
  }

  /// Parses an IMF-fixdate (RFC 9110 section 5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func milliseconds(ofHTTPDate text: String) -> Int64? {
    let parts = text.split(whereSeparator: { $0 == " " || $0 == ":" })
    guard parts.count == 8, parts[7] == "GMT", let month = WireDate.months.firstIndex(of: String(parts[2])) else {
      return nil
    }
    let label = "\(parts[3])-\(month < 9 ? "0" : "")\(month + 1)-\(parts[1])T\(parts[4]):\(parts[5]):\(parts[6])Z"
    return (try? Cursor.label(label, zoneless: 0)) ?? nil
  }
}
