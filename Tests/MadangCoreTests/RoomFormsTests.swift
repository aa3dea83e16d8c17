import Storage
import Testing

@testable import MadangCore

@Suite("Statements about rooms")
struct RoomFormsTests {
  private static let references: [Reference] = [
    .uuid("5e4d7f0a-0000-4000-8000-000000000001"), .uuid("none"), .uuid(""), .uuid("a\0b"), .number(3), .number(.min),
    .channel(named: ["ios", "iOS"], in: .number(4)),
  ]

  @Test(
    "a prepared statement equals a newly built one for the account, for all ways to name room and workspace",
    arguments: [(SQL.advancing, "UPDATE"), (SQL.readable, "SELECT")])
  func forms(_ statements: RoomForms, _ verb: String) {
    for kind in Room.Kind.allCases {
      for room in Self.references {
        for workspace in Self.references {
          let address = RoomAddress(kind, room, in: workspace)
          // One after the other: the values of the first account must not be reused for the second.
          for user in [77, 88] as [Int64] {
            let (sql, whole) = (
              statements.sql(address, for: user, at: 5000 + user), statements.make(address, user, 5000 + user)
            )
            #expect(sql.text == whole.text && sql.values == whole.values && sql.text.hasPrefix(verb))
            #expect(sql.values.contains(.integer(user)) && !sql.values.contains(.integer(165 - user)))
          }
        }
      }
    }
  }
}
