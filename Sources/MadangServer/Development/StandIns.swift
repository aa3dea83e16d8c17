import MadangCore

/// The state of the stand-ins for providers, and the sessions for acting for accounts.
package struct StandIns: Sendable {
  var payments = RecentValues<Payment>()
  var profiles: [SocialProvider: RecentValues<SocialProfile>] = [:]
  var pushes = DevelopmentPushes.State()
  var mails = DevelopmentMails.State()
  var sessions: [DevelopmentSessions.Key: SessionID] = [:]

  /// The empty state.
  package init() {}
}

extension Development {
  var standIns: StandIns {
    get {
      var known = StandIns()
      (known.payments, known.pushes, known.sessions) = (payments.kept, pushes.kept, sessions.kept)
      known.mails = mails.kept
      for provider in SocialProvider.allCases { known.profiles[provider] = socialTokens(provider)?.kept }
      return known
    }
    nonmutating set {
      (payments.kept, pushes.kept, sessions.kept) = (newValue.payments, newValue.pushes, newValue.sessions)
      mails.kept = newValue.mails
      for (provider, profiles) in newValue.profiles { socialTokens(provider)?.kept = profiles }
    }
  }
}

/// Limits of texts that the stand-ins keep: thousands of them, in each world.
enum StandInText {
  private static let maxSize = 1000

  /// Throws `BadCall` for a text that is too long.
  static func check(_ text: String?, _ field: String) throws(BadCall) {
    if let text, text.utf8.count > maxSize { throw BadCall("\(field): \(maxSize) bytes at most") }
  }
}
