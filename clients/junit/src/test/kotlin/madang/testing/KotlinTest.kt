package madang.testing

import madang.testing.Expected.never
import madang.testing.Expected.once
import madang.testing.Filter.operation
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Test

/** The kit in Kotlin, as README.md shows it. */
@World(seed = "courtyard", number = 7)
class KotlinTest {
  @Test
  fun `a lost answer has stored the chat`(world: MadangWorld) {
    val mina = world.signIn("mina@example.com")
    val workspace = mina.get("workspaces").find("name", "Weekend").get("workspace_id").text()
    val ios = mina.get("workspaces/$workspace/channels").find("name", "ios").get("channel_id").text()
    val chats = "workspaces/$workspace/channels/$ios/chats"

    world.faults().add(Fault.answerLost(), Match.operation("postToChannel").times(1))
    assertThrows(MadangError::class.java) { mina.post(chats, mapOf("content" to "Yes")) }

    assertEquals("Yes", mina.get(chats).get(-1).get("content").text())
    world.expect(Expectation.of(once(operation("postToChannel").account("mina")), never(operation("signOut"))).within("100ms"))
  }
}
