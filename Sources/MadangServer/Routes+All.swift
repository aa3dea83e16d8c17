import MadangAPI

extension Routes {
  /// The rows of every server, built once for the process: tests start many servers.
  static let all = Routes(
    withoutKey: .init {
      OperatorsEndpoints.add(to: &$0)
      InvitePage.add(to: &$0)
      ConfirmPage.add(to: &$0)
      PasswordPage.add(to: &$0)
      ProviderNotices.add(to: &$0)
    },
    january2024: EditionRoutes(.january2024) {
      Edition2024_01.addUsers(to: &$0)
      Edition2024_01.addWorkspaces(to: &$0)
      Edition2024_01.addChannels(to: &$0)
      Edition2024_01.addDirectMessages(to: &$0)
      Edition2024_01.addChats(to: &$0)
      Edition2024_01.addCoins(to: &$0)
      Edition2024_01.addFiles(to: &$0)
    },
    october2024: EditionRoutes(.october2024) {
      Edition2024_10.addUsers(to: &$0)
      Edition2024_10.addWorkspaces(to: &$0)
      Edition2024_10.addChannels(to: &$0)
      Edition2024_10.addDirectMessages(to: &$0)
      Edition2024_10.addChats(to: &$0)
      Edition2024_10.addCoins(to: &$0)
      Edition2024_10.addFiles(to: &$0)
    })
}
