import MadangAPI
import MadangCore

/// A step of a recorded script.
enum RecordedStep: Sendable {
  enum Value: Sendable {
    case text(String)
    case null
    /// By e-mail.
    case person(String)
  }

  case post(String, files: Int, place: String?, to: String?, by: String)
  case join(String, by: String)
  case leave(String, by: String)
  case call(String, EditionName, body: [(name: String, value: Value)], pictures: [String], by: String?)
  /// Milliseconds.
  case wait(Int64)

  /// Who does it.
  var person: String? {
    switch self {
    case .post(_, _, _, _, let person), .join(_, let person), .leave(_, let person): person
    case .call(_, _, _, _, let person): person
    case .wait: nil
    }
  }

  /// In the form of scripts.
  /// - Parameter short: The name of an e-mail.
  func value(_ short: (String) -> String) -> SeedValue {
    var fields = person.map { [("as", SeedValue.text(short($0)))] } ?? []
    switch self {
    case .post(let text, let files, let place, let to, _):
      fields.append(("post", .text(text)))
      if let to { fields.append(("to", .text(short(to)))) }
      if let place { fields.append(("in", .text(place))) }
      if files > 0 { fields.append(("files", .plain("\(files)"))) }
    case .join(let place, _): fields.append(("join", .text(place)))
    case .leave(let place, _): fields.append(("leave", .text(place)))
    case .call(let words, let edition, let body, let pictures, _):
      fields.append(("call", .text(words)))
      if edition != .october2024 { fields.append(("edition", .text(edition.rawValue))) }
      if !body.isEmpty {
        fields.append(
          (
            "body",
            .fields(
              body.map { name, value in
                switch value {
                case .text(let text): (name, .text(text))
                case .null: (name, .plain("null"))
                case .person(let person): (name, .fields([("person", .text(short(person)))]))
                }
              })
          ))
      }
      if !pictures.isEmpty { fields.append(("pictures", .list(pictures.map { .text($0) }))) }
    case .wait(let time): fields = [("wait", .word(LengthOfTime.text(ofMilliseconds: time)))]
    }
    return .fields(fields)
  }
}
