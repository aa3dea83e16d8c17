import HTTPTypes

extension HTTPFields {
  /// What the subscript answers, which makes the text anew even of a single field: for what every request is asked.
  func value(of name: HTTPField.Name) -> String? {
    guard let index = firstIndex(where: { $0.name == name }) else { return nil }
    return self[(index + 1)...].contains { $0.name == name } ? self[name] : self[index].value
  }
}
