/// An address in the only form that stands in SMTP commands: one `@`, letters of ASCII, none of them with a meaning there.
///
/// Others are valid, quoted or in other scripts; mails to them are given up.
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
