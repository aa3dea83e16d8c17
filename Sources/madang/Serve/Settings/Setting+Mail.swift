import MadangServer

extension Setting {
  static let mail: [Setting] = [
    text(
      "mail.smtp", "server that takes mails: smtp://HOST:587 or smtps://HOST:465; empty for no mails",
      \.settings.mail.server),
    text("mail.user", "user name at that server; empty where it asks for none", \.settings.mail.user),
    secret("mail.password", "password of that user", \.settings.mail.password),
    text("mail.from", "address that mails come from", \.settings.mail.from),
    text("mail.name", "name that mails come from", \.settings.mail.name),
    Setting(
      key: "mail.tls", help: "whether smtp:// is encrypted: auto (except to this machine), required or off",
      read: { text, loaded throws(Invalid) in
        guard let tls = MailSettings.TLS(rawValue: text) else { throw Invalid(cure: "write auto, required or off") }
        loaded.settings.mail.tls = tls
      }, show: { $0.settings.mail.tls.rawValue }),
    text(
      "mail.tls.authorities", "PEM file of authorities that are believed besides the system's; empty for none",
      \.settings.mail.authorities),
    integer(
      "mail.timeout", "seconds connecting to that server may take, and all that is said then", \.settings.mail.timeout,
      1...600),
    integer(
      "mail.answer", "seconds that server may take to say that it has taken a mail", \.settings.mail.answerTimeout,
      1...1800),
    integer(
      "mail.pause", "seconds before a mail is tried again; they double, up to an hour", \.settings.mail.pause, 1...3600),
    integer("mail.attempts", "how often a mail is tried", \.settings.mail.attempts, 1...1000),
    milliseconds("mail.lifetime", "seconds a mail may wait to be taken", \.settings.mail.lifetime),
    integer("mail.parallel", "mails on their way at once", \.settings.mail.parallelSends, 1...100),
    integer("mail.queue", "mails that may wait; more are not sent", \.settings.mailQueueLimit, 1...1_000_000).live,
    integer(
      "mail.account.day", "mails that one account is sent in a day (UTC); 0 for any number", \.settings.accountMails,
      0...10_000
    ).live,
    integer(
      "mail.hour", "mails that are queued in an hour (UTC), and as many about sign-ins; 0 for any number",
      \.settings.hourlyMails, 0...1_000_000
    ).live,
    integer(
      "mail.sign.ins", "mails about sign-ins from new places that one account is sent in a day (UTC); 0 for none",
      \.settings.signInMails, 0...100
    ).live,
    integer(
      "mail.sign.ins.places", "places that are remembered of an account, the newest", \.settings.signInPlaces, 1...200
    ).live,
    integer(
      "mail.sign.ins.days", "days after which a place that was not used again counts as new",
      \.settings.signInPlaceDays, 1...3650
    ).live,
  ]
}
