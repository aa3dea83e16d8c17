import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import MadangCore
import MadangOperations
import Synchronization

/// The cookie that identifies a client's sockets (wire contract, Socket access): clients send no credentials with sockets,
/// but their systems send the cookies that REST answers set. It stands for a session and grants the same access.
final class SocketCookie: Sendable {
  /// The session that a client has after a call.
  enum Session {
    case none
    case live(SessionID)
    case ended
  }

  /// Specific to this installation: cookies do not differ by port, so servers on one host would overwrite each other's.
  private let name: String
  private let key: SymmetricKey
  /// The attributes after the value: of a live session, and of one that has ended.
  private let living: String
  private let ended: String
  /// The fields of recently calling sessions: every answer has one, and it never changes.
  private let known = Mutex<[SessionID: String]>([:])
  /// How many fields are remembered.
  private static let maxKnown = 10_000

  /// - Parameters:
  ///   - secret: The installation's secret; the keys of this cookie are derived from it.
  ///   - path: The path of sockets: no other request carries the cookie.
  init(secret: [UInt8], path: String, settings: Settings) {
    let code = Secrets.key(for: "socket cookie", from: secret)
    key = SymmetricKey(data: code)
    name = "madang_" + Array(SHA256.hash(data: code).prefix(4)).hex
    func attributes(seconds: Int64) -> String { "; Path=\(path); Max-Age=\(seconds); HttpOnly; SameSite=Strict" }
    living = attributes(seconds: settings.sessions.refreshLifetime / 1000)
    ended = attributes(seconds: 0)
  }

  /// Sets the cookie in the answer to a call after which the client has this session; leaves it out for no session.
  func set(for session: Session, in response: inout Response, _ isSecure: Bool) {
    let field: String
    switch session {
    case .none: return
    case .live(let id): field = livingField(of: id)
    case .ended: field = "\(name)=\(ended)"
    }
    response.headers.append(HTTPField(name: .setCookie, value: isSecure ? field + "; Secure" : field))
  }

  private func livingField(of session: SessionID) -> String {
    if let known = known.withLock({ $0[session] }) { return known }
    let field = "\(name)=\(session.number).\(session.begun).\(mark(of: session).hex)\(living)"
    known.withLock { known in
      if known.count >= Self.maxKnown { known.removeAll() }
      known[session] = field
    }
    return field
  }

  /// How many cookies of this name are examined. A client has one, or a few while paths change.
  private static let maxLooks = 8

  /// The session of a request's cookie, if this server made it. Whether the session still exists is checked elsewhere.
  func session(in headers: HTTPFields) -> SessionID? {
    var looked = 0
    for field in headers[values: .cookie] {
      for pair in field.split(separator: ";") {
        let parts = pair.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[0].trimmingWhitespace() == name, looked < Self.maxLooks else { continue }
        looked += 1
        let value = parts[1].trimmingWhitespace().split(separator: ".")
        guard value.count == 3, let number = Int64(value[0]), let begun = Int64(value[1]),
          let mark = [UInt8](hex: value[2]), case let session = SessionID(number: number, begun: begun),
          HMAC<SHA256>.isValidAuthenticationCode(mark, authenticating: Self.data(session), using: key)
        else { continue }
        return session
      }
    }
    return nil
  }

  private func mark(of session: SessionID) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: Self.data(session), using: key))
  }

  private static func data(_ session: SessionID) -> [UInt8] {
    withUnsafeBytes(of: session.number.littleEndian, Array.init)
      + withUnsafeBytes(of: session.begun.littleEndian, Array.init)
  }
}

extension [UInt8] {
  fileprivate init?(hex text: some StringProtocol) {
    let digits = [UInt8](text.utf8)
    guard digits.count % 2 == 0, digits.count <= 128 else { return nil }
    self = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = Character(Unicode.Scalar(digits[index])).hexDigitValue,
        let low = Character(Unicode.Scalar(digits[index + 1])).hexDigitValue
      else { return nil }
      append(UInt8(high << 4 | low))
    }
  }
}
