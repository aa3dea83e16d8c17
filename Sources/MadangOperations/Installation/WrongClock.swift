import MadangAPI
import MadangCore

/// Throws ``SetupError`` if the clock shows a time before this program was built: chats would get that date, and
/// certificates and tokens would be invalid.
package func refuseWrongClock(_ clock: Clock) throws {
  guard clock.now < ServerSettings.earliestTime else { return }
  throw SetupError(
    "this machine's clock says \(WireDate.string(clock.now)), which is before this program was built\nset it ('timedatectl set-ntp true', or "
      + "'date'), and start again; a machine without a hardware clock needs the time from the network first")
}
