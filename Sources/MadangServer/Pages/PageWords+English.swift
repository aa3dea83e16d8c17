extension PageWords {
  static let english = PageWords(
    email: "E-mail address", password: "Password", newPassword: "New password", passwordAgain: "New password, again",
    show: "Show", hide: "Hide", rules: "Rules of a password",
    rule: Rules(
      long: "8 characters or more", upper: "upper case", lower: "lower case", digit: "digit", sign: "symbol",
      same: "typed twice"),
    missing: "Still missing:", met: "The password can be used.",
    notAnAddress: "This is not an e-mail address. Please check it.", noPassword: "Enter the password.",
    sendLink: "Send me a link", sent: "Look into your mails", gone: "This link no longer works",
    foreign: Notice(
      title: "Please open the page itself", text: "Another website sent this form, so nothing was changed."),
    tooMany: Notice(title: "Too many attempts", text: "Wait for a while, and then try again."),
    failed: Notice(title: "Something went wrong", text: "Nothing was changed. Try again in a minute."),
    readOnly: Notice(
      title: "Under maintenance", text: "The server is under maintenance and accepts no changes. Come back later."),
    tryAgain: "Try again", anotherMail: "Request another mail", toPassword: "Choose a new password",
    toChat: "Open the chat", toSignUp: "Create your account here", toApp: "Open the app", inApp: "Continue in the app.",
    forgot: Notice(
      title: "Forgot your password?",
      text: "Enter the e-mail address of your account. We will send you a link to choose a new password."),
    forgotSent:
      "If there is an account with this address, a mail is on its way. Its link works once, within 30 minutes. "
      + "Look into the spam folder, too.",
    choose: Notice(title: "Choose a new password", text: "{email} at {name}"), save: "Save",
    signsOut: "Saving signs you out on all devices.",
    badPassword:
      "A password needs 8 to 128 characters with an upper-case and a lower-case letter, a digit and a symbol. "
      + "Common ones, like Passw0rd! or Qwer1234!, are refused.",
    notSame: "The two passwords differ. Type the same one twice.",
    passwordGone: "It has been used or has expired. You can request another one.",
    chosen: Notice(
      title: "Your new password is saved", text: "All devices were signed out. Sign in with the new password."),
    confirmMail: Notice(
      title: "Confirm your address",
      text: "Enter the e-mail address of your account. We will send you another confirmation link."),
    confirmSent:
      "If an account with this address waits for confirmation, a mail is on its way. Look into the spam folder, too.",
    confirm: Notice(
      title: "Is this your account?",
      text: "An account with your address was created at {name}. If it was you, enter its password."),
    made: "Created on {time} UTC with the name “{nickname}”", doConfirm: "Confirm the address",
    confirmOther:
      "If it was not you, or you forgot the password, choose a new one: that also confirms the address, and signs "
      + "out the person who created the account.",
    wrongPassword: "This is not the password of the account.",
    confirmGone: "It has been used or has expired. If your address is not confirmed yet, request another mail.",
    confirmed: Notice(title: "Your address is confirmed", text: "You can use everything at {name} now."),
    waits: "An administrator has to approve the account before you can use everything at {name}.",
    inviteText: "Enter the e-mail address with which you will create your account.",
    inviteAddress: "Create your account with the address {email}.",
    inviteKnown:
      "The invitation is for a new account. If you have one already, ask the person who invites you to add it.",
    inviteFull:
      "The workspace has as many members as it may have. You can create your account now, and its owner can add you later.",
    inviteWorkspaceGone: "The workspace of this invitation was deleted. You can still create your account.",
    accept: "Accept the invitation",
    inviteGone: "The invitation has been used, has expired or was withdrawn. Ask the person who sent it for a new one.",
    accepted: Notice(title: "Welcome to {name}", text: "Now create your account, with exactly this address."))
}
