import Foundation
import MadangAPI
import NIOHTTP1
import SocketIOSupport
import Support
import Testing

extension FaultScene {
  /// A client in the channel's namespace.
  func joined(_ carrier: Carrier) async throws -> EngineClient {
    let client = try await EngineClient(port: port, carrier)
    let answer = try await client.join(namespace, auth: auth)
    try #require(answer?.hasPrefix("40\(namespace),{\"sid\":") == true, "\(answer ?? "nothing")")
    return client
  }

  var auth: String { #"{"SesacKey":"\#(DevelopmentKey.october2024)","token":"\#(mina.token)"}"# }

  /// Posts a chat and returns its packet.
  func said(_ content: String) async throws -> String {
    let answer = try await post(content)
    try #require(answer.status == 200)
    return #"42\#(namespace),["channel",\#(answer.text)]"#
  }
}
