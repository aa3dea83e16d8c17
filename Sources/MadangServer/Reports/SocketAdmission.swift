/// What a socket was admitted by, or that it was refused.
enum SocketAdmission: String, CaseIterable {
  case token, cookie, address, open, refused
}
