/// The one colour of an installation's pages and mails, for light and dark grounds. It is made darker or lighter until text in it, and
/// text on it, can be read by all (WCAG AA, 4.5:1).
package struct Accent: Sendable {
  package struct Tones: Sendable {
    package let main: RGB
    /// Under the pointer.
    package let deep: RGB
    /// A ground for text in ``main``.
    package let soft: RGB
    /// Text on ``main`` and ``deep``.
    package let on: RGB
  }

  package static let minContrast = 4.5

  package let light: Tones
  package let dark: Tones

  package init(_ colour: RGB) {
    light = Self.tones(of: colour, towards: .black, grounds: Self.lightGrounds, on: RGB(0xfffaf5))
    dark = Self.tones(of: colour, towards: .white, grounds: Self.darkGrounds, on: RGB(0x1b1815))
  }

  /// Paper, sheet and sunk of `look.css`.
  package static let lightGrounds = [RGB(0xfaf7f2), RGB(0xffffff), RGB(0xf2ede4)]
  package static let darkGrounds = [RGB(0x1b1815), RGB(0x232019), RGB(0x15130f)]

  private static func tones(of colour: RGB, towards end: RGB, grounds: [RGB], on: RGB) -> Tones {
    let steps = 50
    func tones(_ step: Int) -> Tones {
      let main = colour.mixed(with: end, Double(step) / Double(steps))
      return Tones(main: main, deep: main.mixed(with: end, 0.15), soft: grounds[1].mixed(with: main, 0.12), on: on)
    }
    func canBeRead(_ tones: Tones) -> Bool {
      (grounds + [tones.soft, on]).allSatisfy { tones.main.contrast(to: $0) >= minContrast }
    }
    return (0...steps).lazy.map(tones).first(where: canBeRead) ?? tones(steps)
  }

  /// The values of `look.css` that differ.
  package var css: String {
    ":root{\(Self.css(light))--mark:\(light.main.text)}@media (prefers-color-scheme:dark){:root{\(Self.css(dark))}}"
  }

  private static func css(_ tones: Tones) -> String {
    "--persimmon:\(tones.main.text);--persimmon-deep:\(tones.deep.text);--persimmon-soft:\(tones.soft.text);"
      + "--on-persimmon:\(tones.on.text);"
  }
}
