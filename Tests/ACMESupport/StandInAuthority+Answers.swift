import ACME
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SwiftASN1
import Synchronization
import X509

/// A refusal of the authority.
private struct Refused: Error {
  let kind: String
  var detail = "refused"
  var status = 400
  var retryAfter: String?
}

/// A request of an account or of a new key.
private struct Signed {
  let account: String?
  let key: P256.Signing.PublicKey
  let payload: [UInt8]
  /// In JSON, as it is hashed.
  let thumbprint: String
}

extension StandInAuthority {
  func answer(_ request: Request, _ body: [UInt8]) async -> Response {
    var response: Response
    do {
      state.withLock { $0.requests += 1 }
      if case .down = state.withLock(\.mood) { return Response(status: .serviceUnavailable) }
      response = try await route(request, body)
      if case .losesAnswers(let place) = state.withLock(\.mood), request.uri.path.hasPrefix(place) {
        return Response(status: .serviceUnavailable)
      }
    } catch let refused as Refused {
      var problem = ["type": "urn:ietf:params:acme:error:\(refused.kind)", "detail": refused.detail]
      problem["status"] = nil
      response = json(problem, status: .init(code: refused.status))
      if let retry = refused.retryAfter { response.headers[.retryAfter] = retry }
    } catch {
      response = json(
        ["type": "urn:ietf:params:acme:error:malformed", "detail": "\(error)"], status: .badRequest)
    }
    let nonce = base64URL(Array(UUID().uuidString.utf8))
    state.withLock { _ = $0.nonces.insert(nonce) }
    if let name = HTTPField.Name("Replay-Nonce") { response.headers[name] = nonce }
    return response
  }

  private func route(_ request: Request, _ body: [UInt8]) async throws -> Response {
    let path = request.uri.path
    let parts = path.split(separator: "/").map(String.init)
    switch (request.method, parts.first) {
    case (.get, "directory"): return directoryAnswer()
    case (.head, "nonce"): return Response(status: .ok)
    case (.post, let place?):
      let signed = try signed(request, body, at: "\(url)\(path)")
      let number = parts.count > 1 ? Int(parts[1]) ?? -1 : -1
      let second = parts.count > 2 ? Int(parts[2]) ?? -1 : -1
      switch place {
      case "account": return try account(signed)
      case "order" where parts.count == 1: return try newOrder(signed)
      case "revoke": return try revoke(signed)
      case "order": return json(try orderObject(try own(number, signed)))
      case "authorization": return json(try authorizationObject(number, second))
      case "challenge": return try await challenge(number, second, parts.count > 3 ? parts[3] : "", signed)
      case "finalize": return try finalize(try own(number, signed), signed)
      case "certificate":
        guard let chain = try order(try own(number, signed)).chain else { throw Refused(kind: "malformed") }
        return Response(
          status: .ok, headers: [.contentType: "application/pem-certificate-chain"],
          body: .init(byteBuffer: ByteBuffer(string: chain)))
      default: break
      }
    default: break
    }
    return Response(status: .notFound)
  }

  private func directoryAnswer() -> Response {
    let needsBinding = state.withLock(\.needsBinding)
    return json([
      "newNonce": "\(url)/nonce", "newAccount": "\(url)/account", "newOrder": "\(url)/order",
      "revokeCert": "\(url)/revoke",
      "meta": [
        "termsOfService": "\(url)/terms", "caaIdentities": ["authority.test"], "externalAccountRequired": needsBinding,
      ] as [String: any Sendable],
    ])
  }

  // MARK: Signatures

