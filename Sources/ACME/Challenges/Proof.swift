/// What proves to an authority that its caller controls a name (RFC 8555, section 8.1).
package struct Proof: Sendable, Equatable {
  package let name: String
  package let kind: Challenge.Kind
  /// The last part of the path at which the authority looks, for `http-01`: `/.well-known/acme-challenge/TOKEN`.
  package let token: String
  /// The file's content for `http-01`, and what the certificate for `tls-alpn-01` has the hash of.
  package let keyAuthorization: String

  package init(name: String, kind: Challenge.Kind, token: String, keyAuthorization: String) {
    (self.name, self.kind, self.token, self.keyAuthorization) = (name, kind, token, keyAuthorization)
  }
}
