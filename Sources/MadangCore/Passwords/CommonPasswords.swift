/// Passwords that satisfy all rules about characters but are among the first that an attacker tries: a common word or a run of keys, with
/// digits in place of letters, between a few digits and symbols.
enum CommonPasswords {
  /// Digits and symbols around a word that do not make it stronger.
  private static let maxAffix = 6

  /// In lower case, without digits and symbols in place of letters. `dkssud` and similar words are Korean words typed with Latin keys.
  private static let words = Set(
    """
    aaa aaaa aaaaaa abc abcd abcde abcdef abcdefg abcdefgh access admin administrator adobe alexander amanda
    america andrew angel apple asd asdasd asdf asdfasdf asdfg asdfgh asdfghjkl ashley azerty bailey baseball
    basketball batman blink buster charlie chatchat cheese chelsea chocolate company computer cookie dbsdkdi
    default diablo dkssud dkssudgktpdy donald dragon eagle everton falcon family flower football forever freedom
    ginger gkgkgk google guest hannah harley hello helloworld hunter iloveu iloveyou internet jennifer jessica
    jesus jordan joshua killer korea letmein liverpool login love lovely madang maggie manager master matrix
    matthew michael michelle minecraft money monkey mustang naver nicole ninja nothing office orange pass passw
    passwd password passwords pepper phoenix pokemon princess purple qaz qazwsx qazwsxedc qlalfqjsgh qwe qweasd
    qweasdzxc qweqwe qwer qwerasdf qwerqwer qwert qwerty qwertyui qwertyuiop qwertz robert root samsung secret
    seoul server shadow soccer spring startup starwars student summer sunshine super superman superuser system
    temp temporary test testing testtest thomas tigger tkfkd tkfkdgo tkfkdgody trustno user username welcome
    whatever winter xptmxm zaq zaqxsw zxc zxcv zxcvb zxcvbn zxcvbnm
    """.split { $0.isWhitespace })

  /// Runs of keys that contain digits, in lower case.
  private static let runs = [
    "1q2w3e4r", "1qaz2wsx", "q1w2e3r4", "zaq12wsx", "1q2w3e", "qwer1234", "1234qwer", "a1b2c3d4", "abc123", "1a2b3c4d",
  ]

  /// - Parameter password: Up to 128 characters.
  static func contains(_ password: String) -> Bool {
    let lower = password.lowercased()
    if runs.contains(where: { lower.contains($0) && lower.count - $0.count <= maxAffix }) { return true }
    let word = lower.trimmingPrefix { !$0.isLetter }
    let core = word.reversed().trimmingPrefix { !$0.isLetter }.reversed()
    guard lower.count - core.count <= maxAffix else { return false }
    return words.contains(Substring(core.map { letter(of: $0) }))
  }

  private static func letter(of character: Character) -> Character {
    switch character {
    case "0": "o"
    case "1", "!", "|": "i"
    case "3": "e"
    case "4", "@": "a"
    case "5", "$": "s"
    case "7": "t"
    default: character
    }
  }
}
