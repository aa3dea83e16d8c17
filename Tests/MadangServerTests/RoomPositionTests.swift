import MadangCore
import Testing

@Suite("How far a room was delivered")
struct RoomPositionTests {
  @Test("it knows the last chats by what they are, not by their number")
  func marks() {
    var position = RoomPosition(seq: 10)
    #expect(!position.hasMarks && position.isForgotten(10))
    position.begin(with: "ten")
    for seq in 11...200 { position.deliver(Int64(seq), "chat \(seq)") }
    #expect(position.seq == 200 && position.has(200, "chat 200") && !position.has(200, "another"))
    #expect(position.has(170, "chat 170") && !position.has(201, "chat 201") && position.isForgotten(100))
    position.goBack(to: 190)
    #expect(position.seq == 190 && position.has(190, "chat 190") && !position.has(191, "chat 191"))
    position.goBack(to: 3)
    #expect(position.seq == 3 && !position.hasMarks && !position.has(3, "chat 3"))
  }

  @Test("behind numbers that no chat has it goes on")
  func gaps() {
    var position = RoomPosition(seq: 10)
    position.deliver(11, "chat 11")
    position.deliver(13, "chat 13")
    #expect(position.seq == 13 && position.has(13, "chat 13"))
    #expect(position.isForgotten(12) && !position.has(11, "chat 11"))
    position.pass(15)
    #expect(position.seq == 15 && !position.hasMarks)
    position.pass(14)
    #expect(position.seq == 15)
  }
}
