import Foundation

/// A mail's text as HTML. It is made of the text alone, so both say the same, and what a mail quotes can be nothing but text. It loads
/// nothing.
struct MailHTML {
  private let face: Face
  private let main: String
  private let small: String
  private let language: Language
  private let subject: String

  init(_ mail: Mail, _ face: Face) {
    let parts = mail.body.components(separatedBy: "\n\(Mail.delimiter)\n")
    (self.face, subject, main) = (face, mail.subject, parts[0])
    small = parts.dropFirst().joined(separator: "\n")
    language = mail.isKorean ? .korean : .english
  }

  var text: String {
    """
    <!doctype html>
    <html lang="\(language.rawValue)">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="supported-color-schemes" content="light dark">
    <title>\(subject.asHTML)</title>
    <style>
    :root { color-scheme: light dark; }
    a { color: \(light); }
    @media (prefers-color-scheme: dark) {
      .ground { background: #1b1815 !important; }
      .sheet { background: #232019 !important; border-color: #383228 !important; color: #efe8dc !important; }
      .small { color: #b0a594 !important; }
      .button { background: \(dark) !important; color: #1b1815 !important; }
      a { color: \(dark); }
    }
    </style>
    </head>
    <body class="ground" style="margin: 0; padding: 24px 12px; background: #faf7f2;">
    <div role="main" class="sheet" style="max-width: 480px; margin: 0 auto; padding: 28px 24px; background: #ffffff; \
    border: 1px solid #e4dccf; border-radius: 16px; color: #26211b; font: 16px/1.6 -apple-system, 'Apple SD Gothic Neo', \
    'Noto Sans KR', 'Segoe UI', sans-serif; word-break: keep-all; overflow-wrap: anywhere;">
    <p class="small" style="margin: 0 0 4px; color: #675e52; font-size: 14px;">\(face.name.asHTML)</p>
    <h1 style="margin: 0 0 16px; font-size: 19px; line-height: 1.35;">\(title.asHTML)</h1>
    \(paragraphs(main).joined(separator: "\n"))
    </div>
    <div role="contentinfo" class="small" style="max-width: 480px; margin: 16px auto 0; padding: 0 24px; color: #675e52; font: 13px/1.5 \
    -apple-system, 'Apple SD Gothic Neo', 'Noto Sans KR', 'Segoe UI', sans-serif; word-break: keep-all; overflow-wrap: anywhere;">\(lines(small))</div>
    </body>
    </html>

    """
  }

  /// The subject without the installation's name, which stands above it.
  private var title: String {
    let start = "\(face.name): "
    return subject.hasPrefix(start) ? String(subject.dropFirst(start.count)) : subject
  }

  /// As in `look.css`, unless the installation has a colour of its own.
  private var light: String { face.accent?.light.main.text ?? "#b04513" }
  private var dark: String { face.accent?.dark.main.text ?? "#f08a52" }

  private func paragraphs(_ text: String) -> [String] {
    text.components(separatedBy: "\n\n").filter { !$0.allSatisfy(\.isWhitespace) }.map { paragraph in
      let lines = paragraph.split(separator: "\n")
      guard lines.count == 2, Self.isLink(lines[1]) else {
        return "<p style=\"margin: 0 0 16px;\">\(self.lines(paragraph))</p>"
      }
      return """
        <p style="margin: 0 0 8px;"><a class="button" href="\(String(lines[1]).asHTML)" style="display: inline-block; \
        padding: 10px 18px; border-radius: 10px; background: \(light); color: #fffaf5; font-weight: 600; \
        text-decoration: none;">\(String(lines[0].hasSuffix(":") ? lines[0].dropLast() : lines[0]).asHTML)</a></p>
        <p class="small" style="margin: 0 0 16px; color: #675e52; font-size: 13px; word-break: break-all;">\
        \(String(lines[1]).asHTML)</p>
        """
    }
  }

  private func lines(_ text: String) -> String {
    text.split(separator: "\n").map { String($0).asHTML }.joined(separator: "<br>\n")
  }

  private static func isLink(_ line: Substring) -> Bool {
    (line.hasPrefix("https://") || line.hasPrefix("http://")) && !line.contains(where: \.isWhitespace)
  }
}

extension Mail {
  /// Whether most of its letters are Korean; names and links may be in other letters.
  fileprivate var isKorean: Bool {
    let words = body.split(whereSeparator: \.isWhitespace).filter { !$0.contains("://") }.joined().unicodeScalars
    let korean = words.count { (0xac00...0xd7a3).contains($0.value) }
    return korean > words.count { $0.properties.isAlphabetic } - korean
  }
}
