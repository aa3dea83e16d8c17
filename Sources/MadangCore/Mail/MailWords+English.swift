extension MailWords {
  static let english = MailWords(
    test: Letter(
      subject: "{name}: Mails arrive",
      body: "This is a test mail. There is nothing to do."),
    passwordReset: Letter(
      subject: "{name}: Choose a new password",
      body: """
        We received a request for a new password for your account at {name}. The link works once, within 30 minutes.

        Choose a new password:
        {link}

        If it was not you, there is nothing to do: the password stays the same.
        """),
    passwordResetByOperator: Letter(
      subject: "{name}: Choose a new password",
      body: """
        The operator of {name} asks you to choose a new password for your account. The link works once, within 30 minutes.

        Choose a new password:
        {link}

        If you do nothing, the password stays the same.
        """),
    confirmation: Letter(
      subject: "{name}: Confirm your address",
      body: """
        An account with this address was created at {name}. If it was you, confirm the address, with the password of the account.

        Confirm the address:
        {link}

        If it was not you, ignore this mail: an account without confirmation is deleted after a while.
        """),
    invitation: Letter(
      subject: "{name}: You are invited",
      body: """
        {invitation}. The invitation is valid until {until} UTC.

        Open the invitation:
        {link}

        If you do not know who sent it, ignore this mail: without you, nothing happens.
        """),
    approvalNeeded: Letter(
      subject: "{name}: An account waits for approval",
      body: """
        A new account waits for your approval. 'madang admin users pending' lists all waiting accounts; you get at most one such \
        mail per hour.
        """),
    accountApproved: Letter(
      subject: "{name}: Your account was approved",
      body: "Your account at {name} was approved. You can now create workspaces and be added to them."),
    newSignIn: Letter(
      subject: "{name}: A sign-in from a new place",
      body: """
        Your account at {name} was used from a new place, or for the first time since its password was changed.

        When: {time} UTC
        Network: {network}
        Device: {device}

        If it was you, there is nothing to do. If it was not you, choose a new password, which signs out all devices.

        Choose a new password:
        {link}
        """),
    newSignInByProvider: Letter(
      subject: "{name}: A sign-in from a new place",
      body: """
        Your account at {name} was used from a new place, or for the first time since its password was changed.

        When: {time} UTC
        Network: {network}
        Device: {device}

        If it was you, there is nothing to do. If it was not you, withdraw the app's access in your {provider} account, and \
        inform the operator of {name}.
        """),
    toAccount: "You get this mail because an account at {name} has this address.",
    toOperator: "You get this mail because the operator of {name} entered this address.",
    invited: InvitedSentences(
      toServer: "You are invited to {name}", toWorkspace: "You are invited to “{workspace}” at {name}",
      toServerBy: "{inviter} invites you to {name}", toWorkspaceBy: "{inviter} invites you to “{workspace}” at {name}"),
    unknown: "not known",
    devices: [:])
}
