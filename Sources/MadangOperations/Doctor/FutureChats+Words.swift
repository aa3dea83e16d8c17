import MadangAPI
import MadangCore

extension FutureChats {
  var words: String {
    "\(rooms) \(rooms == 1 ? "room ends" : "rooms end") with chats that are dated in the future, up to "
      + "\(WireDate.string(latest)); later chats in the same room get later dates: this machine's clock is behind now, or was ahead"
  }

  static let cure =
    "if the clock is right now, run 'madang admin chats redate' (docs/operate.md); otherwise correct the clock"
}