  private func signed(_ request: Request, _ body: [UInt8], at url: String) throws -> Signed {
    guard request.headers[.contentType] == "application/jose+json" else { throw Refused(kind: "malformed") }
    let message = try object(body)
    guard let protected = message["protected"] as? String, let payload = message["payload"] as? String,
      let signature = (message["signature"] as? String).flatMap(bytes), let head = bytes(protected),
      let content = bytes(payload)
    else { throw Refused(kind: "malformed") }
    let header = try object(head)
    guard header["alg"] as? String == "ES256", header["url"] as? String == url else { throw Refused(kind: "malformed") }
    let isGood = state.withLock { state in
      guard let nonce = header["nonce"] as? String, state.nonces.remove(nonce) != nil else { return false }
      guard state.refusedNonces > 0 else { return true }
      state.refusedNonces -= 1
      return false
    }
    guard isGood else { throw Refused(kind: "badNonce") }
    let account = header["kid"] as? String
    let key: P256.Signing.PublicKey
    if let account {
      guard let known = state.withLock({ $0.accounts[account] }) else { throw Refused(kind: "accountDoesNotExist") }
      key = known
    } else {
      guard let jwk = header["jwk"] as? [String: String], let x = jwk["x"].flatMap(bytes),
        let y = jwk["y"].flatMap(bytes)
      else { throw Refused(kind: "malformed") }
      key = try P256.Signing.PublicKey(x963Representation: [4] + x + y)
    }
    guard
      key.isValidSignature(
        try P256.Signing.ECDSASignature(rawRepresentation: signature), for: Array("\(protected).\(payload)".utf8))
    else { throw Refused(kind: "malformed", detail: "the signature is wrong") }
    let point = Array(key.x963Representation)
    let text =
      #"{"crv":"P-256","kty":"EC","x":""# + base64URL(Array(point[1..<33])) + #"","y":""#
      + base64URL(Array(point[33..<65])) + #""}"#
    return Signed(
      account: account, key: key, payload: content, thumbprint: base64URL(Array(SHA256.hash(data: Array(text.utf8)))))
  }

  // MARK: Resources

  private func account(_ signed: Signed) throws -> Response {
    let request = try object(signed.payload)
    guard request["termsOfServiceAgreed"] as? Bool == true else { throw Refused(kind: "userActionRequired") }
    let binding = request["externalAccountBinding"] as? [String: String]
    let (place, isNew) = try state.withLock { state in
      if let known = state.accounts.first(where: { $0.value.x963Representation == signed.key.x963Representation }) {
        return (known.key, false)
      }
      if state.needsBinding {
        guard let binding, let head = binding["protected"].flatMap(bytes) else {
          throw Refused(kind: "externalAccountRequired")
        }
        state.bindings.append(String(decoding: head, as: UTF8.self))
      }
      state.made += 1
      let place = "\(url)/accounts/\(state.made)"
      state.accounts[place] = signed.key
      state.contacts.append(request["contact"] as? [String] ?? [])
      return (place, true)
    }
    var response = json(["status": "valid"], status: isNew ? .created : .ok)
    response.headers[.location] = place
    return response
  }

  private func newOrder(_ signed: Signed) throws -> Response {
    if case .refuses(let kind, let detail, let retry) = state.withLock(\.mood) {
      throw Refused(kind: kind, detail: detail, status: 429, retryAfter: retry)
    }
    guard let account = signed.account, let list = try object(signed.payload)["identifiers"] as? [[String: String]]
    else { throw Refused(kind: "malformed") }
    let names = list.compactMap { $0["value"] }
    let number = state.withLock { state in
      state.orders.append(StandInOrder(names: names, account: account))
      return state.orders.count - 1
    }
    var response = json(try orderObject(number), status: .created)
    response.headers[.location] = "\(url)/order/\(number)"
    return response
  }

  private func order(_ number: Int) throws -> StandInOrder {
    try state.withLock { state in
      guard state.orders.indices.contains(number), number >= state.forgotten else {
        throw Refused(kind: "malformed", status: 404)
      }
      return state.orders[number]
    }
  }

  /// The number of an order, if it is the account's.
  private func own(_ number: Int, _ signed: Signed) throws -> Int {
    guard try order(number).account == signed.account else { throw Refused(kind: "unauthorized", status: 403) }
    return number
  }

  private func orderObject(_ number: Int) throws -> [String: any Sendable] {
    let order = try order(number)
    let isReady = order.proven.count == order.names.count
    var object: [String: any Sendable] = [
      "status": order.problem != nil ? "invalid" : order.chain != nil ? "valid" : isReady ? "ready" : "pending",
      "authorizations": order.names.indices.map { "\(url)/authorization/\(number)/\($0)" },
      "finalize": "\(url)/finalize/\(number)",
    ]
    if order.chain != nil { object["certificate"] = "\(url)/certificate/\(number)" }
    return object
  }

