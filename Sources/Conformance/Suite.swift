/// All rules, in the order of their ids.
package enum Suite {
  package static let rules: [Rule] = groups.flatMap(\.self).sorted { $0.id < $1.id }

  private static let groups: [[Rule]] = [
    KeyRules.all, OrderRules.all, PathRules.all, HeaderRules.all, AnswerRules.all, ErrorRules.all, BodyRules.all,
    MultipartRules.all, DateRules.all, CursorRules.all, LimitRules.all, EditionRules.all,
    SignUpRules.all, SignInRules.all, SocialRules.all, ProfileRules.all, PeopleRules.all,
    RefreshRules.all, ExpiryRules.all, SessionRules.all,
    WorkspaceRules.all, WorkspaceChangeRules.all, MembershipRules.all, SearchRules.all,
    ChannelRules.all, ChannelMembershipRules.all, ChannelNameRules.all,
    DirectMessageRules.all, DirectMessageOpeningRules.all,
    ChatRules.all, HistoryRules.all, UnreadRules.all,
    CoinRules.all, PaymentRules.all,
    FileRules.all, FileRules.documents, FileAccessRules.all, PictureRules.all,
    PushRules.all,
    HandshakeRules.all, UpgradeRules.all, NamespaceRules.all, DeliveryRules.all, AdmissionRules.all, OldSocketRules.all,
  ]

  /// The rules whose id contains one of the patterns; `*` stands for any text, and then the whole id must match.
  package static func rules(matching patterns: [String]) -> [Rule] {
    patterns.isEmpty ? rules : rules.filter { rule in patterns.contains { matches(rule.id, $0) } }
  }

  private static func matches(_ id: String, _ pattern: String) -> Bool {
    let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
    guard parts.count > 1, let first = parts.first, let last = parts.last else { return id.contains(pattern) }
    guard id.hasPrefix(first) else { return false }
    var rest = id.dropFirst(first.count)
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let found = rest.firstRange(of: part) else { return false }
      rest = rest[found.upperBound...]
    }
    return rest.hasSuffix(last)
  }
}
