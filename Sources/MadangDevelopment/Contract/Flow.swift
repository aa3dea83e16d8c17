import MadangAPI

/// A sequence of steps by a client. Each step is an operation that succeeds, an operation refused with a code, or an event
/// of a socket.
struct Flow: Sendable {
  enum Step: Hashable, Sendable {
    /// `operationId`.
    case success(String)
    /// `operationId:code`; `*` for any operation.
    case refusal(String, code: String)
    case event(ContractEvent)
  }

  let name: String
  let steps: [Step]

  /// - Parameter steps: Separated by spaces. Events are written as in `channel.joined`.
  private init(_ name: String, _ steps: String) {
    self.name = name
    self.steps = steps.split(separator: " ").map { word in
      let parts = word.split(separator: ":").map(String.init)
      if parts.count == 2 { return .refusal(parts[0], code: parts[1]) }
      let names = word.split(separator: ".").map(String.init)
      guard names.count == 2, let moment = ContractEvent.Moment(rawValue: names[1]) else { return .success(parts[0]) }
      return .event(ContractEvent(room: names[0] == "dm" ? .dm : .channel, moment: moment))
    }
  }

  static let all: [EditionName: [Flow]] = [
    .october2024: [
      Flow("Launch", "refresh me workspaces"),
      Flow("Sign up", "validateEmail signUp workspaces me"),
      Flow("Sign in", "signIn me workspaces"),
      Flow("Sign in with Apple", "signInWithApple me"),
      Flow("Sign in with Kakao", "signInWithKakao me"),
      Flow("Create a workspace", "createWorkspace workspaces myChannels me"),
      Flow("Home screen", "me workspace directMessages myChannels channelUnread"),
      Flow("Create and edit a channel", "createChannel editChannel"),
      Flow("Explore and join", "channels myChannels channel channelMembers channelHistory"),
      Flow("Enter a channel", "channelHistory channel.joined"),
      Flow("Send", "channel.joined postToChannel channel.told channelHistory"),
      Flow("Send a file", "postToChannel file"),
      Flow(
        "Direct message",
        "workspaceMembers openDirectMessage directMessageHistory dm.joined postToDirectMessage dm.told directMessageUnread"
      ),
      Flow("Channel settings", "channel channelMembers handOverChannel leaveChannel deleteChannel"),
      Flow("Workspace settings", "invite editWorkspace search handOverWorkspace leaveWorkspace deleteWorkspace"),
      Flow("Profile", "me editPicture file editMe signOut"),
      Flow("Payment", "storeItems validatePayment me"),
      Flow("Expired access token", "*:E05 refresh"),
      Flow("Expired refresh token", "refresh:E06 signIn"),
      Flow("Background and foreground", "channel.joined channel.left channel.joined channelHistory"),
    ],
    .january2024: [
      Flow("Launch", "refresh me workspaces"),
      Flow("Sign up", "validateEmail signUp workspaces me"),
      Flow("Sign in", "signIn me workspaces"),
      Flow("Sign in, nested answer", "signInNested me workspaces"),
      Flow("Sign in with Apple", "signInWithApple me"),
      Flow("Sign in with Kakao", "signInWithKakao me"),
      Flow("Create a workspace", "createWorkspace myChannels"),
      Flow("Home screen", "me workspaces workspace myChannels channelUnread directMessages"),
      Flow("Create and edit a channel", "channel:E13 createChannel editChannel"),
      Flow("Explore and join", "myChannels channels channelMembers channelHistory"),
      Flow("Enter a channel", "channelHistory channel.joined"),
      Flow("Send", "channel.joined postToChannel channel.told"),
      Flow("Send a file", "postToChannel file"),
      Flow("Direct message", "directMessageHistory dm.joined postToDirectMessage dm.told"),
      Flow("Channel settings", "handOverChannel leaveChannel deleteChannel"),
      Flow("Workspace settings", "invite editWorkspace handOverWorkspace leaveWorkspace deleteWorkspace"),
      Flow("Profile", "editMe editPicture signOut"),
      Flow("Payment", "storeItems validatePayment me"),
      Flow("Expired access token", "*:E05 refresh"),
      Flow("Expired refresh token", "refresh:E06 signIn"),
      Flow("Background and foreground", "channel.joined channel.left channel.joined"),
    ],
  ]
}
