import Storage

extension Transaction {
  func certificate(_ id: CertificateID) throws -> CertificateState? {
    try first(
      """
      SELECT revision, chain, renew_at, tried_at, next_at, held_until, failures, failing_since, error, cure, asked, ordered_at
      FROM certificates WHERE directory = \(id.directory) AND names = \(id.text)
      """
    ) { row in
      let asked = CertificateState.asked(try row.get("asked"))
      return CertificateState(
        revision: try row.get("revision"), chain: try row.get("chain"), renewAt: try row.get("renew_at"),
        triedAt: try row.get("tried_at"), nextAt: try row.get("next_at"), heldUntil: try row.get("held_until"),
        failures: try row.get("failures"), failingSince: try row.get("failing_since"), error: try row.get("error"),
        cure: try row.get("cure"), orderedAt: try row.get("ordered_at"), wish: asked.wish, isWishTried: asked.isTried)
    }
  }

  /// A certificate with its stored private key, which may have been sealed; nil if there is none.
  func storedCertificate(_ id: CertificateID) throws -> (revision: Int64, chain: String, key: String?)? {
    try first(
      """
      SELECT revision, chain, private_key FROM certificates
      WHERE directory = \(id.directory) AND names = \(id.text) AND chain IS NOT NULL
      """
    ) { (try $0.get("revision"), try $0.get("chain"), try $0.get("private_key")) }
  }

  func insertCertificate(_ id: CertificateID) throws {
    try execute(
      """
      INSERT INTO certificates
        (directory, names, revision, renew_at, tried_at, next_at, held_until, failures, error, cure, asked)
      VALUES (\(id.directory), \(id.text), 0, 0, 0, 0, 0, 0, '', '', '') ON CONFLICT (directory, names) DO NOTHING
      """)
  }

  /// Claims a try. False if another server has changed the state since it was read. A wish stays until it is fulfilled.
  func claimCertificate(_ id: CertificateID, _ read: CertificateState, now: Int64, next: Int64) throws -> Bool {
    try execute(
      """
      UPDATE certificates SET tried_at = \(now), next_at = \(next), asked = \(CertificateState.asked(read.wish, isTried: true)),
        failures = failures + 1
      WHERE directory = \(id.directory) AND names = \(id.text) AND revision = \(read.revision) AND tried_at = \(read.triedAt)
        AND next_at = \(read.nextAt) AND held_until = \(read.heldUntil) AND failures = \(read.failures)
        AND asked = \(CertificateState.asked(read.wish, isTried: read.isWishTried))
      """) == 1
  }

  func setCertificate(_ id: CertificateID, chain: String, key: String, renewAt: Int64, now: Int64) throws {
    try execute(
      """
      UPDATE certificates SET chain = \(chain), private_key = \(key), revision = revision + 1, renew_at = \(renewAt),
        next_at = \(now), held_until = 0, failures = 0, failing_since = NULL, error = '', cure = '',
        order_url = NULL, order_key = NULL, ordered_at = NULL,
        asked = CASE WHEN asked IN (\(CertificateState.asked(.renewal, isTried: true)), \(CertificateState.asked(.revocation, isTried: true)))
          THEN '' ELSE asked END
      WHERE directory = \(id.directory) AND names = \(id.text)
      """)
  }

  /// Counts a certificate, that of a kept order once.
  func insertCertificateIssue(_ id: CertificateID, now: Int64) throws {
    try execute(
      """
      INSERT INTO certificate_issues (directory, names, issued_at)
      SELECT directory, names, COALESCE(ordered_at, \(now)) FROM certificates
      WHERE directory = \(id.directory) AND names = \(id.text)
      ON CONFLICT (directory, names, issued_at) DO NOTHING
      """)
  }

  /// The kept order, with its key as it is stored.
  func certificateOrder(_ id: CertificateID) throws -> (url: String, key: String)? {
    try first(
      """
      SELECT order_url, order_key FROM certificates
      WHERE directory = \(id.directory) AND names = \(id.text) AND ordered_at IS NOT NULL
      """
    ) { (try $0.get("order_url"), try $0.get("order_key")) }
  }

  /// False if the last try did not begin at this time.
  func setCertificateOrder(
    _ id: CertificateID, url: String?, key: String?, now: Int64?, triedAt: Int64
  ) throws -> Bool {
    try execute(
      """
      UPDATE certificates SET order_url = \(url), order_key = \(key), ordered_at = \(now)
      WHERE directory = \(id.directory) AND names = \(id.text) AND tried_at = \(triedAt)
      """) == 1
  }

  /// Records why the last try failed. A renewal is due from then on, also one that only an administrator wanted.
  /// - Parameter keepsPresent: Whether it is due when it was before.
  func failCertificate(
    _ id: CertificateID, _ error: String, cure: String, next: Int64, heldUntil: Int64, now: Int64,
    keepsPresent: Bool = false
  ) throws {
    // The latest renewal that fails by this, and the latest time of the next one.
    let (due, latest) = keepsPresent ? (now, Int64.max) : (.max, now)
    try execute(
      """
      UPDATE certificates SET error = \(error), cure = \(cure), next_at = \(next), held_until = \(heldUntil),
        failing_since = CASE WHEN failing_since IS NULL AND renew_at <= \(due) THEN \(now) ELSE failing_since END,
        renew_at = CASE WHEN renew_at > \(latest) THEN \(latest) ELSE renew_at END
      WHERE directory = \(id.directory) AND names = \(id.text)
      """)
  }

