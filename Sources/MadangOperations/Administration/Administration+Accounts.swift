import MadangAPI
import MadangCore

/// The state of an account, as administrators name it.
public enum AccountStateName: String, CaseIterable, Sendable {
  case active, disabled, pending, unconfirmed, deleted
}

/// An account, with the data that an administrator looks at first.
public struct AccountDetailSummary: Encodable, Sendable {
  public struct Membership: Encodable, Sendable {
    public let number: Int64
    public let name: String
    public let isOwner: Bool
    public let joinedAt: String
  }

  public let account: AccountSummary
  public let phone: String
  /// `password`, `apple` or `kakao`; nil for a deleted account.
  public let signInMethod: String?
  /// The first 200.
  public let workspaces: [Membership]
  /// The first 200.
  public let sessions: [SessionSummary]

  init(_ details: AccountDetails) {
    let record = details.record
    account = AccountSummary(record)
    phone = record.account.phone
    signInMethod = record.deletedAt == nil ? record.account.signInMethod ?? "password" : nil
    workspaces = details.workspaces.map {
      Membership(
        number: $0.number, name: $0.workspace, isOwner: $0.isOwner, joinedAt: WireDate.string($0.joinedAt))
    }
    sessions = details.sessions.map(SessionSummary.init)
  }
}

extension Administration {
  /// Accounts in the order of their numbers.
  /// - Parameters:
  ///   - text: A part of the e-mail address or the nickname, ignoring case; empty for any.
  ///   - state: Nil for any.
  ///   - number: Only accounts after this one; nil for the first page.
  public func accounts(
    matching text: String = "", state: AccountStateName? = nil, after number: Int64? = nil, limit: Int
  ) async throws -> SearchedPage<AccountSummary> {
    var search = AccountSearch()
    (search.text, search.after, search.limit) = (text, number, limit)
    search.state = state.flatMap { AccountState(rawValue: $0.rawValue) }
    return SearchedPage(try await madang.accounts(search), AccountSummary.init)
  }

  /// The account with this number.
  public func account(_ number: Int64) async throws -> AccountSummary {
    AccountSummary(try await madang.account(number: number))
  }

  /// The account with this number, its first workspaces and sessions.
  public func accountDetails(_ number: Int64) async throws -> AccountDetailSummary {
    AccountDetailSummary(try await madang.accountDetails(number: number))
  }
}
