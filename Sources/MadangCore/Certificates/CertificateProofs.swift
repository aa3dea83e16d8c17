import Storage

extension Madang {
  /// The most proofs at a time: one for each name of a certificate.
  private static let maxProofs = 100

  /// Shows proofs at all servers until they are withdrawn, for an hour at most.
  package func show(_ proofs: [CertificateProof]) async throws {
    try await database.write(ignoresStop: true) { [self] transaction in
      for proof in proofs.prefix(Self.maxProofs) {
        try transaction.insertCertificateProof(proof, until: clock.now + CertificatePlan.proofLifetime)
      }
    }
  }

  package func withdraw(_ proofs: [CertificateProof]) async throws {
    try await database.write(ignoresStop: true) { [self] in
      try $0.deleteCertificateProofs(proofs.map(\.token), endedBy: clock.now)
    }
  }

  /// The certificate's state, and the proofs that servers show now.
  package func certificateNews(_ id: CertificateID) async throws -> (
    state: CertificateState?, proofs: [CertificateProof]
  ) {
    try await database.read { [now = clock.now] in
      (try $0.certificate(id), try $0.certificateProofs(now: now, limit: Self.maxProofs))
    }
  }
}
