import MadangCore
import Testing

@Suite("Delivered position of a room", .timeLimit(.minutes(5)))
struct RoomPositionTests {
  private static func chat(_ number: Int64, _ id: String? = nil) -> RoomPosition.Mark {
    .init(id: id ?? "chat \(number)", createdAt: number * 1000)
  }

  @Test("a position knows the last chats by their content, not only by number")
  func marks() {
    var position = RoomPosition(seq: 10)
    position.begin(with: Self.chat(10))
    for seq in 11...200 { position.deliver(Int64(seq), Self.chat(Int64(seq))) }
    #expect(position.seq == 200 && position.has(200, Self.chat(200)) && !position.has(200, Self.chat(200, "another")))
    #expect(position.has(170, Self.chat(170)) && !position.has(201, Self.chat(201)))
    position.goBack(to: 190)
    #expect(position.seq == 190 && position.has(190, Self.chat(190)) && !position.has(191, Self.chat(191)))
    position.goBack(to: 3)
    #expect(position.seq == 3 && !position.has(3, Self.chat(3)))
  }

  @Test("a chat older than the known ones counts as delivered")
  func before() {
    var position = RoomPosition(seq: 10)
    #expect(!position.wasDelivered(10, Self.chat(10)))
    position.begin(with: Self.chat(10))
    #expect(position.wasDelivered(10, Self.chat(10)) && position.wasDelivered(4, Self.chat(4)))
    #expect(!position.wasDelivered(10, Self.chat(11)) && !position.wasDelivered(4, Self.chat(11)))
  }

  @Test("a position passes numbers without a chat")
  func gaps() {
    var position = RoomPosition(seq: 10)
    position.deliver(11, Self.chat(11))
    position.deliver(13, Self.chat(13))
    #expect(position.seq == 13 && position.has(13, Self.chat(13)) && !position.has(11, Self.chat(11)))
    position.pass(15)
    #expect(position.seq == 15 && !position.has(13, Self.chat(13)))
    position.pass(14)
    #expect(position.seq == 15)
  }
}
