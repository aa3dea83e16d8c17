extension StringProtocol {
  package func trimmingWhitespace() -> String {
    var text = Substring(self)
    text = text.drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
