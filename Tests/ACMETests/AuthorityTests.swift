import ACMESupport
import Foundation
import Synchronization
import Testing

@testable import ACME

@Suite("Certificates from an authority", .timeLimit(.minutes(5)))
struct AuthorityTests {
  private static let names = ["chat.example.com", "www.example.com"]

  private static func account(
    _ authority: StandInAuthority, _ change: (inout Authority.Configuration) -> Void = { _ in }
  )
    -> Authority
  {
    var configuration = Authority.Configuration(directory: authority.directory, key: AccountKey())
    configuration.timeout = .seconds(60)
    configuration.patience = .seconds(120)
    change(&configuration)
    return Authority(configuration)
  }

  /// The error of a failed order.
  private static func failure(
    _ authority: Authority, _ names: [String] = names, by kind: Challenge.Kind = .http01
  ) async throws -> ACMEError {
    do {
      _ = try await authority.order(names, provingBy: kind) { _ in }
    } catch let error as ACMEError { return error }
    struct Succeeded: Error {}
    throw Succeeded()
  }

  @Test("an order proves each name and returns a chain that fits its key", arguments: Challenge.Kind.allCases)
  func order(_ kind: Challenge.Kind) async throws {
    let looked = Mutex<[Proof]>([])
    try await StandInAuthority.run { proof in
      looked.withLock { $0.append(proof) }
      return nil
    } _: { (standIn) async throws in
      let published = Mutex<[Proof]>([])
      let issued = try await Self.account(standIn).order(Self.names, provingBy: kind) { proofs in
        published.withLock { $0 = proofs }
      }
      #expect(issued.chain.names == Self.names && issued.chain.fits(issued.key, Self.names))
      #expect(!issued.chain.fits(CertificateKey(), Self.names) && !issued.chain.fits(issued.key, ["other.example.com"]))
      #expect(issued.chain.issuer == "Stand-in")
      #expect(looked.withLock(\.self) == published.withLock(\.self))
      #expect(published.withLock { $0.map(\.kind) } == [kind, kind])
    }
  }

