import MadangAPI
import MadangCore

/// Throws ``SetupError`` if the clock shows a time before this program was made: chats would be dated then, and certificates and tokens
/// would not be valid.
package func refuseWrongClock(_ clock: Clock) throws {
  guard clock.now < ServerSettings.earliestTime else { return }
  throw SetupError(
    "this machine's clock says \(WireDate.string(clock.now)), before this program was made\nset it ('timedatectl set-ntp true', or "
      + "'date'), and start again; a machine without a clock of its own needs the time from the network before")
}
