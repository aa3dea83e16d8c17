/// An address in the only form that SMTP commands carry here: one `@`, and ASCII letters without a special meaning.
///
/// Other addresses, quoted or in other scripts, are valid, but mails to them are dropped.
package struct MailAddress: Sendable {
  let text: String

  package init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    let special = Set(#"()<>[]:;\,""#.utf8)
    guard text.utf8.count <= 254, parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.count <= 253 }),
      text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !special.contains($0) })
    else { return nil }
    self.text = text
  }

  var domain: Substring { text[text.index(after: text.lastIndex(of: "@") ?? text.startIndex)...] }
}
