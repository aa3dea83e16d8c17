import Testing

@testable import MadangCore

@Suite("The face of an installation")
struct FaceTests {
  @Test(
    "a reader's language is the one of most weight among those with texts",
    arguments: [
      ("ko-KR,ko;q=0.9,en-US;q=0.8,en;q=0.7", .korean), ("en-GB, ko;q=0.9", .english), ("en;q=0.5, ko", .korean),
      ("de-DE, fr;q=0.9, ko;q=0.1", .korean), ("KO", .korean), (" en ; q=0.1 , ko ; q=0.2", .korean),
      ("ko;q=0, en;q=0.1", .english), ("ko;q=nan, en", .english), ("de", nil), ("*", nil), ("", nil), (nil, nil),
      ("korean", nil), (",,;;q=,", nil),
      // Only the beginning of a long header is read.
      (String(repeating: "de,", count: 400) + "ko", nil),
    ] as [(String?, Language?)])
  func accepted(_ header: String?, _ language: Language?) {
    #expect(Language(accepted: header) == language)
  }

  @Test("a setting decides for all readers; without it, unknown readers get English")
  func setting() {
    var face = Face()
    #expect(face.language(for: "ko") == .korean && face.language(for: "de") == .english)
    #expect(face.language(for: nil) == .english)
    face.language = .korean
    #expect(face.language(for: "en") == .korean && face.language(for: nil) == .korean)
  }

  @Test("a colour is # and six hexadecimal digits")
  func colours() {
    for text in ["#2d6389", "#FFFFFF", "#000000"] { #expect(RGB(text)?.text == text.lowercased()) }
    for text in ["", "2d6389", "#2d638", "#2d63899", "#2d638g", "#+d6389", "red", "#２d6389", "#2d6389;}"] {
      #expect(RGB(text) == nil, "\(text)")
    }
  }

  @Test("every colour is made so dark or light that text in it and on it can be read on every ground")
  func contrast() throws {
    for red in stride(from: 0, through: 255, by: 51) {
      for green in stride(from: 0, through: 255, by: 51) {
        for blue in stride(from: 0, through: 255, by: 51) {
          let accent = Accent(RGB(red << 16 | green << 8 | blue))
          for (tones, grounds) in [(accent.light, Accent.lightGrounds), (accent.dark, Accent.darkGrounds)] {
            for ground in grounds + [tones.soft, tones.on] {
              #expect(tones.main.contrast(to: ground) >= 4.5, "\(red) \(green) \(blue) on \(ground.text)")
            }
            #expect(tones.deep.contrast(to: tones.on) >= 4.5)
          }
          #expect(accent.light.main.contrast(to: .white) >= 4.5)
        }
      }
    }
    // A colour that can be read stays as it is.
    #expect(Accent(try #require(RGB("#2d6389"))).light.main.text == "#2d6389")
    #expect(RGB.black.contrast(to: .white) == 21)
  }

  @Test("what is filled into a text is text, and is not searched for names")
  func filled() {
    #expect("{a} and {b}, {c}".filled(["a": "{b}", "b": "1"]) == "{b} and 1, {c}")
    #expect("{".filled(["": "x"]) == "{" && "}{a".filled(["a": "1"]) == "}{a")
    #expect("<a href='x'>&\"".asHTML == "&lt;a href=&#39;x&#39;&gt;&amp;&quot;")
  }
}
