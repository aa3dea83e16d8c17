extension ServerControls {
  /// Records a payment that somebody has made; answers the `imp_uid` that a client shows then.
  /// - Parameter status: `paid`, `ready`, `cancelled` or `failed`.
  package func recordPayment(of merchantUID: String, amount: Int, status: String) throws(BadCall) -> String {
    guard let status = DevelopmentPayments.Status(rawValue: status) else {
      throw BadCall("status: there is no such one")
    }
    return try standIns.record(.init(merchantUID: merchantUID, amount: amount, status: status, impUID: nil)).impUID
  }

  /// A token as a provider, `apple` or `kakao`, would issue it.
  package func socialToken(
    from provider: String, subject: String, email: String?, nickname: String?
  ) throws(BadCall) -> String {
    try standIns.issue(.init(provider: provider, subject: subject, email: email, nickname: nickname)).token
  }

  private var standIns: Development {
    get throws(BadCall) {
      guard let development = current.backend.service.development else {
        throw BadCall("the server is not in development mode")
      }
      return development
    }
  }
}
