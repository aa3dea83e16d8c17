import SocketIOProtocol

/// Why there is no certificate, in words for operators.
package struct ACMEError: Error, CustomStringConvertible {
  package enum Reason: Sendable {
    /// The authority could not be reached at a URL.
    case unreachable(String, any Error)
    /// It did not answer in time, or did not finish.
    case slow
    /// Its answer makes no sense.
    case unusable
    /// It refused a request.
    case refused(kind: String)
    /// It could not verify a name.
    case unproven(kind: String)
  }

  package let reason: Reason
  /// What happened, and what the authority said.
  package let message: String
  /// What an operator can do.
  package let cure: String
  /// How long the authority asks to wait; nil if it does not say.
  package let pause: Duration?
  /// Whether the order can never give a certificate.
  let endsOrder: Bool

  init(_ reason: Reason, _ message: String, cure: String, pause: Duration? = nil, endsOrder: Bool = false) {
    (self.reason, self.message, self.cure, self.pause) = (reason, message, cure, pause)
    self.endsOrder = endsOrder
  }

  package var description: String { "\(message); \(cure)" }

  /// The same, of an order that may still give a certificate.
  var keepingOrder: ACMEError { ACMEError(reason, message, cure: cure, pause: pause) }
}

extension ACMEError {
  /// An answer that breaks the protocol.
  package static func unusable(_ what: String, at url: String, endsOrder: Bool = false) -> ACMEError {
    ACMEError(
      .unusable, "the authority's answer is not of ACME: \(what) (\(LogText(url)))",
      cure: "check that the address is that of an ACME directory", endsOrder: endsOrder)
  }

  /// A certificate that its server does not take.
  package static func notTaken(_ why: String, cure: String) -> ACMEError {
    ACMEError(.unusable, "the authority's certificate is not taken: \(why)", cure: cure)
  }

  /// - Parameter what: What the authority had to do.
  package static func slow(_ what: String) -> ACMEError {
    ACMEError(.slow, "the authority did not \(what) in time", cure: "wait for the next try; it may be busy")
  }

  /// A refused request.
  /// - Parameter names: The names of the certificate.
  static func refused(
    _ problem: Problem, status: Int, names: [String], caa: [String], pause: Duration?, endsOrder: Bool = false
  ) -> ACMEError {
    var (kind, name, words) = problem.cause
    // Some authorities have no type for a contact that they want.
    if kind == "malformed", words.lowercased().contains("contact") { kind = "invalidContact" }
    let subject = name ?? names.joined(separator: ", ")
    let message =
      "the authority refused" + (subject.isEmpty ? "" : " a certificate for \(subject)") + ": \(words)"
      + (kind.isEmpty ? " (status \(status))" : "")
    return ACMEError(
      .refused(kind: kind), message, cure: cure(kind, subject, nil, caa, problem.instance), pause: pause,
      endsOrder: endsOrder)
  }

  /// A name that was not proven.
  static func unproven(_ name: String, _ kind: Challenge.Kind, _ problem: Problem?, caa: [String]) -> ACMEError {
    let (type, _, words) = (problem ?? Problem()).cause
    return ACMEError(
      .unproven(kind: type), "the authority could not verify \(name) by \(kind.rawValue): \(words)",
      cure: cure(type, name, kind, caa, nil))
  }

  private static func cure(
    _ problem: String, _ name: String, _ kind: Challenge.Kind?, _ caa: [String], _ instance: String?
  ) -> String {
    let port = kind.map { "port \($0.port)" } ?? "ports 80 and 443"
    switch problem {
    case "dns":
      return
        "let the DNS records A and AAAA of \(name) lead to this server, and remove an AAAA record without a way here"
    case "connection":
      return "let the authority reach \(name) at \(port) from the internet: check DNS, firewall and router"
    case "unauthorized", "incorrectResponse":
      return
        "\(port) of \(name) must lead to this server itself: check its DNS records A and AAAA, and proxies in front"
    case "tls":
      return "\(port) of \(name) must lead to this server without a proxy that ends TLS in front; with one, use http-01"
    case "caa":
      let issuer = caa.first.map { LogText($0).text } ?? "the authority"
      return "let a CAA record of \(name) allow it: 0 issue \"\(issuer)\"; or remove the CAA records"
    case "rateLimited":
      return "wait: the authority limits how many certificates and tries a name may have"
    case "externalAccountRequired":
      return "ask the authority for a key id and a key (external account binding), and set them"
    case "rejectedIdentifier", "unsupportedIdentifier":
      return "this authority gives no certificate for \(name): use a public name, or another authority"
    case "invalidContact", "unsupportedContact":
      return "correct the contact's e-mail address, or give one if there is none"
    case "userActionRequired":
      return "the authority's terms have changed; read and accept them"
        + (instance.map { " at \(LogText($0))" } ?? "")
    case "serverInternal": return "wait for the next try: the fault is the authority's"
    default: return "see what the authority says"
    }
  }
}
