import MadangCore

/// Stand-ins for the providers that the settings leave out, in development mode.
package struct ProviderStandIns: Sendable {
  let payments: (any PaymentVerifier)?
  let social: [SocialProvider: any SocialVerifier]
  let pushes: (any PushSender)?
  let mails: (any MailSender)?

  package init(
    payments: (any PaymentVerifier)? = nil, social: [SocialProvider: any SocialVerifier] = [:],
    pushes: (any PushSender)? = nil, mails: (any MailSender)? = nil
  ) {
    (self.payments, self.social, self.pushes, self.mails) = (payments, social, pushes, mails)
  }
}