  private func token(_ number: Int, _ index: Int) -> String {
    base64URL(Array(SHA256.hash(data: Array("\(url) \(number) \(index)".utf8))))
  }

  private func authorizationObject(_ number: Int, _ index: Int) throws -> [String: any Sendable] {
    let order = try order(number)
    guard order.names.indices.contains(index) else { throw Refused(kind: "malformed", status: 404) }
    let status = order.failed == index ? "invalid" : order.proven.contains(index) ? "valid" : "pending"
    let challenges = ["dns-01", "http-01", "tls-alpn-01"].map { kind in
      var challenge: [String: any Sendable] = [
        "type": kind, "url": "\(url)/challenge/\(number)/\(index)/\(kind)", "token": token(number, index),
        "status": status,
      ]
      if order.failed == index, let problem = order.problem {
        challenge["error"] = ["type": "urn:ietf:params:acme:error:\(problem.kind)", "detail": problem.detail]
      }
      return challenge
    }
    return [
      "identifier": ["type": "dns", "value": order.names[index]], "status": status, "challenges": challenges,
    ]
  }

  private func challenge(_ number: Int, _ index: Int, _ kind: String, _ signed: Signed) async throws -> Response {
    let name = try order(number).names[index]
    guard let kind = Challenge.Kind(rawValue: kind) else { throw Refused(kind: "malformed") }
    let token = token(number, index)
    let problem = await verify(
      Proof(name: name, kind: kind, token: token, keyAuthorization: "\(token).\(signed.thumbprint)"))
    state.withLock { state in
      if let problem {
        (state.orders[number].problem, state.orders[number].failed) = (problem, index)
      } else {
        state.orders[number].proven.insert(index)
      }
    }
    return json(["type": kind.rawValue, "status": "processing", "token": token])
  }

  private func finalize(_ number: Int, _ signed: Signed) throws -> Response {
    let order = try order(number)
    guard order.proven.count == order.names.count else { throw Refused(kind: "orderNotReady") }
    guard let text = try object(signed.payload)["csr"] as? String, let csr = bytes(text) else {
      throw Refused(kind: "badCSR")
    }
    let request = try CertificateSigningRequest(derEncoded: csr)
    let names = try request.attributes.extensionRequest?.extensions.subjectAlternativeNames?.count ?? 0
    guard names == order.names.count else { throw Refused(kind: "badCSR", detail: "other names than in the order") }
    let life = state.withLock(\.life)
    let chain = try root.certificate(for: request, from: life.from, to: life.to).serializeAsPEM().pemString
    state.withLock { $0.orders[number].chain = chain }
    return json(try orderObject(number))
  }

  private func revoke(_ signed: Signed) throws -> Response {
    let request = try object(signed.payload)
    guard let certificate = request["certificate"] as? String, let der = bytes(certificate),
      (try? Certificate(derEncoded: der)) != nil
    else { throw Refused(kind: "malformed") }
    try state.withLock { state in
      if state.revoked.contains(where: { $0.certificate == certificate }) { throw Refused(kind: "alreadyRevoked") }
      state.revoked.append((certificate, request["reason"] as? Int ?? 0))
    }
    return Response(status: .ok)
  }

  // MARK: JSON

  private func json(_ object: [String: any Sendable], status: HTTPResponse.Status = .ok) -> Response {
    let data = (try? JSONSerialization.data(withJSONObject: object)) ?? Data()
    return Response(
      status: status, headers: [.contentType: "application/json"], body: .init(byteBuffer: ByteBuffer(bytes: data)))
  }

  private func object(_ bytes: [UInt8]) throws -> [String: Any] {
    try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] ?? [:]
  }

  private func base64URL(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  private func bytes(_ text: String) -> [UInt8]? {
    let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
    return Data(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4)).map(Array.init)
  }
}
