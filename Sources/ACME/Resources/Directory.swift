/// The addresses and conditions of an authority (RFC 8555, section 7.1.1).
struct Directory: Decodable, Sendable {
  struct Meta: Decodable, Sendable {
    let termsOfService: String?
    /// The names by which CAA records allow this authority.
    let caaIdentities: [String]?
    let externalAccountRequired: Bool?
  }

  let newNonce: String
  let newAccount: String
  let newOrder: String
  let revokeCert: String?
  let meta: Meta?
}
