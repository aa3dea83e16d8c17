import Foundation
import MadangCore

extension ProviderSettings {
  /// Problems of these settings, each with a cure.
  /// - Parameter deletesWithProvider: Whether deleting an Apple or Kakao account also deletes the account here.
  package func problems(deletesWithProvider: Bool) -> [String] {
    urlProblems() + paymentProblems() + signInProblems(deletesWithProvider) + pushProblems()
  }

  /// The URL of each provider with its setting, and whether it is used.
  package var addresses: [(key: String, url: String, isUsed: Bool)] {
    [
      ("payments.portone.url", portOne.url, !portOne.key.isEmpty),
      ("payments.portone.v2.url", portOneV2.url, !portOneV2.secret.isEmpty),
      ("apple.keys.url", apple.keysURL, !apple.audiences.isEmpty), ("kakao.url", kakao.url, !kakao.url.isEmpty),
      ("push.firebase.url", firebase.url, !firebase.accountFile.isEmpty),
      ("push.apns.url", applePush.url, !applePush.keyFile.isEmpty),
    ]
  }

  /// Whether free test payments count, because v1 does not mark them.
  package var countsTestPayments: Bool { !portOne.key.isEmpty && portOne.shops.isEmpty }

  private func urlProblems() -> [String] {
    var problems: [String] = []
    for (key, url, _) in addresses where !url.isEmpty && URL(string: url)?.host() == nil {
      problems.append("\(key): '\(url)' is not a URL; write one like https://example.com, without a slash at the end")
    }
    for (key, url, _) in addresses
    where URL(string: url).map({ $0.scheme != "https" && !isLoopback($0.host() ?? "") }) ?? false {
      problems.append("\(key): '\(url)' would send secrets without encryption; write it with https://")
    }
    // Not shown: they are secrets.
    for (key, secret) in [("payments.portone.v2.secret", portOneV2.secret), ("kakao.admin.key", kakao.adminKey)]
    where !secret.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
      problems.append("\(key): has a space or a character that is not ASCII; copy it from the console again")
    }
    return problems
  }

  private func paymentProblems() -> [String] {
    var problems: [String] = []
    if portOne.key.isEmpty != portOne.secret.isEmpty {
      problems.append("payments.portone: key and secret belong together; set both, or neither for no payments by v1")
    }
    if portOne.key.isEmpty, !portOne.shops.isEmpty {
      problems.append(
        "payments.portone.pg: works only with payments.portone.key (API v1); set the key, or leave out pg")
    }
    if !portOneV2.secret.isEmpty, !portOne.key.isEmpty || !portOne.secret.isEmpty {
      problems.append(
        "payments.portone: key and secret are for API v1, v2.secret is for API v2; set only one of the two. V2 knows the "
          + "payments of v1, too")
    }
    if portOneV2.secret.isEmpty, !portOneV2.store.isEmpty || portOneV2.takesTests {
      problems.append("payments.portone.v2: store and tests work only with secret; set it, or leave them out")
    }
    return problems
  }

  private func signInProblems(_ deletesWithProvider: Bool) -> [String] {
    var problems: [String] = []
    if !kakao.url.isEmpty && kakao.app == 0 && !kakao.takesAnyApp {
      problems.append(
        "kakao.app: without the number of your Kakao app, people can sign in with tokens of any app; set it, or allow that with "
          + "kakao.any.app = true")
    }
    if !kakao.adminKey.isEmpty && (kakao.url.isEmpty || kakao.app == 0) {
      problems.append(
        "kakao.admin.key: needs kakao.url and kakao.app, the number of its app; set them, or leave out the key"
      )
    }
    if apple.takesNotices && apple.audiences.isEmpty {
      problems.append(
        "apple.notices: needs apple.audience, the bundle ids of your apps; set it, or leave out the notices")
    }
    if deletesWithProvider && !apple.takesNotices && kakao.adminKey.isEmpty {
      problems.append(
        "accounts.delete.with.provider: no provider reports deleted accounts; set apple.notices or kakao.admin.key, or leave it out"
      )
    }
    return problems
  }

  /// The length of an APNs key's id, and of a team's.
  private static let appleIDSize = 10

  private func pushProblems() -> [String] {
    let parts = [applePush.keyFile, applePush.keyID, applePush.team, applePush.topic]
    if parts.contains(where: \.isEmpty), !parts.allSatisfy(\.isEmpty) {
      return ["push.apns: key, kid, team and topic belong together; set all four, or none for no push to APNs itself"]
    }
    return [
      ("push.apns.kid", applePush.keyID, "in the key file's name"),
      ("push.apns.team", applePush.team, "under Membership details"),
    ]
    .filter { _, id, _ in
      !id.isEmpty
        && (id.utf8.count != Self.appleIDSize || !id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
    }
    .map { key, id, place in
      "\(key): '\(id)' must have \(Self.appleIDSize) letters and digits; you find it \(place) at developer.apple.com"
    }
  }
}
