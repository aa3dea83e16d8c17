import MadangCore
import Testing

@Suite("How far a room was delivered")
struct RoomPositionTests {
  @Test("it knows the last chats by what they are, not by their number")
  func marks() {
    var position = RoomPosition(seq: 10)
    #expect(!position.hasMarks && position.isForgotten(10))
    position.begin(with: "ten")
    for seq in 11...200 { position.deliver("chat \(seq)") }
    #expect(position.seq == 200 && position.has(200, "chat 200") && !position.has(200, "another"))
    #expect(position.has(170, "chat 170") && !position.has(201, "chat 201") && position.isForgotten(100))
    position.goBack(to: 190)
    #expect(position.seq == 190 && position.has(190, "chat 190") && !position.has(191, "chat 191"))
    position.goBack(to: 3)
    #expect(position.seq == 3 && !position.hasMarks && !position.has(3, "chat 3"))
  }
}
