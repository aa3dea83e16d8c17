import Testing

@testable import MadangServer

@Suite("Fields of a body")
struct FieldsTests {
  @Test("every field is found, and the first of a repeated name counts")
  func many() throws {
    var fields = Fields()
    let names = (0..<20).map { "field\($0)" }
    for value in ["first", "second"] {
      for name in names { fields.add(name, .text("\(value) \(name)")) }
    }
    for name in names {
      guard case .text("first \(name)")? = fields[name] else {
        Issue.record("\(name): \(String(describing: fields[name]))")
        continue
      }
      #expect(fields.hasValue(of: name))
    }
    #expect(fields["field20"] == nil && !fields.hasValue(of: "field20"))
  }

  @Test("null counts as absent, and a later value of the same name is ignored")
  func null() {
    var fields = Fields()
    for name in ["content"] + (0..<10).map({ "field\($0)" }) {
      fields.add(name, .null)
      fields.add(name, .text("late"))
      #expect(!fields.hasValue(of: name))
    }
  }

  @Test("a field name that is too long or not ASCII is ignored")
  func names() {
    var fields = Fields()
    let long = String(repeating: "x", count: 64)
    for name in [long, long + "x", "내용", "conte\u{301}nt"] { fields.add(name, .text("")) }
    #expect(fields.hasValue(of: long))
    for name in [long + "x", "내용", "conte\u{301}nt"] { #expect(!fields.hasValue(of: name)) }
  }
}
