import AsyncHTTPClient
import Foundation
import MadangCore
import MadangProviders
import NIOSSL

extension Doctor {
  private static let engine = "/socket.io/?EIO=4"

  /// A long-polling session until the main namespace accepts or refuses it.
  func pollingFindings(_ place: OutsidePlace, _ client: HTTPClient) async -> [DoctorFinding] {
    struct Opening: Decodable {
      let sid: String
    }
    let path = Self.engine + "&transport=polling"
    do {
      let opening = try await place.call(path, with: client)
      guard opening.status == 200, opening.text.hasPrefix("0"),
        let session = try? JSONDecoder().decode(Opening.self, from: Data(opening.text.dropFirst().utf8))
      else { return [pollingFinding("the first poll gets status \(opening.status)")] }
      let ownPath = path + "&sid=\(session.sid)"
      // Polls before there is an answer: a proxy must let it wait.
      async let poll = place.call(ownPath, with: client)
      let posted = try await place.call(ownPath, body: "40", with: client)
      let answer = try await poll
      // Otherwise the session stays until its ping.
      _ = try? await place.call(ownPath, body: "1", with: client)
      guard posted.status == 200, answer.status == 200, answer.text.hasPrefix("4") else {
        return [pollingFinding("a poll gets status \(answer.status), a post \(posted.status)")]
      }
      return []
    } catch {
      return [pollingFinding(networkWords(error))]
    }
  }

  private func pollingFinding(_ problem: String) -> DoctorFinding {
    DoctorFinding(
      .polling, .error, "long-polling does not work: \(problem)",
      cure:
        "let the proxy pass on /socket.io/ unchanged and uncached, and wait 75 s for answers (proxy_read_timeout 75s)"
    )
  }

  /// A WebSocket, opened as a phone does, with the server's URL as its origin.
  func webSocketFindings(_ place: OutsidePlace, _ tls: TLSConfiguration?) async -> [DoctorFinding] {
    let request = [
      "GET \(Self.engine)&transport=websocket HTTP/1.1", "Host: \(place.authority)", "Upgrade: websocket",
      "Connection: Upgrade", "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: \(Data((0..<16).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString())",
      "Origin: \(place.url)", "", "",
    ].joined(separator: "\r\n")
    let cure =
      "let the proxy use HTTP/1.1 and pass on Upgrade, Connection and Host (docs/host.md); if clients call another host, "
      + "add it to socket.origins"
    do {
      let answer = try await place.exchange(request, tls: tls) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        return text.hasPrefix("HTTP/1.1 101") ? text.contains(#""sid""#) : text.contains("\r\n\r\n")
      }
      if answer.status == 101, answer.text.contains(#""sid""#) { return [] }
      let words = answer.status.map { "the upgrade gets status \($0)" } ?? "the upgrade gets no answer"
      return [DoctorFinding(.webSocket, .error, "WebSockets do not work: \(words)", cure: cure)]
    } catch {
      return [DoctorFinding(.webSocket, .error, "WebSockets do not work: \(networkWords(error))", cure: cure)]
    }
  }

  /// Announces a file of the largest size without sending it: the server answers before the body.
  func uploadFindings(
    _ place: OutsidePlace, _ settings: ServerSettings, _ tls: TLSConfiguration?
  ) async -> [DoctorFinding] {
    let size = min(settings.files.maxSize, settings.body.request)
    let request = [
      "POST /v1/users/join HTTP/1.1", "Host: \(place.authority)", "Content-Type: application/json",
      "Content-Length: \(size)", "Expect: 100-continue", "Connection: close", "", "",
    ].joined(separator: "\r\n")
    let answer = try? await place.exchange(request, tls: tls) { String(decoding: $0, as: UTF8.self).contains("\r\n") }
    guard answer?.status == 413 else { return [] }
    return [
      DoctorFinding(
        .uploadThroughProxy, .error, "the proxy refuses files of \(size) bytes, which files.size allows",
        cure: "nginx: client_max_body_size 50m, or as much as limits.body")
    ]
  }
}
