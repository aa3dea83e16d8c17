import Storage

/// A statement about an addressed room, an account and a time, prepared once for each way in which an address can name a room.
struct RoomForms: Sendable {
  typealias Make = @Sendable (_ address: RoomAddress, _ user: Int64, _ now: Int64) -> SQL

  /// The parts of an address on which the statement's text depends.
  private struct Shape: Hashable {
    let kind: Room.Kind
    let room: Reference.Form
    let workspace: Reference.Form
  }

  let make: Make
  private let forms: [Shape: SQLForm]

  /// - Parameters:
  ///   - bindsTime: Whether the statement contains the time.
  ///   - make: Makes the statement. Its text may depend only on the room's kind and on the form in which room and workspace are named.
  init(bindsTime: Bool, _ make: @escaping Make) {
    self.make = make
    var forms: [Shape: SQLForm] = [:]
    for kind in Room.Kind.allCases {
      for room in Reference.Form.allCases {
        for workspace in Reference.Form.allCases {
          forms[Shape(kind: kind, room: room, workspace: workspace)] = SQLForm(values: bindsTime ? 4 : 3) {
            let address = RoomAddress(kind, room.reference(to: $0, 0), in: workspace.reference(to: $0, 1))
            return make(address, $0.integer(2), $0.integer(3))
          }
        }
      }
    }
    self.forms = forms
  }

  /// The statement for an address. For a channel that is addressed by its name, each call builds the statement.
  func sql(_ address: RoomAddress, for user: Int64, at now: Int64 = 0) -> SQL {
    guard let room = address.room.formed, let workspace = address.workspace.formed,
      let form = forms[Shape(kind: address.kind, room: room.form, workspace: workspace.form)]
    else { return make(address, user, now) }
    return form.filled(room.value, workspace.value, .integer(user), .integer(now))
  }
}

extension Reference {
  /// The forms in which a single value names an object.
  enum Form: CaseIterable {
    case uuid, number

    func reference(to value: SQLForm.StandIns, _ number: Int) -> Reference {
      switch self {
      case .uuid: .uuid(value.text(number))
      case .number: .number(value.integer(number))
      }
    }
  }

  /// Nil if the reference needs more than one value.
  fileprivate var formed: (form: Form, value: SQLValue)? {
    switch self {
    case .uuid(let uuid): uuid.hasNUL ? nil : (.uuid, .text(uuid))
    case .number(let number): (.number, .integer(number))
    case .channelName: nil
    }
  }
}
