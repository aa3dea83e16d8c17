import Foundation
import Storage

extension Madang {
  private var looksAtPlaces: Bool { settings.sendsMail && settings.mailing.signIns > 0 && !settings.publicURL.isEmpty }

  /// Records the place of a sign-in and returns whether it is new. A new place is reported to the owner by mail, unless it is the first
  /// known place of the account. The account must be locked.
  /// - Parameter method: The method's name in the audit log.
  func notePlace(of person: Person, from origin: Origin, by method: String, in transaction: Transaction) throws -> Bool
  {
    guard looksAtPlaces, let place = origin.place else { return false }
    let (user, now) = (person.id.number, clock.now)
    let hash = place.hash(of: user, key: settings.placeKey)
    let known = try transaction.places(of: user)
    let isNew = !known.isEmpty && !known.contains { $0.hash == hash && $0.seenAt > now - placeLifetime }
    // If the mail cannot be sent, the place stays new, and the next sign-in tries again.
    if isNew, try !tell(person, of: place, by: method, from: origin, in: transaction) { return true }
    try transaction.rememberPlace(hash, of: user, now: now)
    try transaction.deletePlaces(of: user, beyond: settings.mailing.signInPlaces)
    return isNew
  }

  /// False if too many mails were sent already.
  private func tell(
    _ person: Person, of place: SignInPlace, by method: String, from origin: Origin, in transaction: Transaction
  ) throws -> Bool {
    let user = person.id.number
    // An unconfirmed address may belong to another person.
    guard try limit(of: user, in: transaction) != .confirmation,
      try transaction.mailCount(of: user, .newSignIn, since: today) < settings.mailing.signIns
    else { return true }
    let texts = MailWords.of(settings.face.language(for: origin.languages))
    let mail = Mail(
      .newSignIn, to: person.email, method == Self.passwordMethod ? \.newSignIn : \.newSignInByProvider,
      for: origin.languages, settings,
      [
        "time": Mail.second(clock.now), "network": place.network ?? texts.unknown,
        "device": texts.devices[place.device] ?? place.device,
        "link": settings.link(to: .password), "provider": method.capitalized,
      ])
    do {
      try countSignInMail(in: transaction)
      try queue(mail, of: user, expiresAt: clock.now + Self.noticeLifetime, in: transaction)
    } catch let leftOut as MailLeftOut {
      note(leftOut, in: transaction)
      return false
    }
    try transaction.countMail(of: user, .newSignIn, since: today)
    return true
  }

  private var placeLifetime: Int64 { Int64(settings.mailing.signInPlaceDays) * 24 * 3_600_000 }

  /// Deletes places without a recent sign-in, one page at a time. The newest place of an account stays.
  package func forgetPlaces() async throws {
    // The page is small: each deletion is a statement of its own, and other writes of the batch wait.
    let (page, before) = (50, clock.now - placeLifetime)
    var last: SeenPlace?
    while true {
      let old = try await database.read { [last] in try $0.oldPlaces(seenBefore: before, after: last, limit: page) }
      if !old.isEmpty {
        try await database.write { for place in old { try $0.deletePlace(place, seenBefore: before) } }
      }
      guard old.count == page else { return }
      last = old.last
    }
  }
}
