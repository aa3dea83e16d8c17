/// Names of people in seeds and scripts.
enum ShortNames {
  /// The text before the `@` of each e-mail, where it is unique; otherwise the e-mail.
  static func of(_ emails: some Sequence<String>) -> [String: String] {
    let all = Set(emails)
    let locals = Dictionary(grouping: all) { $0.prefix { $0 != "@" }.lowercased() }
    return Dictionary(
      uniqueKeysWithValues: all.map { email in
        let local = email.prefix { $0 != "@" }
        return (email, locals[local.lowercased()]?.count == 1 && !local.isEmpty ? String(local) : email)
      })
  }
}
