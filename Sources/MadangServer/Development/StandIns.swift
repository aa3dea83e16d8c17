import MadangCore

/// What the stand-ins for other people's servers know at one moment, and in which sessions accounts are acted for.
package struct StandIns: Sendable {
  var payments = RecentValues<Payment>()
  var profiles: [SocialProvider: RecentValues<SocialProfile>] = [:]
  var pushes = DevelopmentPushes.State()
  var sessions: [DevelopmentSessions.Key: SessionID] = [:]

  /// Nothing and nobody.
  package init() {}
}

extension Development {
  var standIns: StandIns {
    get {
      var known = StandIns()
      (known.payments, known.pushes, known.sessions) = (payments.kept, pushes.kept, sessions.kept)
      for provider in SocialProvider.allCases { known.profiles[provider] = socialTokens(provider)?.kept }
      return known
    }
    nonmutating set {
      (payments.kept, pushes.kept, sessions.kept) = (newValue.payments, newValue.pushes, newValue.sessions)
      for (provider, profiles) in newValue.profiles { socialTokens(provider)?.kept = profiles }
    }
  }
}
