import Foundation
import Testing

@testable import MadangCore

@Suite("Texts of mails")
struct MailTextTests {
  private static var letters: [(MailKind, KeyPath<MailWords, MailWords.Letter>)] {
    [
      (.test, \.test), (.passwordReset, \.passwordReset), (.passwordReset, \.passwordResetByOperator),
      (.addressConfirmation, \.confirmation), (.approvalNeeded, \.approvalNeeded),
      (.accountApproved, \.accountApproved),
      (.invitation, \.invitation), (.newSignIn, \.newSignIn), (.newSignIn, \.newSignInByProvider),
    ]
  }

  private static let link = "https://chat.example.com/password/0123456789abcdef0123456789abcdef"

  private static func settings(_ name: String = "Madang", _ language: Language? = nil) -> Settings {
    var settings = Settings()
    settings.publicURL = "https://chat.example.com"
    (settings.face.name, settings.face.language) = (name, language)
    return settings
  }

  private static func mail(
    _ letter: KeyPath<MailWords, MailWords.Letter>, _ settings: Settings, for accepted: String? = nil,
    kind: MailKind = .passwordReset
  ) -> Mail {
    let values = [
      "link": link, "time": "2026-11-28 22:30:11", "network": "203.0.113.0/24", "device": "a Mac", "provider": "Apple",
      "invitation": "Hana invites you", "until": "2026-12-01 10:00",
    ]
    return Mail(kind, to: "mina@example.com", letter, for: accepted, settings, values)
  }

  private static func isKorean(_ text: String) -> Bool {
    text.unicodeScalars.contains { (0xac00...0xd7a3).contains($0.value) }
  }

  private static func names(_ text: String) -> Set<String> { Set(text.matches(of: /\{\w+\}/).map { String($0.0) }) }

  @Test(
    "each mail says the same in both languages, with the same values, its link and the installation", arguments: 0..<9)
  func complete(_ number: Int) {
    let (kind, letter) = Self.letters[number]
    let (korean, english) = (MailWords.korean[keyPath: letter], MailWords.english[keyPath: letter])
    #expect(Self.isKorean(korean.subject) && Self.isKorean(korean.body))
    #expect(!Self.isKorean(english.subject) && !Self.isKorean(english.body))
    #expect(Self.names(korean.subject + korean.body) == Self.names(english.subject + english.body))
    for (language, name) in [(Language.korean, "Weekend Builders"), (.english, "우리 동아리 채팅")] {
      let mail = Self.mail(letter, Self.settings(name, language), kind: kind)
      let html = MailHTML(mail, Self.settings(name, language).face).text
      #expect(mail.subject.hasPrefix("\(name): ") && mail.body.contains("\(name): https://chat.example.com\n"))
      #expect(Self.names(mail.subject + mail.body).isEmpty)
      #expect(html.contains("<html lang=\"\(language.rawValue)\">"), "\(mail.subject)")
      guard english.body.contains("{link}") else { continue }
      #expect(mail.body.contains("\n\(Self.link)\n"))
      // As a button, and in full as text.
      #expect(html.contains("href=\"\(Self.link)\"") && html.contains(">\(Self.link)</p>"))
    }
  }

  @Test("all words of mails are there in both languages")
  func words() {
    let (korean, english) = (Mirror(reflecting: MailWords.korean), Mirror(reflecting: MailWords.english))
    #expect(korean.children.count == english.children.count)
    for child in korean.children {
      if let text = child.value as? String { #expect(Self.isKorean(text), "\(child.label ?? "")") }
    }
    for child in english.children {
      if let text = child.value as? String { #expect(!text.isEmpty && !Self.isKorean(text), "\(child.label ?? "")") }
    }
  }

  @Test("a mail is in the language of its reader, or the one of the setting")
  func language() {
    #expect(Self.isKorean(Self.mail(\.passwordReset, Self.settings(), for: "ko-KR,en;q=0.8").subject))
    #expect(!Self.isKorean(Self.mail(\.passwordReset, Self.settings(), for: "en").body))
    #expect(!Self.isKorean(Self.mail(\.passwordReset, Self.settings()).body))
    #expect(Self.isKorean(Self.mail(\.passwordReset, Self.settings("M", .korean), for: "en").body))
  }

  @Test("markup in a name is text, and a value cannot begin a line, a link's label or another mail")
  func hostile() {
    let evil = "<script>alert(1)</script>\n\nPay here:\nhttps://evil.example/\n\n-- \n{link}"
    let mail = Self.mail(\.passwordReset, Self.settings(evil))
    #expect(!mail.subject.contains("\n"))
    #expect(
      mail.body.components(separatedBy: "\n").allSatisfy { !$0.hasPrefix("https://evil") && !$0.hasPrefix("Pay") })
    #expect(mail.body.components(separatedBy: "\n\(Mail.delimiter)\n").count == 2)
    let html = MailHTML(mail, Self.settings(evil).face).text
    #expect(!html.contains("<script>alert") && html.contains("&lt;script&gt;") && !html.contains("href=\"https://evil"))
  }

  @Test("a mail loads nothing, and has the colour of the installation")
  func colour() {
    var settings = Self.settings()
    let plain = MailHTML(Self.mail(\.passwordReset, settings), settings.face).text
    #expect(plain.contains("#b04513") && !plain.contains("src=") && !plain.contains("url(") && !plain.contains("<img"))
    settings.face.accent = RGB("#2d6389").map(Accent.init)
    let blue = MailHTML(Self.mail(\.passwordReset, settings), settings.face).text
    #expect(blue.contains("background: #2d6389") && !blue.contains("#b04513"))
  }

  @Test("a mail that an earlier version queued is shown as it is")
  func plain() {
    let mail = Mail(.alarm, to: "a@b.cc", subject: "Disk <full>", body: "One & two\nthree\n\nfour\n")
    let html = MailHTML(mail, Face()).text
    #expect(html.contains("One &amp; two<br>\nthree</p>") && html.contains("<title>Disk &lt;full&gt;</title>"))
  }
}