  @Test("a request whose nonce is refused is repeated with another one, some times")
  func nonces() async throws {
    try await StandInAuthority.run { (standIn) async throws in
      standIn.refuseNonces(4)
      _ = try await Self.account(standIn).order(Self.names, provingBy: .http01) { _ in }
      standIn.refuseNonces(1000)
      let error = try await Self.failure(Self.account(standIn))
      guard case .refused(kind: "badNonce") = error.reason else { return #expect(Bool(false), "\(error)") }
      #expect(standIn.requests < 60)
    }
  }

  @Test("the account of a key is found again, and made again when the authority has lost it")
  func accounts() async throws {
    try await StandInAuthority.run { (standIn) async throws in
      let key = AccountKey()
      let first = Self.account(standIn) { ($0.key, $0.contact) = (key, "host@example.com") }
      let url = try await first.registered()
      #expect(standIn.contacts == [["mailto:host@example.com"]])
      let pem = key.pem
      let again = Self.account(standIn) { $0.key = (try? AccountKey(pem: pem)) ?? $0.key }
      #expect(try await again.registered() == url && standIn.accounts == 1)
      standIn.forgetAccounts()
      _ = try await first.order(Self.names, provingBy: .http01) { _ in }
      #expect(await first.account != url && standIn.accounts == 1)
    }
  }

  @Test("an authority that wants a customer's account gets its binding; without one the error says what to ask for")
  func externalAccounts() async throws {
    try await StandInAuthority.run { (standIn) async throws in
      standIn.needBinding()
      let error = try await Self.failure(Self.account(standIn))
      #expect(error.cure.contains("external account binding"))
      let bound = Self.account(standIn) {
        $0.externalAccount = ExternalAccount(id: "kid-1", key: "c2VjcmV0LWtleS1vZi1tYW55LWJ5dGVz")
      }
      _ = try await bound.registered()
      #expect(standIn.bindings.count == 1 && standIn.bindings[0].contains("kid-1"))
    }
    #expect(ExternalAccount(id: "kid-1", key: "%%%") == nil)
  }

  @Test(
    "a name that cannot be verified is named with what the authority said and what to do",
    arguments: [
      ("dns", "DNS records A and AAAA"), ("connection", "port 80"), ("unauthorized", "must lead to this server"),
      ("caa", "0 issue \"authority.test\""), ("tls", "use http-01"),
    ])
  func unproven(_ kind: String, _ cure: String) async throws {
    try await StandInAuthority.run { proof in
      proof.name == "www.example.com" ? (kind, "seen \u{1B}[31mred") : nil
    } _: { (standIn) async throws in
      let error = try await Self.failure(Self.account(standIn), by: .http01)
      #expect(error.message == #"the authority could not verify www.example.com by http-01: seen \u{1b}[31mred"#)
      #expect(error.cure.contains(cure))
      guard case .unproven(kind: kind) = error.reason else { return #expect(Bool(false), "\(error)") }
    }
  }

  @Test("a rate limit says how long to wait, in seconds or as a date")
  func rateLimits() async throws {
    try await StandInAuthority.run { (standIn) async throws in
      standIn.set(.refuses(kind: "rateLimited", detail: "too many certificates", retryAfter: "7200"))
      let error = try await Self.failure(Self.account(standIn))
      #expect(error.pause == .seconds(7200) && error.message.contains("too many certificates"))
      #expect(error.message.contains("chat.example.com, www.example.com") && error.cure.hasPrefix("wait"))
    }
    let now = Date(timeIntervalSince1970: 1_445_412_420)
    #expect(RetryAfter.duration("Wed, 21 Oct 2015 07:28:00 GMT", now: now) == .seconds(60))
    #expect(RetryAfter.duration("Wed, 21 Oct 2014 07:28:00 GMT", now: now) == .zero)
    #expect(RetryAfter.duration("-5", now: now) == .zero && RetryAfter.duration("soon", now: now) == nil)
    #expect(RetryAfter.duration("99999999999", now: now) == .seconds(86_400))
  }

  @Test("a certificate is revoked once; a second time is no error")
  func revocation() async throws {
    try await StandInAuthority.run { (standIn) async throws in
      let account = Self.account(standIn)
      let issued = try await account.order(Self.names, provingBy: .tlsALPN01) { _ in }
      try await account.revoke(issued.chain, because: .superseded)
      try await account.revoke(issued.chain, because: .superseded)
      #expect(standIn.revocations == 1)
    }
  }

  @Test("an authority that is down, one that is none, and one without TLS are errors with a cure")
  func unusable() async throws {
    try await StandInAuthority.run { (standIn) async throws in
      standIn.set(.down)
      #expect(try await Self.failure(Self.account(standIn)).message.contains("503"))
      standIn.set(.works)
      let other = Self.account(standIn) { $0.directory = "\(standIn.url)/nothing" }
      #expect(try await Self.failure(other).cure == "check that the address is that of an ACME directory")
    }
    var configuration = Authority.Configuration(directory: "http://127.0.0.1:1/directory", key: AccountKey())
    configuration.timeout = .seconds(60)
    guard case .unreachable = try await Self.failure(Authority(configuration)).reason else {
      return #expect(Bool(false), "something listens on port 1")
    }
  }

  @Test(
    "an address that the HTTP client cannot call is an error, not the end of the process",
    arguments: [
      "https://127.0.0.1:99999/d", "https://[::1]:70000/d", "https://127.0.0.1:0/d", "https:///d", "https://a b/d",
      "https://u:p@127.0.0.1/d", "https://127.0.0.1/\0", "https://127.0.0.1/" + String(repeating: "a", count: 3000),
    ])
  func addresses(_ url: String) async throws {
    #expect(!AuthorityAddress.isUsable(url))
    let error = try await Self.failure(Authority(.init(directory: url, key: AccountKey())))
    guard case .unusable = error.reason else { return #expect(Bool(false), "\(error)") }
    #expect(AuthorityAddress.isUsable("https://127.0.0.1:65535/d") && AuthorityAddress.isUsable("https://[::1]/d"))
  }

  @Test(
    "an authority elsewhere names no address of this machine or of a private network, in any spelling",
    arguments: [
      "127.0.0.1", "localhost", "api.localhost.", "router", "printer.local", "10.0.0.1", "172.31.0.1", "192.168.1.1",
      "169.254.169.254", "100.64.0.1", "0.0.0.0", "127.1", "2130706433", "0x7f000001", "127.0.0.0x1", "[::1]", "[::]",
      "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "[fe80::1]", "[fd00::1]", "[2002:7f00:1::]", "224.0.0.1",
      "%31%32%37.0.0.1",
    ])
  func privateAddresses(_ host: String) {
    let url = "https://\(host)/order"
    #expect(!AuthorityAddress.isUsable(url, from: "https://acme.example.com/directory"))
    if !host.contains("%") { #expect(AuthorityAddress.isUsable(url, from: "https://10.0.0.7:14000/dir")) }
  }

  @Test("an authority may name addresses of other public hosts, and of its own host wherever that is")
  func publicAddresses() {
    let directory = "https://acme.example.com/directory"
    for host in [
      "api.example.net", "8.8.8.8", "172.32.0.1", "[2606:4700::1]", "acme.example.com:8443", "ACME.example.com",
    ] {
      #expect(AuthorityAddress.isUsable("https://\(host)/order", from: directory), "\(host)")
    }
    #expect(AuthorityAddress.isUsable("https://ca.internal/order", from: "https://ca.internal/directory"))
  }

  @Test("an address in a private network is an error, without a call")
  func privateCall() async throws {
    try await StandInAuthority.run { (standIn) async throws in
      let calls = AuthorityCalls(directory: "http://acme.example.com/directory", roots: [], timeout: .seconds(5))
      let error = await #expect(throws: ACMEError.self) { try await calls.get("\(standIn.url)/directory") }
      #expect(error?.message.contains("an address that cannot be called") == true && standIn.requests == 0)
    }
  }

  /// Loses the answer to an order, and returns what was kept of it.
  private static func lost(
    _ standIn: StandInAuthority, _ account: Authority, at place: String = "/finalize"
  ) async throws -> BegunOrder {
    let kept = Mutex<BegunOrder?>(nil)
    standIn.set(.losesAnswers(to: place))
    await #expect(throws: ACMEError.self) {
      _ = try await account.order(
        names, provingBy: .http01,
        keep: { order in
          #expect(standIn.issued == 0, "kept before the certificate is issued")
          kept.withLock { $0 = order }
        }, { _ in })
    }
    standIn.set(.works)
    let order = kept.withLock { $0 }
    return try #require(order)
  }

  @Test("after a lost answer, the kept order gives the same certificate", arguments: ["/finalize", "/certificate"])
  func lostAnswer(_ place: String) async throws {
    try await StandInAuthority.run { (standIn) async throws in
      let account = Self.account(standIn)
      let begun = try await Self.lost(standIn, account, at: place)
      // An authority that is down ends no order.
      standIn.set(.down)
      await #expect(throws: ACMEError.self) {
        _ = try await account.order(
          Self.names, provingBy: .http01, goingOnWith: begun, keep: { _ in Issue.record("the order is not over") },
          { _ in })
      }
      standIn.set(.works)
      let issued = try await account.order(Self.names, provingBy: .http01, goingOnWith: begun) { _ in
        Issue.record("the names are proven")
      }
      #expect(issued.key.pem == begun.key.pem && issued.chain.fits(begun.key, Self.names))
      #expect(standIn.orders == 1 && standIn.issued == 1)
    }
  }

  private enum End: CaseIterable { case forgotten, invalid, otherAccount, otherAddress, otherKey }

  @Test("a kept order that is over is forgotten, and another one is made", arguments: End.allCases)
  private func over(_ end: End) async throws {
    try await StandInAuthority.run { (standIn) async throws in
      let first = Self.account(standIn)
      let lost = try await Self.lost(standIn, first)
      let account = end == .otherAccount ? Self.account(standIn) : first
      if end == .forgotten { standIn.forgetOrders() }
      if end == .invalid { standIn.failOrders() }
      let begun = BegunOrder(
        url: end == .otherAddress ? "https://authority.example.com/order/1" : lost.url,
        key: end == .otherKey ? CertificateKey() : lost.key)
      let kept = Mutex<[String?]>([])
      @Sendable func order(_ begun: BegunOrder?) async throws -> IssuedCertificate {
        try await account.order(
          Self.names, provingBy: .http01, goingOnWith: begun,
          keep: { order in kept.withLock { $0.append(order?.url) } },
          { _ in })
      }
      if end == .otherKey {
        await #expect(throws: ACMEError.self) { _ = try await order(begun) }
      }
      _ = try await order(end == .otherKey ? nil : begun)
      #expect(kept.withLock { $0.count == 2 && $0[0] == nil && $0[1] != begun.url } && standIn.orders == 2)
    }
  }

  @Test("an error of the caller's publishing ends the order")
  func publishing() async throws {
    struct Full: Error {}
    try await StandInAuthority.run { (standIn) async throws in
      await #expect(throws: Full.self) {
        _ = try await Self.account(standIn).order(Self.names, provingBy: .http01) { _ in throw Full() }
      }
    }
  }
}
