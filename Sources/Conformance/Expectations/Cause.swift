/// One difference between a server and the contract. It may violate many rules.
package struct Cause: Sendable, Hashable {
  /// What the server does.
  package let sentence: String
  /// The rule that the difference is about; nil if several are equally close.
  package let rule: String?

  init(_ sentence: String, _ rule: String? = nil) { (self.sentence, self.rule) = (sentence, rule) }
}

/// The differences that servers of this kind often have.
extension Cause {
  static let errorsAsSuccess = Cause("Refusals come with a status of success.", "errors.status-400")
  static let errorsWithoutCode = Cause("Refusals have no errorCode.", "errors.one-key")
  static let expiryCodes = Cause("E05 and E06 are confused.", "expiry.refresh-token")
  static let rawToken = Cause("A valid token is refused when Authorization holds it alone.", "headers.raw-token")
  static let dateForm = Cause("Dates have another form than 2024-12-13T07:05:30.874Z.", "dates.form")
  static let quotedNumbers = Cause("Numbers are written as strings.", "answers.integers")
  static let nullsLeftOut = Cause("A key without a value is left out, not null.", "answers.nulls")
  static let idForm = Cause("Ids have another type or form.", "ids.form")
  static let emptyAnswer = Cause("An answer without content has another body.", "answers.empty")
  static let inclusiveCursor = Cause("The chat that a cursor names is sent or counted again.", "cursors.exclusive")
  static let partNames = Cause("A file is taken only under certain part names.", "multipart.any-file-name")
  static let ownChatsUnread = Cause("The caller's own chats count as unread.", "unread.not-own")
  static let namespaceNames = Cause("The rooms' namespaces have other names.", "sockets.connect.namespace")
  static let noEcho = Cause("A chat does not reach the sockets of its sender.", "sockets.delivery.sender")
  static let signUp = Cause("Signing up fails, and most rules begin with it: fix it first.", "users.join.session")

  package static let known: [Cause] = [
    errorsAsSuccess, errorsWithoutCode, expiryCodes, rawToken, dateForm, quotedNumbers, nullsLeftOut, idForm,
    emptyAnswer, inclusiveCursor, partNames, ownChatsUnread, namespaceNames, noEcho, signUp,
  ]

  /// Why a value differs from what is expected, if one habit of servers explains it.
  static func ofDifference(_ seen: JSON, from expected: JSON) -> Cause? {
    if seen.withoutNulls == expected.withoutNulls { return .nullsLeftOut }
    return seen.withoutQuotes == expected.withoutQuotes ? .quotedNumbers : nil
  }
}

extension JSON {
  /// The same without keys that are null.
  fileprivate var withoutNulls: JSON {
    switch self {
    case .object(let object): .object(object.filter { $0.value != .null }.mapValues(\.withoutNulls))
    case .list(let list): .list(list.map(\.withoutNulls))
    case .null, .bool, .number, .text: self
    }
  }

  /// The same with numbers in place of strings that hold one.
  fileprivate var withoutQuotes: JSON {
    switch self {
    case .object(let object): .object(object.mapValues(\.withoutQuotes))
    case .list(let list): .list(list.map(\.withoutQuotes))
    case .text(let text) where Int(text) != nil: .number(text)
    case .null, .bool, .number, .text: self
    }
  }
}