  /// Forgets a certificate that cannot be used, so that another one is ordered. Does nothing if there is a newer one.
  func dropCertificate(_ id: CertificateID, revision: Int64) throws {
    try execute(
      """
      UPDATE certificates SET chain = NULL, private_key = NULL
      WHERE directory = \(id.directory) AND names = \(id.text) AND revision = \(revision)
      """)
  }

  /// Lets the present certificate be renewed now; a wish that it be revoked is fulfilled. Others may know the key of a kept order, too.
  func endCertificate(_ id: CertificateID) throws {
    try execute(
      """
      UPDATE certificates SET renew_at = 0, order_url = NULL, order_key = NULL, ordered_at = NULL, asked = \(CertificateState.asked(.renewal, isTried: true))
      WHERE directory = \(id.directory) AND names = \(id.text)
      """)
  }

  func askForCertificate(_ id: CertificateID, _ wish: CertificateState.Wish) throws {
    try execute(
      "UPDATE certificates SET asked = \(wish.rawValue) WHERE directory = \(id.directory) AND names = \(id.text)")
  }

  /// When certificates were issued since a time, the oldest first. Later times than `now` came from a wrong clock.
  func certificateIssues(_ id: CertificateID, since time: Int64, now: Int64, limit: Int) throws -> [Int64] {
    try all(
      """
      SELECT issued_at FROM certificate_issues
      WHERE directory = \(id.directory) AND names = \(id.text) AND issued_at > \(time) AND issued_at <= \(now)
      ORDER BY issued_at DESC LIMIT \(limit)
      """
    ) { try $0.get("issued_at") }.reversed()
  }

  func insertCertificateWish(_ id: CertificateID, now: Int64) throws {
    try execute(
      """
      INSERT INTO certificate_wishes (directory, names, asked_at) VALUES (\(id.directory), \(id.text), \(now))
      ON CONFLICT (directory, names, asked_at) DO NOTHING
      """)
  }

  /// When administrators asked for a certificate since a time, the oldest first. Later times than `now` came from a wrong clock.
  func certificateWishes(_ id: CertificateID, since time: Int64, now: Int64, limit: Int) throws -> [Int64] {
    try all(
      """
      SELECT asked_at FROM certificate_wishes
      WHERE directory = \(id.directory) AND names = \(id.text) AND asked_at > \(time) AND asked_at <= \(now)
      ORDER BY asked_at DESC LIMIT \(limit)
      """
    ) { try $0.get("asked_at") }.reversed()
  }

  func deleteCertificateRemains(before time: Int64) throws {
    try execute("DELETE FROM certificate_issues WHERE issued_at < \(time)")
    try execute("DELETE FROM certificate_wishes WHERE asked_at < \(time)")
    try execute("DELETE FROM certificates WHERE tried_at < \(time)")
  }

  // MARK: Accounts

  func certificateAccount(_ directory: String) throws -> (key: String, url: String)? {
    try first("SELECT private_key, url FROM certificate_accounts WHERE directory = \(directory)") {
      (try $0.get("private_key"), try $0.get("url"))
    }
  }

  /// Stores a new account unless there is one.
  func insertCertificateAccount(_ directory: String, key: String) throws {
    try execute(
      """
      INSERT INTO certificate_accounts (directory, private_key, url) VALUES (\(directory), \(key), '')
      ON CONFLICT (directory) DO NOTHING
      """)
  }

  func setCertificateAccount(_ directory: String, key: String, url: String) throws {
    try execute(
      "UPDATE certificate_accounts SET private_key = \(key), url = \(url) WHERE directory = \(directory)")
  }

  // MARK: Proofs

  func insertCertificateProof(_ proof: CertificateProof, until end: Int64) throws {
    try execute(
      """
      INSERT INTO certificate_proofs (token, name, kind, key_authorization, expires_at)
      VALUES (\(proof.token), \(proof.name), \(proof.kind), \(proof.keyAuthorization), \(end))
      ON CONFLICT (token) DO UPDATE SET key_authorization = EXCLUDED.key_authorization, expires_at = EXCLUDED.expires_at
      """)
  }

  func certificateProofs(now: Int64, limit: Int) throws -> [CertificateProof] {
    try all(
      """
      SELECT token, name, kind, key_authorization FROM certificate_proofs WHERE expires_at > \(now) ORDER BY token
      LIMIT \(limit)
      """
    ) { row in
      CertificateProof(
        token: try row.get("token"), name: try row.get("name"), kind: try row.get("kind"),
        keyAuthorization: try row.get("key_authorization"))
    }
  }

  func deleteCertificateProofs(_ tokens: [String], endedBy time: Int64) throws {
    for token in tokens { try execute("DELETE FROM certificate_proofs WHERE token = \(token)") }
    try execute("DELETE FROM certificate_proofs WHERE expires_at <= \(time)")
  }
}
