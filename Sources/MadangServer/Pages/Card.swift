/// What a page of a link shows: texts, a form, and ways on. All of it is text; ``PageFrame`` makes HTML of it.
struct Card: Sendable {
  /// What a form asks for.
  enum Form: Sendable {
    case email
    /// - account: The address of the account, for programs that keep passwords.
    case newPassword(account: String)
    /// The one that an account has.
    case password
  }

  /// A link to another page.
  struct Way: Sendable {
    let text: String
    /// Empty for the page itself, whose address may be a secret.
    let path: String
    /// Whether it is what most people want here.
    var isMain = false

    /// Not as the main one.
    var aside: Way { Way(text: text, path: path) }
  }

  let title: String
  var text: String
  /// Lines about what the page is for.
  var facts: [String] = []
  var form: (Form, button: String)?
  /// Why what was typed cannot be used.
  var trouble = ""
  /// Stands below the form.
  var note = ""
  var ways: [Way] = []
}
