/// A name that a certificate is for.
struct Identifier: Codable, Hashable, Sendable {
  let type: String
  let value: String

  init(name: String) { (type, value) = ("dns", name) }
}

/// A request for a certificate (RFC 8555, section 7.1.3).
struct Order: Decodable, Sendable {
  enum Status: String, Decodable, Sendable {
    /// Names wait for their proof.
    case pending
    /// All names are proven.
    case ready
    /// The certificate is being made.
    case processing
    case valid
    case invalid
  }

  let status: Status
  /// The addresses of its authorizations, one for each name.
  let authorizations: [String]
  let finalize: String
  /// The certificate's address, once it is there.
  let certificate: String?
  let error: Problem?
}
